#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "ending.h"
#include "options.h"
#include "progress.h"
#include "report.h"

#include "experiments/pictures.h"
#include "experiments/sheet.h"
#include "experiments/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
    struct plan plan;
    int quiet;
    struct experiment experiment;
    struct store store;
    struct progress progress;
    size_t trainings, done;
    double epochs; /* of the trainings under way, in trainings */
    int code;      /* of the first that failed */
};

/* ----------------------------------------------------------------------------------------------------------- runs */

/* A training under way. */
struct watch {
    struct job *job;
    const char *label;
    enum method method;
    double share; /* done of it */
};

static void show(const struct watch *watch) {
    char note[96];
    struct job *job = watch->job;
    snprintf(note, sizeof note, "%zu of %zu  %s, %s", job->done, job->trainings, watch->label,
             method_info[watch->method].title);
    progress_show(&job->progress, ((double)job->done + job->epochs) / (double)job->trainings, note);
}

static int on_progress(void *context, const hcr_progress *state) {
    struct watch *watch = context;
    struct job *job = watch->job;
    const double within = state->step < state->steps ? (double)state->step / (double)state->steps : 0;
    const double share = ((double)state->epoch + within) / (double)state->epochs;
#pragma omp critical(experiment)
    {
        job->epochs += share - watch->share;
        watch->share = share;
        show(watch);
    }
    return ending_noted() != 0;
}

static int run_method(struct job *job, struct problem *problem, enum method method) {
    struct watch watch = {job, problem->label, method, 0};
    problem->options.progress = on_progress;
    problem->options.progress_context = &watch;
    const int code = trial_run(&job->store, problem, method);
#pragma omp critical(experiment)
    {
        job->epochs -= watch.share;
        job->done += code == EXIT_DONE;
        show(&watch);
    }
    return code;
}

/* Everything of a problem that isn't in the store yet. */
static int run_problem(struct job *job, size_t i) {
    const struct experiment *experiment = &job->experiment;
    struct problem problem = {0};
    int code = experiment->make(experiment, i, &problem);
    for (enum method method = 0; code == EXIT_DONE && method < METHODS; method++)
        if (experiment->runs[method]) {
            if (!store_has(&job->store, problem.label, method_info[method].key)) {
                code = run_method(job, &problem, method);
            } else {
#pragma omp critical(experiment)
                job->done++;
            }
        }
    if (code == EXIT_DONE && problem.step > 0 && !store_has(&job->store, problem.label, "search"))
        code = trial_search(&job->store, &problem);
    problem_release(&problem);
    return code;
}

static void run_all(struct job *job) {
    const size_t problems = job->experiment.problems;
    const int threads = job->plan.threads == 0 ? 1 : (int)job->plan.threads;
    (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t i = 0; i < problems; i++) {
        int stopped;
#pragma omp atomic read
        stopped = job->code;
        const int code = stopped != EXIT_DONE  ? EXIT_DONE
                         : ending_noted() != 0 ? EXIT_INTERRUPTED
                                               : run_problem(job, i);
        if (code != EXIT_DONE) {
#pragma omp critical(experiment)
            job->code = job->code == EXIT_DONE ? code : job->code;
        }
    }
}

/* -------------------------------------------------------------------------------------------------------- results */

struct results {
    size_t count;
    struct record *records;
    const char **labels;
    char (*label)[32]; /* of each problem */
};

static int read_results(const struct job *job, struct results *results) {
    const struct experiment *experiment = &job->experiment;
    const size_t most = experiment->problems * METHODS;
    results->records = calloc(most + 1, sizeof *results->records);
    results->labels = calloc(most + 1, sizeof *results->labels);
    results->label = calloc(experiment->problems + 1, sizeof *results->label);
    if (results->records == NULL || results->labels == NULL || results->label == NULL)
        return report_memory();
    int code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i < experiment->problems; i++) {
        experiment->name_problem(experiment, i, results->label[i]);
        for (enum method method = 0; code == EXIT_DONE && method < METHODS; method++) {
            const size_t before = results->count;
            if (experiment->runs[method])
                code = store_read(&job->store, results->label[i], method_info[method].key, &results->count,
                                  results->records);
            for (size_t k = before; k < results->count; k++)
                results->labels[k] = results->label[i];
        }
    }
    return code;
}

static int write_sheets(const struct job *job, const struct results *results) {
    struct sheet *sheets = calloc(job->experiment.groups, sizeof *sheets);
    char path[512], temporary[520];
    snprintf(path, sizeof path, "%s/tables.md", job->store.folder);
    snprintf(temporary, sizeof temporary, "%s.new", path);
    FILE *stream = sheets == NULL ? NULL : fopen(temporary, "w");
    if (stream == NULL) {
        free(sheets);
        return report_file("write", path);
    }
    for (size_t g = 0; g < job->experiment.groups; g++) {
        sheet_fill(&job->experiment, g, results->count, results->records, &sheets[g]);
        sheet_print(stdout, &sheets[g]);
        sheet_print(stream, &sheets[g]);
    }
    const int failed = ferror(stream);
    int code = EXIT_DONE;
    if (fclose(stream) != 0 || failed || rename(temporary, path) != 0)
        code = report_file("write", path);
    snprintf(path, sizeof path, "%s/tables.svg", job->store.folder);
    if (code == EXIT_DONE)
        code = sheet_draw(path, job->experiment.groups, sheets);
    free(sheets);
    return code;
}

