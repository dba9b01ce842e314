#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "command.h"
#include "json.h"
#include "options.h"
#include "parameters.h"
#include "region_argument.h"
#include "report.h"
#include "tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    struct settings settings;
    int exact, single, all, quiet, json;

    struct opened_region opened;
    char **names; /* of the columns */
    size_t columns;
    struct stream stream;
    FILE *details; /* of the first process, with --json: what will stand behind the sums */
    size_t inside_count;

    /* of a round */
    hcr_table table;
    struct parameters parameters;
    float *singles;
    double *value;     /* the worst constraint of each row: how far it goes beyond its bound … */
    uint32_t *which;   /* … and its number */
    double *off;       /* by how much the worst equality doesn't hold … */
    uint32_t *unequal; /* … and its number */
    uint8_t *uneven;   /* it is that which puts the row outside */
    uint8_t *inside;
    uint32_t *broken; /* exact: a constraint that is surely broken */
};

static void release_round(struct job *job) {
    void *const memory[] = {job->singles, job->value,  job->which,  job->off,
                            job->unequal, job->uneven, job->inside, job->broken};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        free(memory[i]);
    job->singles = NULL;
    job->value = job->off = NULL;
    job->which = job->unequal = job->broken = NULL;
    job->uneven = job->inside = NULL;
    hcr_table_clear(&job->table);
    parameters_clear(&job->parameters);
}

static void release(struct job *job) {
    release_round(job);
    settings_clear(&job->settings);
    region_close(&job->opened);
    parameters_free(&job->parameters);
    free(job->names);
    if (job->details != NULL)
        fclose(job->details);
}

/* The parameter of a row that is out of its range; as many as there are parameters when none is. */
static size_t misfit_of(const struct job *job, size_t row) {
    const hcr_region *region = job->opened.region;
    return parameters_misfit(region, parameters_of(&job->parameters, region, row));
}

static int is_misfit(const struct job *job, size_t row) {
    return misfit_of(job, row) < hcr_region_parameters(job->opened.region);
}

static int has_constraint(const struct job *job, size_t row) {
    return job->which[row] < hcr_region_constraints(job->opened.region);
}

static int make_room(struct job *job) {
    const size_t rows = job->table.rows;
    job->value = calloc(rows + 1, sizeof *job->value);
    job->which = calloc(rows + 1, sizeof *job->which);
    job->off = calloc(rows + 1, sizeof *job->off);
    job->unequal = calloc(rows + 1, sizeof *job->unequal);
    job->uneven = calloc(rows + 1, sizeof *job->uneven);
    job->inside = calloc(rows + 1, sizeof *job->inside);
    job->broken = calloc(rows + 1, sizeof *job->broken);
    const int made = job->value != NULL && job->which != NULL && job->off != NULL && job->unequal != NULL &&
                     job->uneven != NULL && job->inside != NULL && job->broken != NULL;
    return made ? EXIT_DONE : report_memory();
}

/* The table's decimals stand for single precision numbers: takes those, not the doubles nearest to them. */
static int round_to_single(struct job *job) {
    const size_t count = job->table.rows * job->table.columns;
    job->singles = values_to_single(job->table.values, count);
    if (job->singles == NULL)
        return report_memory();
    values_from_single(job->singles, count, job->table.values);
    return parameters_to_single(&job->parameters, job->opened.region, job->table.rows);
}

static int measure(struct job *job) {
    hcr_error error = {0};
    const size_t rows = job->table.rows;
    const double *x = job->parameters.values, *y = job->table.values;
    if (hcr_violation(job->opened.region, rows, x, y, job->value, job->which, &error) != HCR_OK ||
        hcr_equality_violation(job->opened.region, rows, x, y, job->single ? HCR_SINGLE : HCR_DOUBLE, job->off,
                               job->unequal, &error) != HCR_OK)
        return report_error(&error);
    for (size_t i = 0; i < rows; i++)
        if (is_misfit(job, i))
            job->value[i] = NAN;
    return EXIT_DONE;
}

static void decide(struct job *job) {
    for (size_t i = 0; i < job->table.rows; i++) {
        job->uneven[i] = job->value[i] <= 0 && job->unequal[i] != UINT32_MAX;
        job->inside[i] = job->value[i] <= 0 && !job->uneven[i];
    }
}

