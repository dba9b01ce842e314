#include "command.h"
#include "json.h"
#include "options.h"
#include "region.h"
#include "report.h"
#include "tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    struct settings settings;
    int exact, single, all, quiet, json;

    struct opened_region opened;
    hcr_table table;
    float *singles;
    double *value;   /* the worst constraint of each row: how far it goes beyond its bound … */
    uint32_t *which; /* … and its number */
    uint8_t *inside;
    uint32_t *broken; /* exact: a constraint that is surely broken */
};

static void release(struct job *job) {
    settings_clear(&job->settings);
    region_close(&job->opened);
    hcr_table_clear(&job->table);
    free(job->singles);
    free(job->value);
    free(job->which);
    free(job->inside);
    free(job->broken);
}

static int decide(struct job *job) {
    const hcr_region *region = job->opened.region;
    const size_t rows = job->table.rows;
    hcr_error error = {0};
    job->value = calloc(rows + 1, sizeof *job->value);
    job->which = calloc(rows + 1, sizeof *job->which);
    job->inside = calloc(rows + 1, sizeof *job->inside);
    job->broken = calloc(rows + 1, sizeof *job->broken);
    if (job->value == NULL || job->which == NULL || job->inside == NULL || job->broken == NULL)
        return report_memory();
    if (job->single) {
        /* The table's decimals stand for single precision numbers: take those, not the doubles nearest to them. */
        job->singles = values_to_single(job->table.values, rows * job->table.columns);
        if (job->singles == NULL)
            return report_memory();
        values_from_single(job->singles, rows * job->table.columns, job->table.values);
    }
    if (hcr_violation(region, rows, NULL, job->table.values, job->value, job->which, &error) != HCR_OK)
        return report_error(&error);
    if (!job->exact) {
        for (size_t i = 0; i < rows; i++)
            job->inside[i] = job->value[i] <= 0;
        return EXIT_DONE;
    }
    if (hcr_check(region, rows, NULL, job->table.values, job->inside, job->broken, &error) != HCR_OK)
        return report_error(&error);
    /* Where rounding hides it, name the constraint that exact arithmetic found. */
    for (size_t i = 0; i < rows; i++)
        if (!job->inside[i] && job->value[i] <= 0)
            job->which[i] = job->broken[i];
    return EXIT_DONE;
}

static int has_constraint(const struct job *job, size_t row) {
    return job->which[row] < hcr_region_constraints(job->opened.region);
}

static void print_row(const struct job *job, size_t row) {
    const double value = job->value[row];
    if (isnan(value))
        printf("row %zu: a value isn't finite", row);
    else if (job->inside[row])
        printf("row %zu: inside, %.6g to spare", row, fmax(0, -value));
    else if (value > 0)
        printf("row %zu: outside by %.6g", row, value);
    else
        printf("row %zu: outside by less than rounding", row);
    if (!isnan(value) && has_constraint(job, row)) {
        const hcr_constraint_info info = hcr_region_constraint(job->opened.region, job->which[row]);
        if (info.line > 0)
            printf("\n    %s:%d: %s", info.file, info.line, info.text);
        else
            printf("\n    %s %s", info.kind, info.text);
        printf("   (inequality %zu of it)", info.row);
    }
    putchar('\n');
}

static void print_json_row(const struct job *job, size_t row) {
    printf("{\"row\": %zu, \"inside\": %s, \"violation\": ", row, job->inside[row] ? "true" : "false");
    json_number(stdout, job->value[row]);
    if (!isnan(job->value[row]) && has_constraint(job, row)) {
        const hcr_constraint_info info = hcr_region_constraint(job->opened.region, job->which[row]);
        printf(", \"constraint\": %u, \"kind\": ", (unsigned)job->which[row]);
        json_string(stdout, info.kind);
        printf(", \"file\": ");
        json_string(stdout, info.file);
        printf(", \"line\": %d, \"column\": %d, \"text\": ", info.line, info.column);
        json_string(stdout, info.text);
        printf(", \"inequality\": %zu", info.row);
    }
    putchar('}');
}

static void print_rows(const struct job *job, size_t inside) {
    const size_t rows = job->table.rows;
    size_t printed = 0;
    if (job->json)
        printf("{\"rows\": %zu, \"inside\": %zu, \"exact\": %s, \"details\": [", rows, inside,
               job->exact ? "true" : "false");
    for (size_t i = 0; i < rows; i++) {
        if (job->inside[i] && !job->all)
            continue;
        if (job->json) {
            fputs(printed++ == 0 ? "\n  " : ",\n  ", stdout);
            print_json_row(job, i);
        } else {
            print_row(job, i);
        }
    }
    if (job->json)
        printf("%s]}\n", printed == 0 ? "" : "\n");
    else
        printf("%zu of %zu rows inside%s\n", inside, rows, job->exact ? ", decided exactly" : "");
}

static int run(struct job *job, const char *const *operand) {
    int code = region_open(operand[0], &job->settings, &job->opened);
    if (code == EXIT_DONE)
        code = table_read_points(operand[1], job->opened.region, "Y", &job->table);
    if (code == EXIT_DONE)
        code = decide(job);
    if (code != EXIT_DONE)
        return code;
    size_t inside = 0;
    for (size_t i = 0; i < job->table.rows; i++)
        inside += job->inside[i];
    if (!job->quiet)
        print_rows(job, inside);
    return inside == job->table.rows ? EXIT_DONE : EXIT_OUTSIDE;
}

int command_check(int argc, char **argv) {
    struct job job = {0};
    const struct option_row rows[] = {
        {OPTION_FLAG, '\0', "exact", NULL, "decide in rational arithmetic, at tolerance 0, on the numbers as stored",
         &job.exact, 0, 0},
        OPTION_ROW_SET(&job.settings),
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
        .outside = "a row was outside",
        OPTION_ROWS(rows),
    };
    const char *operand[2];
    int code = options_parse(argc, argv, &usage, operand);
    if (code == OPTIONS_PARSED)
        code = run(&job, operand);
    release(&job);
    return code;
}
