#include "command.h"
#include "json.h"
#include "options.h"
#include "parameters.h"
#include "progress.h"
#include "region_argument.h"
#include "tables.h"

#include <math.h>
#include <stdio.h>

#include "base/system.h"

struct job {
    struct settings settings;
    bool exact, single, all, quiet, json;

    struct opened_region opened;
    struct samples samples;
    FILE *details;                      /* with --json: what will stand behind the sums */
    size_t inside_count, without_value; /* rows inside; rows that have a NaN or an infinity */

    /* of a round */
    double *value;     /* the worst constraint of each row: how far it goes beyond its bound … */
    uint32_t *which;   /* … and its number */
    double *off;       /* by how much the worst equality doesn't hold … */
    uint32_t *unequal; /* … and its number */
    uint8_t *uneven;   /* it is that which puts the row outside */
    uint8_t *inside;
    uint32_t *broken; /* exact: a constraint that is surely broken */
};

static int is_misfit(const struct job *job, size_t row) {
    return parameters_misfit(&job->samples.parameters, row) < hcr_region_parameters(job->opened.region);
}

static int has_constraint(const struct job *job, size_t row) {
    return job->which[row] < hcr_region_constraints(job->opened.region);
}

/* By more than rounding: decimals needn't sum to the last bit. */
static int is_off(const struct job *job, size_t row) {
    const hcr_region *region = job->opened.region;
    const size_t p = hcr_region_parameters(region);
    const hcr_table *table = &job->samples.stream.table;
    return job->off[row] > hcr_region_equality_rounding(
                               region, job->unequal[row], p == 0 ? NULL : job->samples.parameters.values + row * p,
                               table->values + row * table->columns, job->single ? HCR_SINGLE : HCR_DOUBLE);
}

static void measure(struct job *job) {
    const hcr_table *table = &job->samples.stream.table;
    const size_t rows = table->rows;
    const double *x = job->samples.parameters.values, *y = table->values;
    job->value = renew(job->value, rows, sizeof *job->value);
    job->which = renew(job->which, rows, sizeof *job->which);
    job->off = renew(job->off, rows, sizeof *job->off);
    job->unequal = renew(job->unequal, rows, sizeof *job->unequal);
    job->uneven = renew(job->uneven, rows, sizeof *job->uneven);
    job->inside = renew(job->inside, rows, sizeof *job->inside);
    must(hcr_violation(job->opened.region, rows, x, y, job->value, job->which, &failure));
    must(hcr_equality_violation(job->opened.region, rows, x, y, job->single ? HCR_SINGLE : HCR_DOUBLE, job->off,
                                job->unequal, &failure));
    for (size_t i = 0; i < rows; i++) {
        if (is_misfit(job, i))
            job->value[i] = NAN;
        job->uneven[i] = job->value[i] <= 0 && job->unequal[i] != UINT32_MAX && is_off(job, i);
        job->inside[i] = job->value[i] <= 0 && !job->uneven[i];
    }
}

static void decide_exactly(struct job *job) {
    const hcr_region *region = job->opened.region;
    const struct samples *samples = &job->samples;
    const struct parameters *x = &samples->parameters;
    const hcr_table *table = &samples->stream.table;
    job->broken = renew(job->broken, table->rows, sizeof *job->broken);
    must(job->single
             ? hcr_check_f32(region, table->rows, x->singles, samples->singles, job->inside, job->broken, &failure)
             : hcr_check(region, table->rows, x->values, table->values, job->inside, job->broken, &failure));
    /* Where rounding hides it, name the constraint that exact arithmetic found. */
    for (size_t i = 0; i < table->rows; i++) {
        job->uneven[i] = 0;
        if (!job->inside[i] && job->value[i] <= 0) {
            job->which[i] = job->broken[i];
            job->uneven[i] = !has_constraint(job, i);
        }
    }
}

/* What puts the row outside, or of the others the constraint that is the nearest. */
static hcr_constraint_info reason_of(const struct job *job, size_t row) {
    return job->uneven[row] ? hcr_region_equality(job->opened.region, job->unequal[row])
                            : hcr_region_constraint(job->opened.region, job->which[row]);
}