static int decide_exactly(struct job *job) {
    hcr_error error = {0};
    const hcr_region *region = job->opened.region;
    const struct parameters *x = &job->parameters;
    const size_t rows = job->table.rows;
    const hcr_status status =
        job->single ? hcr_check_f32(region, rows, x->singles, job->singles, job->inside, job->broken, &error)
                    : hcr_check(region, rows, x->values, job->table.values, job->inside, job->broken, &error);
    if (status != HCR_OK)
        return report_error(&error);
    /* Where rounding hides it, name the constraint that exact arithmetic found. */
    for (size_t i = 0; i < rows; i++)
        if (!job->inside[i] && job->value[i] <= 0) {
            job->which[i] = job->broken[i];
            job->uneven[i] = !has_constraint(job, i);
        }
    return EXIT_DONE;
}

/* What puts the row outside, or of the others the constraint that is the nearest. */
static hcr_constraint_info reason_of(const struct job *job, size_t row) {
    return job->uneven[row] ? hcr_region_equality(job->opened.region, job->unequal[row])
                            : hcr_region_constraint(job->opened.region, job->which[row]);
}

static void print_row(const struct job *job, size_t row, FILE *out) {
    const size_t number = job->stream.first_row + row;
    const double value = job->value[row];
    char misfit[512];
    if (is_misfit(job, row)) {
        parameters_describe(job->opened.region, parameters_of(&job->parameters, job->opened.region, row),
                            misfit_of(job, row), misfit, sizeof misfit);
        fprintf(out, "row %zu: %s", number, misfit);
    } else if (isnan(value))
        fprintf(out, "row %zu: a value isn't finite", number);
    else if (job->inside[row])
        fprintf(out, "row %zu: inside, %.6g to spare", number, fmax(0, -value));
    else if (job->uneven[row])
        fprintf(out, "row %zu: outside, an equality is off by %.6g", number, job->off[row]);
    else if (value > 0)
        fprintf(out, "row %zu: outside by %.6g", number, value);
    else
        fprintf(out, "row %zu: outside by less than rounding", number);
    if (!isnan(value) && (job->uneven[row] || has_constraint(job, row))) {
        const hcr_constraint_info info = reason_of(job, row);
        if (info.line > 0)
            fprintf(out, "\n    %s:%d: %s", info.file, info.line, info.text);
        else
            fprintf(out, "\n    %s %s", info.kind, info.text);
        fprintf(out, "   (%s %zu of it)", job->uneven[row] ? "equality" : "inequality", info.row);
    }
    fputc('\n', out);
}

static void print_json_row(const struct job *job, size_t row, FILE *out) {
    fprintf(out, "{\"row\": %zu, \"inside\": %s, \"violation\": ", job->stream.first_row + row,
            job->inside[row] ? "true" : "false");
    json_number(out, job->value[row]);
    if (is_misfit(job, row)) {
        char name[128];
        hcr_region_parameter_name(job->opened.region, misfit_of(job, row), name, sizeof name);
        fprintf(out, ", \"parameter\": ");
        json_string(out, name);
    }
    if (job->uneven[row]) {
        fprintf(out, ", \"residual\": ");
        json_number(out, job->off[row]);
    } else if (!isnan(job->value[row]) && has_constraint(job, row)) {
        fprintf(out, ", \"constraint\": %u", (unsigned)job->which[row]);
    }
    if (!isnan(job->value[row]) && (job->uneven[row] || has_constraint(job, row))) {
        const hcr_constraint_info info = reason_of(job, row);
        fprintf(out, ", \"kind\": ");
        json_string(out, info.kind);
        fprintf(out, ", \"file\": ");
        json_string(out, info.file);
        fprintf(out, ", \"line\": %d, \"column\": %d, \"text\": ", info.line, info.column);
        json_string(out, info.text);
        fprintf(out, ", \"%s\": %zu", job->uneven[row] ? "equality" : "inequality", info.row);
    }
    fputc('}', out);
}

/* The rows that are told, each with what separates it from the one before. */
static void print_rows(const struct job *job, FILE *out) {
    for (size_t i = 0; i < job->table.rows; i++) {
        if (job->inside[i] && !job->all)
            continue;
        if (job->json) {
            fputs(",\n  ", out);
            print_json_row(job, i, out);
        } else {
            print_row(job, i, out);
        }
    }
}

