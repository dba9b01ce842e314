#include "command.h"
#include "ending.h"
#include "json.h"
#include "options.h"
#include "parameters.h"
#include "plot/gnuplot.h"
#include "progress.h"
#include "region_argument.h"
#include "tables.h"

#include "base/system.h"
#include "base/text_buffer.h"
#include "hcr/hcr_learn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_CHOICE = -1 };

struct job {
    const char *output_path, *plot_path, *weights_path, *heads;
    struct settings settings;
    struct numbers quantiles;
    double raw_weight; /* NaN: not given */
    size_t blended;    /* heads */
    hcr_head *blend;
    bool json, quiet;
    int head;
    hcr_fit_options options;

    struct opened_region opened;
    hcr_table inputs, targets, weights;
    struct parameters parameters; /* given apart from the inputs */
    char *checkpoint;
    hcr_model *model;
    hcr_fit_report report;
    struct progress progress;
    size_t epochs_done, losses; /* losses[k] is of epoch first_epoch + k */
    size_t first_epoch;
    double *training_loss, *validation_loss;
};

/* ------------------------------------------------------------------------------------------------------ progress */

static void keep_losses(struct job *job, const hcr_progress *state) {
    if (job->training_loss == NULL) {
        job->training_loss = allocate(state->epochs, sizeof *job->training_loss);
        job->validation_loss = allocate(state->epochs, sizeof *job->validation_loss);
        job->first_epoch = state->epoch;
    }
    if (job->losses < state->epochs) {
        job->training_loss[job->losses] = state->training_loss;
        job->validation_loss[job->losses++] = state->validation_loss;
    }
}

static bool on_progress(void *context, const hcr_progress *state) {
    struct job *job = context;
    if (state->epoch > job->epochs_done && job->plot_path != NULL)
        keep_losses(job, state);
    job->epochs_done = state->epoch;
    const double within = state->step < state->steps ? (double)state->step / (double)state->steps : 0;
    char note[96];
    if (isnan(state->validation_loss))
        snprintf(note, sizeof note, "epoch %zu  loss %.4g", state->epoch, state->training_loss);
    else
        snprintf(note, sizeof note, "epoch %zu  loss %.4g  validation %.4g", state->epoch, state->training_loss,
                 state->validation_loss);
    progress_show(&job->progress, ((double)state->epoch + within) / (double)state->epochs, note);
    return ending_noted() != 0;
}

static void draw_losses(const struct job *job) {
    const struct plot_line lines[] = {
        {"training", "lines linewidth 2 linecolor '#1f77b4'", job->losses, job->training_loss,
         (double)job->first_epoch},
        {"validation", "lines linewidth 2 linecolor '#d62728'", job->losses, job->validation_loss,
         (double)job->first_epoch},
    };
    if (job->losses == 0) {
        report("no epoch was trained: there is nothing to draw");
        return;
    }
    const size_t shown = isfinite(job->validation_loss[0]) ? 2 : 1;
    plot_draw(job->plot_path, &(struct plot){"epoch", "loss", 1, shown, lines});
}

/* ---------------------------------------------------------------------------------------------------- the report */

/* "7, 9, 12": as many as the report has, and … where it doesn't have all. */
static void print_projected(const hcr_fit_report *report, const char *rest, FILE *stream) {
    const size_t most = sizeof report->projected / sizeof *report->projected,
                 listed = report->rows_projected < most ? report->rows_projected : most;
    for (size_t k = 0; k < listed; k++)
        fprintf(stream, "%s%zu", k == 0 ? "" : ", ", report->projected[k]);
    if (listed < report->rows_projected)
        fputs(rest, stream);
}