static void print_row(const struct job *job, size_t row, FILE *out) {
    const size_t number = job->samples.stream.first_row + row;
    const double value = job->value[row];
    char misfit[512];
    if (is_misfit(job, row)) {
        parameters_describe(&job->samples.parameters, row, parameters_misfit(&job->samples.parameters, row), misfit,
                            sizeof misfit);
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
    fprintf(out, "{\"row\": %zu, \"inside\": %s, \"violation\": ", job->samples.stream.first_row + row,
            job->inside[row] ? "true" : "false");
    json_number(out, job->value[row]);
    if (is_misfit(job, row)) {
        char name[128];
        hcr_region_parameter_name(job->opened.region, parameters_misfit(&job->samples.parameters, row), name,
                                  sizeof name);
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

/* The rows reported, each with what separates it from the one before. */
static void print_rows(const struct job *job, FILE *out) {
    for (size_t i = 0; i < job->samples.stream.table.rows; i++) {
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
static void print_end(const struct job *job) {
    const size_t rows = job->samples.stream.rows;
    if (job->quiet)
        return;
    if (!job->json) {
        printf("%zu of %zu rows inside%s", job->inside_count, rows, job->exact ? ", decided exactly" : "");
        if (job->without_value != 0)
            printf(", %zu without a value", job->without_value);
        putchar('\n');
        return;
    }
    printf("{\"rows\": %zu, \"inside\": %zu, \"without_value\": %zu, \"exact\": %s, \"details\": [", rows,
           job->inside_count, job->without_value, job->exact ? "true" : "false");
    if (fflush(job->details) != 0 || ferror(job->details))
        fail_file("write", "a temporary file");
    rewind(job->details);
    const int any = fgetc(job->details) != EOF; /* the comma before the first */
    for (int c; (c = fgetc(job->details)) != EOF;)
        putchar(c);
    if (ferror(job->details))
        fail_file("read", "a temporary file");
    printf("%s]}\n", any ? "\n" : "");
}

static int run(struct job *job, const char *const *operand) {
    struct samples *samples = &job->samples;
    region_open(operand[0], &job->settings, &job->opened);
    samples->what = "Y";
    samples->names = (const char *const *)names_of_outputs(job->opened.region, "", NULL, &samples->count);
    samples->parameters.region = job->opened.region;
    samples_open(samples, operand[1], NULL);
    samples->stream.needed.nan = 1; /* rows that a command found no result for: they are counted */
    if (job->json && (job->details = tmpfile()) == NULL)
        fail_file("make", "a temporary file");
    if (job->quiet || job->json || !isatty(STDOUT_FILENO)) /* else rows are printed */
        progress_wait("checking");
    while (samples_next(samples)) {
        if (job->single)
            samples_to_single(samples);
        measure(job);
        if (job->exact)
            decide_exactly(job);
        for (size_t i = 0; i < samples->stream.table.rows; i++) {
            job->inside_count += job->inside[i];
            job->without_value += isnan(job->value[i]) && !is_misfit(job, i);
        }
        if (!job->quiet)
            print_rows(job, job->json ? job->details : stdout);
    }
    samples_close(samples);
    print_end(job);
    return job->inside_count < samples->stream.rows ? EXIT_OUTSIDE : EXIT_DONE;
}

int command_check(int argc, char **argv) {
    static struct job job;
    const struct option_row rows[] = {
        OPTION(FLAG, "exact", NULL, "decide in rational arithmetic, at tolerance 0, on the numbers as stored",
               &job.exact),
        OPTION_ROW_SET(&job.settings),
        OPTION_ROW_PARAMETERS(&job.samples.parameters.path),
        OPTION(FLAG, "single", NULL, "the table holds single precision numbers", &job.single),
        OPTION(FLAG, "all", NULL, "print the rows that are inside too", &job.all),
        {OPTION_FLAG, 'q', "quiet", NULL, "print nothing: the exit code is the answer", &job.quiet, 0, 0},
        OPTION_ROW_JSON(&job.json),
    };
    const struct usage usage = {
        .name = "check",
        .operands = "REGION Y",
        .summary = "Reports which rows of the table Y are outside the region, by how much, and the line of the region "
                   "text that they violate most. Rows and inequalities are counted from 0. Without --exact, sums are "
                   "floating point, and a row within rounding of the frontier may go either way.",
        .example = "hcr check --exact load.region forecast.csv",
        .outside = "a row was outside, or a parameter out of its range",
        OPTION_ROWS(rows),
    };
    const char *operand[2];
    options_parse(argc, argv, &usage, operand);
    return run(&job, operand);
}