static int write_results(const struct job *job) {
    struct results results = {0};
    int code = read_results(job, &results);
    if (code == EXIT_DONE)
        code = store_export(&job->store, results.count, results.records, results.labels);
    if (code == EXIT_DONE)
        code = write_sheets(job, &results);
    int (*const pictures[])(const struct gallery *) = {picture_violations, picture_times, picture_forecasts,
                                                       picture_search};
    const struct gallery gallery = {&job->store, &job->experiment, results.count, results.records, results.labels};
    for (size_t k = 0; code == EXIT_DONE && k < sizeof pictures / sizeof *pictures; k++)
        code = pictures[k](&gallery);
    free(results.records);
    free(results.labels);
    free(results.label);
    return code;
}

/* ---------------------------------------------------------------------------------------------------- the command */

static int open_experiment(struct job *job, const char *name) {
    const struct plan *plan = &job->plan;
    if (plan->folder == NULL)
        return report_usage("experiment", "give -o DIR, the folder for the results");
    if (strcmp(name, "synthetic") == 0)
        return experiment_synthetic(plan, &job->experiment);
    if (strcmp(name, "m4") != 0)
        return report_usage("experiment", "there is no experiment \"%s\": synthetic or m4", name);
    if (plan->series == NULL)
        return report_usage("experiment", "m4 needs --series FILE, the hourly series");
    return experiment_m4(plan, &job->experiment);
}

static int run(struct job *job, const char *name) {
    int code = open_experiment(job, name);
    if (code == EXIT_DONE)
        code = store_open(&job->store, job->plan.folder, &job->experiment);
    if (code != EXIT_DONE)
        return code;
    for (enum method method = 0; method < METHODS; method++)
        job->trainings += job->experiment.runs[method] ? job->experiment.problems : 0;
    ending_put_off(); /* until what is under way is kept */
    progress_begin(&job->progress, name);
    if (job->quiet)
        job->progress.shown = 0;
    run_all(job);
    progress_end(&job->progress);
    ending_resume();
    if (job->code == EXIT_INTERRUPTED)
        report("interrupted after %zu of %zu trainings, which \"%s\" keeps: the same command goes on", job->done,
               job->trainings, job->plan.folder);
    return job->code == EXIT_DONE ? write_results(job) : job->code;
}

int command_experiment(int argc, char **argv) {
    struct job job = {0};
    struct plan *plan = &job.plan;
    const struct option_row rows[] = {
        {OPTION_TEXT, 'o', "folder", "DIR", "the folder for the results; it is made when there is none", &plan->folder,
         0, 0},
        {OPTION_FLAG, '\0', "quick", NULL, "few seeds or series, and few epochs: two minutes", &plan->quick, 0, 0},
        {OPTION_COUNT, '\0', "seeds", "N", "synthetic: seeds; 10", &plan->seeds, 1, 0},
        {OPTION_TEXT, '\0', "series", "FILE", "m4: the hourly series, a series a row (Hourly-train.csv)", &plan->series,
         0, 0},
        {OPTION_TEXT, '\0', "weekly", "FILE", "m4: weekly series too, as two tables more", &plan->weekly, 0, 0},
        {OPTION_COUNT, '\0', "count", "N", "m4: series of each file, evenly spaced in it; 30", &plan->count, 1, 0},
        {OPTION_COUNT, '\0', "epochs", "N", "of every training; synthetic 800, m4 300", &plan->epochs, 1, 0},
        {OPTION_COUNT, '\0', "threads", "N", "trainings at a time; 1", &plan->threads, 1, 1024},
        {OPTION_FLAG, 'q', "quiet", NULL, "no progress bar", &job.quiet, 0, 0},
    };
    const struct usage usage = {
        .name = "experiment",
        .operands = "EXPERIMENT",
        .summary = "Repeats one of the paper's experiments, synthetic or m4: trains every method with the same encoder "
                   "and budget, and prints the paper's tables with the figures beside the published ones. DIR gets "
                   "them as tables.md and tables.svg, every run in runs.csv and runs.json, and pictures of the "
                   "violations, of the times of post-processing, of forecasts and of Algorithm 1 (gnuplot). What is "
                   "done is kept there: the same command goes on after an interruption.",
        .example = "hcr experiment m4 --series Hourly-train.csv --threads 2 -o out/m4",
        OPTION_ROWS(rows),
    };
    const char *name;
    int code = options_parse(argc, argv, &usage, &name);
    if (code == OPTIONS_PARSED)
        code = run(&job, name);
    if (job.experiment.release != NULL)
        job.experiment.release(&job.experiment);
    return code;
}