static void print_report(const struct job *job, FILE *stream) {
    const hcr_fit_report *report = &job->report;
    fprintf(stream, "model            %s\n", hcr_model_summary(job->model));
    fprintf(stream, "rows used        %zu\n", report->rows);
    if (report->rows_validation > 0)
        fprintf(stream, "rows validated   %zu\n", report->rows_validation);
    fprintf(stream, "rows projected   %zu%s", report->rows_projected,
            report->rows_projected == 0   ? ""
            : report->rows_projected == 1 ? ": row "
                                          : ": rows ");
    print_projected(report, ", …", stream);
    fputs(report->rows_projected == 0 ? "\n" : " (counted from 0)\n", stream);
    if (!hcr_region_is_convex(job->opened.region))
        fprintf(stream, "rows hidden      %zu of these: inside, but hidden from the origin\n", report->rows_hidden);
    fprintf(stream, "epochs           %zu, the best %zu\n", report->epochs, report->best_epoch);
    fprintf(stream, "training loss    %.6g   (mean squared error of the outputs: %.6g)\n", report->training_loss,
            report->training_mse);
    if (report->rows_validation > 0)
        fprintf(stream, "validation loss  %.6g   (mean squared error of the outputs: %.6g)\n", report->validation_loss,
                report->validation_mse);
    fprintf(stream, "inside ratio     %.6g\n", report->inside_ratio);
    fprintf(stream, "time             %.1f s\n", report->seconds);
}

static void print_json_report(const struct job *job) {
    const hcr_fit_report *report = &job->report;
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"training_loss", report->training_loss}, {"validation_loss", report->validation_loss},
        {"training_mse", report->training_mse},   {"validation_mse", report->validation_mse},
        {"inside_ratio", report->inside_ratio},   {"seconds", report->seconds},
    };
    printf("{\"model\": ");
    json_string(stdout, hcr_model_summary(job->model));
    printf(", \"rows\": %zu, \"rows_projected\": %zu, \"rows_hidden\": %zu, \"rows_validation\": %zu, \"epochs\": %zu, "
           "\"best_epoch\": %zu",
           report->rows, report->rows_projected, report->rows_hidden, report->rows_validation, report->epochs,
           report->best_epoch);
    printf(", \"projected\": [");
    print_projected(report, "", stdout);
    putchar(']');
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        printf(", \"%s\": ", numbers[i].name);
        json_number(stdout, numbers[i].value);
    }
    printf("}\n");
}

/* ---------------------------------------------------------------------------------------------------- the command */

static int to_standard_output(const struct job *job) { return strcmp(job->output_path, "-") == 0; }

#define HEADS "hcr|hcr-direct|hcr-contract|simple|hcr-soften|hcr-project"