/* The sums, and with --json the rows, which are known by now. */
static int print_end(struct job *job) {
    if (job->quiet)
        return EXIT_DONE;
    if (!job->json) {
        printf("%zu of %zu rows inside%s\n", job->inside_count, job->stream.rows,
               job->exact ? ", decided exactly" : "");
        return EXIT_DONE;
    }
    printf("{\"rows\": %zu, \"inside\": %zu, \"exact\": %s, \"details\": [", job->stream.rows, job->inside_count,
           job->exact ? "true" : "false");
    rewind(job->details);
    const int any = fgetc(job->details) != EOF; /* the comma before the first */
    for (int c; (c = fgetc(job->details)) != EOF;)
        putchar(c);
    printf("%s]}\n", any ? "\n" : "");
    return ferror(job->details) ? report_file("read", "a temporary file") : EXIT_DONE;
}

static int do_round(struct job *job) {
    int code = stream_read_samples(&job->stream, job->columns, (const char *const *)job->names, "Y", job->opened.region,
                                   &job->parameters, &job->table);
    if (code == EXIT_DONE)
        code = make_room(job);
    if (code == EXIT_DONE && job->single)
        code = round_to_single(job);
    if (code == EXIT_DONE)
        code = measure(job);
    if (code == EXIT_DONE && job->exact)
        code = decide_exactly(job);
    if (code != EXIT_DONE)
        return code;
    if (!job->exact)
        decide(job);
    for (size_t i = 0; i < job->table.rows; i++)
        job->inside_count += job->inside[i];
    return EXIT_DONE;
}

static int pass_rows(struct job *job, const char *input) {
    struct stream *stream = &job->stream;
    int code = stream_open_samples(stream, input, job->columns, (const char *const *)job->names, job->opened.region,
                                   &job->parameters, NULL);
    stream->needed.nan = 1; /* rows that a command found no result for: they are counted */
    if (code == EXIT_DONE && job->json && (job->details = tmpfile()) == NULL)
        code = report_file("make", "a temporary file");
    while (code == EXIT_DONE && stream_next(stream)) {
        code = do_round(job);
        if (code == EXIT_DONE && !job->quiet)
            print_rows(job, job->json ? job->details : stdout);
        release_round(job);
    }
    if (code == EXIT_DONE && job->json && (fflush(job->details) != 0 || ferror(job->details)))
        code = report_file("write", "a temporary file");
    if (code == EXIT_DONE)
        code = parameters_check_rows(&job->parameters, stream->rows);
    return stream_close(stream, code);
}

static int run(struct job *job, const char *const *operand) {
    int code = region_open(operand[0], &job->settings, &job->opened);
    if (code != EXIT_DONE)
        return code;
    job->names = names_of_outputs(job->opened.region, "", NULL, &job->columns);
    code = job->names == NULL ? report_memory() : pass_rows(job, operand[1]);
    if (code == EXIT_DONE)
        code = print_end(job);
    return code == EXIT_DONE && job->inside_count < job->stream.rows ? EXIT_OUTSIDE : code;
}

int command_check(int argc, char **argv) {
    struct job job = {0};
    const struct option_row rows[] = {
        {OPTION_FLAG, '\0', "exact", NULL, "decide in rational arithmetic, at tolerance 0, on the numbers as stored",
         &job.exact, 0, 0},
        OPTION_ROW_SET(&job.settings),
        OPTION_ROW_PARAMETERS(&job.parameters.path),
        {OPTION_FLAG, '\0', "single", NULL, "the table holds single precision numbers", &job.single, 0, 0},
        {OPTION_FLAG, '\0', "all", NULL, "print the rows that are inside too", &job.all, 0, 0},
        {OPTION_FLAG, 'q', "quiet", NULL, "print nothing: the exit code says it", &job.quiet, 0, 0},
        OPTION_ROW_JSON(&job.json),
    };
    const struct usage usage = {
        .name = "check",
        .operands = "REGION Y",
        .summary =
            "Tells which rows of the table Y are outside the region, by how much, and the line of the region text "
            "that they break most. Rows and inequalities are counted from 0. Without --exact, sums are floating "
            "point, and a row within rounding of the frontier may go either way.",
        .example = "hcr check --exact load.region forecast.csv",
        .outside = "a row was outside, or a parameter out of its range",
        OPTION_ROWS(rows),
    };
    const char *operand[2];
    int code = options_parse(argc, argv, &usage, operand);
    if (code == OPTIONS_PARSED)
        code = run(&job, operand);
    release(&job);
    return code;
}