/* The heads of --blend. */
static void take_blend(struct job *job) {
    const char *at = job->heads;
    job->blend = allocate(at == NULL ? 1 : strlen(at) + 1, sizeof *job->blend);
    while (at != NULL) {
        const size_t length = strcspn(at, ",");
        const int head = option_choice(HEADS, at, length);
        if (head < 0)
            fail_usage("fit", "--blend takes some of " HEADS " with commas between, not \"%s\"", job->heads);
        job->blend[job->blended++] = (hcr_head)head;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    job->options.blend = job->blend;
    job->options.blend_count = job->blended;
}

static void check_options(const struct job *job) {
    if (job->output_path == NULL)
        fail_usage("fit", "give -o MODEL, the file to write");
    if (to_standard_output(job) && job->options.resume)
        fail_usage("fit", "--resume needs a model file, and its checkpoint beside it");
    if (to_standard_output(job) && job->json)
        fail_usage("fit", "--json and `-o -` would both write to standard output");
    if (job->plot_path != NULL && !gnuplot_can_write(job->plot_path))
        fail_usage("fit", "--plot takes a file that ends in .svg or .png, not \"%s\"", job->plot_path);
}

/* The constants of --set belong to what the model records of its region: comments behind the text. */
static void note_settings(struct job *job) {
    const size_t count = job->settings.count;
    if (count == 0)
        return;
    hcri_report noted = {0};
    hcri_report_write(&noted, "%s\n", job->opened.text);
    for (size_t i = 0; i < count; i++) {
        const hcr_constant *constant = &job->settings.constant[i];
        const size_t values = constant->rows == 0 ? 1 : constant->rows;
        hcri_report_write(&noted, "# --set %s=", constant->name);
        for (size_t k = 0; k < values; k++)
            hcri_report_write(&noted, "%s%.17g", k == 0 ? "" : ",", constant->values[k]);
        hcri_report_write(&noted, "\n");
    }
    free(job->opened.text);
    must(hcri_report_take(&noted, &job->opened.text, &failure));
}

/* Columns of words, such as dates, are no inputs. What isn't NaN in them would have been refused. */
static void read_inputs(struct job *job, const char *path) {
    static const hcr_table_columns numbers = {.words = true};
    hcr_table *inputs = &job->inputs;
    must(hcr_table_read_columns(path, HCR_TABLE_BY_NAME, NULL, 1, &numbers, inputs, &failure));
    const char **kept = allocate(inputs->columns + 1, sizeof *kept);
    size_t count = 0;
    for (size_t j = 0; inputs->names != NULL && inputs->rows != 0 && j < inputs->columns; j++) {
        if (!isnan(inputs->values[j]))
            kept[count++] = inputs->names[j];
        else if (!job->quiet)
            report("the column \"%s\" of X has words: it is no input", inputs->names[j]);
    }
    if (count == 0 && inputs->names != NULL && inputs->rows != 0)
        fail(EXIT_INPUT, "X has no column of numbers");
    if (count != 0 && count < inputs->columns)
        must(hcr_table_match(inputs, count, kept, "X", &failure));
    free(kept);
}

static void read_weights(struct job *job) {
    if (job->weights_path == NULL)
        return;
    must(hcr_table_read(job->weights_path, HCR_TABLE_BY_NAME, NULL, 1, &job->weights, &failure));
    if (job->weights.columns != 1 || job->weights.rows != job->inputs.rows)
        fail(EXIT_INPUT,
             "\"%s\" has %zu rows and %zu columns: weights are one column, with a row for each of the %zu rows of X",
             job->weights_path, job->weights.rows, job->weights.columns, job->inputs.rows);
    job->options.sample_weights = job->weights.values;
}

static void read_all(struct job *job, const char *const *operand) {
    region_open(operand[0], &job->settings, &job->opened);
    read_inputs(job, operand[1]);
    table_read_points(operand[2], job->opened.region, "Y", &job->targets);
    if (job->inputs.rows != job->targets.rows)
        fail(EXIT_INPUT, "X has %zu rows and Y has %zu: a row of one belongs to a row of the other", job->inputs.rows,
             job->targets.rows);
    read_weights(job);
    job->parameters.region = job->opened.region;
    if (job->parameters.path != NULL)
        parameters_read(&job->parameters, job->inputs.rows);
    region_recentre(&job->opened, job->targets.rows, job->targets.values);
    note_settings(job);
}

static hcr_status train(struct job *job) {
    job->options.quantiles = job->quantiles.values;
    job->options.quantile_count = job->quantiles.count;
    if (isnan(job->raw_weight))
        job->raw_weight = job->quantiles.count != 0 &&
                          (job->head == NO_CHOICE || job->head == HCR_HEAD_CONTRACT || job->head == HCR_HEAD_PROJECT);
    job->options.raw_weight = job->raw_weight;
    job->options.head = job->head != NO_CHOICE                  ? (hcr_head)job->head
                        : job->quantiles.count != 0             ? HCR_HEAD_PROJECT
                        : job->options.samples != 0             ? HCR_HEAD_PROJECT
                        : job->options.loss == HCR_LOSS_SQUARED ? HCR_HEAD_HCR
                                                                : HCR_HEAD_CONTRACT;
    job->options.checkpoint = job->checkpoint;
    job->options.progress = on_progress;
    job->options.progress_context = job;
    ending_put_off(); /* until the end of an epoch */
    progress_begin(&job->progress, "training");
    if (job->quiet)
        job->progress.shown = 0;
    const hcr_status status =
        hcr_fit(job->opened.region, job->opened.text, job->inputs.rows, job->inputs.columns, job->inputs.values,
                (const char *const *)job->inputs.names, job->parameters.values, job->targets.values, &job->options,
                &job->model, &job->report, &failure);
    progress_end(&job->progress);
    ending_resume();
    return status;
}

/* That of the model, and those of the other members of a blend. */
static void remove_checkpoints(const struct job *job) {
    const size_t members = job->options.members > job->blended ? job->options.members : job->blended;
    if (job->checkpoint == NULL)
        return;
    unlink(job->checkpoint);
    char *path = allocate(strlen(job->checkpoint) + 32, 1);
    for (size_t k = 1; k < 2 * members; k++) {
        sprintf(path, "%s.%zu", job->checkpoint, k);
        unlink(path);
    }
    free(path);
}

static int run(struct job *job, const char *const *operand) {
    static const char extension[] = ".checkpoint";
    check_options(job);
    take_blend(job);
    read_all(job, operand);
    if (!to_standard_output(job)) {
        job->checkpoint = allocate(strlen(job->output_path) + sizeof extension, 1);
        sprintf(job->checkpoint, "%s%s", job->output_path, extension);
        if (job->options.resume && access(job->checkpoint, F_OK) != 0)
            report("there is no \"%s\" to go on from: starting anew", job->checkpoint);
    }
    const hcr_status status = train(job);
    if (status == HCR_ERROR_INTERRUPTED && job->checkpoint != NULL)
        fail(EXIT_INTERRUPTED,
             "interrupted after %zu epochs, which \"%s\" keeps: the same command with --resume goes on",
             job->epochs_done, job->checkpoint);
    if (status == HCR_ERROR_INTERRUPTED)
        fail(EXIT_INTERRUPTED, "interrupted after %zu epochs", job->epochs_done);
    must(status);
    MUST_WRITE(hcr_model_save(job->model, job->output_path, &failure));
    remove_checkpoints(job);
    if (job->json)
        print_json_report(job);
    else if (!job->quiet)
        print_report(job, to_standard_output(job) ? stderr : stdout);
    if (job->plot_path != NULL)
        draw_losses(job);
    return EXIT_DONE;
}

int command_fit(int argc, char **argv) {
    static struct job job = {.head = NO_CHOICE, .raw_weight = NAN, .options = HCR_FIT_OPTIONS_INIT};
    hcr_fit_options *options = &job.options;
    const struct option_row rows[] = {
        {OPTION_TEXT, 'o', "output", "MODEL", "the model file to write (standard output: -)", &job.output_path, 0, 0},
        OPTION_ROW_SET(&job.settings),
        OPTION(
            READ, "parameters", "FILE",
            "the region's parameters, in columns of their names: a row for each row of X, or one for all; the network "
            "doesn't see them. Columns of X otherwise, which it sees",
            &job.parameters.path),
        OPTION(CHOICE, "encoder", "dense|lstm", "one layer of either; dense", &options->encoder),
        {OPTION_COUNT, '\0', "hidden", "N", "units of the encoder; 64", &options->hidden, 1, 0},
        OPTION(FLAG, "linear", NULL, "dense: no activation", &options->linear_encoder),
        {OPTION_COUNT, '\0', "features", "N", "lstm: inputs a time step, the columns of X being steps of so many; 1",
         &options->features, 1, 0},
        OPTION(
            CHOICE, "head", HEADS,
            "hcr: direction and radius, trained on the encoded targets (the paper's); hcr-direct: the same, trained on "
            "the outputs; hcr-contract: a linear head, contracted; hcr-soften: the same, softened; hcr-project: the "
            "same, "
            "taken to the nearest point; simple: a linear head and no guarantee; hcr, with --loss hcr-contract, with "
            "--quantiles and --samples hcr-project",
            &job.head),
        OPTION(
            CHOICE, "loss", "squared|absolute|huber|pinball",
            "what an output costs that misses its target, in units of the targets' deviation: its square; its size, "
            "which "
            "outliers weigh less in; the square of small ones, the size of large ones; or less on one side than on the "
            "other, which trains --quantile; heads other than hcr; squared",
            &options->loss),
        {OPTION_NUMBER, '\0', "delta", "D", "loss huber: the largest miss that is squared, in those units; 1",
         &options->delta, 1e-12, 1e12},
        {OPTION_NUMBER, '\0', "quantile", "Q",
         "loss pinball: the share of targets that are to be below the outputs; 0.5", &options->quantile, 1e-6,
         1 - 1e-6},
        OPTION(NUMBERS, "quantiles", "Q,…",
               "learn several quantiles of each output, such as 0.1,0.5,0.9, by that loss: outputs are named "
               "\"load[0]@0.1\", never cross, and are inside at every level",
               &job.quantiles),
        OPTION(FLAG, "calibrate", NULL,
               "with --validation: move the quantiles of a level, before they are taken inside, until the share of the "
               "validation targets at or below them is the level; heads hcr-contract and hcr-project",
               &options->calibrate),
        {OPTION_COUNT, '\0', "samples", "N",
         "learn to draw paths as the targets are, each inside: noise goes into the network beside X, and N paths a "
         "row, "
         "from 2 to 64, are compared with its target by their energy score; `hcr predict` draws as many; encoder dense",
         &options->samples, 2, 0},
        {OPTION_COUNT, '\0', "members", "N",
         "train so many models and blend them: the predictions are their means, weighted so that the loss of the "
         "--validation rows is least (those of one head equally, and all without), and exactly inside; with "
         "--validation they are trained again on all rows; 1",
         &options->members, 1, 32},
        OPTION(TEXT, "blend", "HEAD,…",
               "the heads of the members, one after the other and again; --members is at least their number",
               &job.heads),
        {OPTION_COUNT, '\0', "season", "N",
         "one more member, the mean of the inputs that lie whole seasons of N steps before an output; the columns of X "
         "are then the values of a series just before those of Y",
         &options->season, 1, 0},
        OPTION(
            READ, "weights", "FILE",
            "a table of one column, a row for each row of X: how much its loss counts, 2 as much as two such rows; 1",
            &job.weights_path),
        {OPTION_COUNT, '\0', "epochs", "N", "passes over the rows; 100", &options->epochs, 1, 0},
        {OPTION_COUNT, '\0', "batch", "N", "rows a step; 32", &options->batch, 1, 0},
        {OPTION_NUMBER, '\0', "rate", "R", "Adam's step; 0.001", &options->rate, 1e-12, 1e3},
        {OPTION_NUMBER, '\0', "rate-decay", "F", "the rate is multiplied by it after each epoch; 1",
         &options->rate_decay, 1e-6, 1},
        OPTION(NUMBER, "weight-decay", "F", "of AdamW; 0", &options->weight_decay),
        OPTION(NUMBER, "clip", "G", "largest norm of the gradient; none", &options->clip),
        {OPTION_NUMBER, '\0', "radius-weight", "W", "head hcr: weight of the radius in the loss; 1",
         &options->radius_weight, 1e-12, 1e12},
        {OPTION_NUMBER, '\0', "raw-weight", "W",
         "heads hcr-contract and hcr-project: weight in the loss of what the network gives before that; 0, with "
         "--quantiles 1",
         &job.raw_weight, 0, 1e12},
        {OPTION_NUMBER, '\0', "ascent", "S",
         "head simple: the step by which violations raise their weights in the loss after each epoch (a Lagrangian, by "
         "dual ascent); 0",
         &options->ascent, 0, 1e12},
        OPTION(FLAG, "common-scale", NULL,
               "measure all outputs by one deviation: the loss is then their mean squared error; each by its own "
               "otherwise",
               &options->common_scale),
        {OPTION_NUMBER, '\0', "validation", "SHARE", "of the rows, kept to measure the loss on; 0",
         &options->validation, 0, 0.9},
        OPTION(FLAG, "validation-last", NULL,
               "keep the last rows for that, as of windows in the order of time; they are drawn otherwise",
               &options->validation_last),
        {OPTION_COUNT, '\0', "patience", "N",
         "with --validation: stop after so many epochs without a better loss, and keep the best model; never",
         &options->patience, 1, 0},
        OPTION(SEED, "seed", "N", "of weights, shuffles and the validation rows; 0", &options->seed),
        OPTION(
            FLAG, "resume", NULL,
            "go on from MODEL.checkpoint, which is there after an interruption: the result is that of an unbroken run",
            &options->resume),
        OPTION(TEXT, "plot", "FILE", "draw the losses into FILE.svg or FILE.png (gnuplot)", &job.plot_path),
        {OPTION_FLAG, 'q', "quiet", NULL, "no progress bar, no table at the end", &job.quiet, 0, 0},
        OPTION_ROW_JSON(&job.json),
    };
    const struct usage usage = {
        .name = "fit",
        .operands = "REGION X Y",
        .summary = "Trains a model on the rows of the tables X (inputs) and Y (targets). Whatever inputs it is given "
                   "later, its outputs are inside the region at tolerance 0. Targets outside are projected first (in a "
                   "star domain those that the origin doesn't see are drawn towards it). A checkpoint is kept beside "
                   "the model while it trains.",
        .example = "hcr fit load.region x.csv y.csv -o load.model --encoder lstm --head hcr-contract --epochs 200",
        OPTION_ROWS(rows),
    };
    const char *operand[3];
    options_parse(argc, argv, &usage, operand);
    return run(&job, operand);
}
