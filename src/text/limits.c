/* What a table did, as constraints of a region text: the values and the steps of its variables. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/sized_options.h"
#include "base/text_buffer.h"
#include "hcr/hcr_build.h"
#include "text/vector_columns.h"

struct table {
    size_t rows;
    const double *values;
    hcri_vectors vectors;
    hcr_limit_options options;
};

/* A number of one variable, a value or a step, and where it is: of a step, where it ends. */
struct number {
    double number;
    size_t row, element;
};
struct numbers {
    size_t count, missing;
    struct number *sorted;
};

static double value_at(const struct table *table, const hcri_vector *own, size_t row, size_t element) {
    return table->values[row * table->vectors.columns + table->vectors.column_of[own->first + element]];
}

/* |b − a|, rounded up; NaN where one of them is missing. */
static double step_between(double a, double b) {
    if (!isfinite(a) || !isfinite(b))
        return NAN;
    const double high = fmax(a, b), low = fmin(a, b), step = high - low;
    const double part = step - high, error = (high - (step - part)) - (low + part); /* Knuth's, of a difference */
    return error > 0 ? nextafter(step, INFINITY) : step;
}

static int compare(const void *a, const void *b) {
    const struct number *one = a, *other = b;
    if (one->number != other->number)
        return one->number < other->number ? -1 : 1;
    if (one->row != other->row)
        return one->row < other->row ? -1 : 1;
    return one->element < other->element ? -1 : one->element > other->element;
}

/* How many values in order a variable has: elements of a vector or of a matrix' row, or of a series that is cut by the
 * horizon. */
static size_t length_of(const struct table *table, const hcri_vector *own) {
    return own->is_scalar ? table->options.horizon : own->columns > 0 ? own->columns : own->size;
}

static void take(struct numbers *numbers, double value, size_t row, size_t element) {
    if (isfinite(value))
        numbers->sorted[numbers->count++] = (struct number){value, row, element};
    else
        numbers->missing++;
}

static void find_values(const struct table *table, const hcri_vector *own, struct numbers *numbers) {
    for (size_t i = 0; i < table->rows; i++)
        for (size_t k = 0; k < own->size; k++)
            take(numbers, value_at(table, own, i, k), i, k);
}

/* Neighbours are elements of a vector or of a matrix' row, or rows of a series. */
static void find_steps(const struct table *table, const hcri_vector *own, struct numbers *numbers) {
    for (size_t i = own->is_scalar ? 1 : 0; i < table->rows; i++)
        for (size_t k = own->is_scalar ? 0 : 1; k < own->size; k++) {
            if (own->columns > 0 && k % own->columns == 0)
                continue;
            const double before = own->is_scalar ? value_at(table, own, i - 1, k) : value_at(table, own, i, k - 1);
            take(numbers, step_between(before, value_at(table, own, i, k)), i, k);
        }
}

typedef void find_numbers(const struct table *table, const hcri_vector *own, struct numbers *numbers);

static void find_sorted(find_numbers *find, const struct table *table, const hcri_vector *own,
                        struct numbers *numbers) {
    *numbers = (struct numbers){.sorted = numbers->sorted};
    find(table, own, numbers);
    qsort(numbers->sorted, numbers->count, sizeof *numbers->sorted, compare);
}

/* How many of them the share leaves out, but not all. */
static size_t left_out(const struct numbers *numbers, double share) {
    return (size_t)fmin(floor((1 - share) * (double)numbers->count * (1 + 1e-12)), (double)numbers->count - 1);
}
static double lower(const struct numbers *numbers, double share) {
    return numbers->sorted[left_out(numbers, share)].number;
}
static double upper(const struct numbers *numbers, double share) {
    return numbers->sorted[numbers->count - 1 - left_out(numbers, share)].number;
}

/* "812.5 (row 17)", or "(row 17, load[3])". */
static void write_place(hcri_report *report, const hcri_vector *own, const struct number *at) {
    hcri_report_number(report, at->number);
    hcri_report_write(report, " (row %zu", at->row);
    if (!own->is_scalar)
        hcri_report_write(report, ", %s%s", own->name, hcri_element_text(own, at->element).text);
    hcri_report_write(report, ")");
}

/* The end of a comment: what the share leaves in, and how many are missing. */
static void write_rest(const struct table *table, const struct numbers *numbers, const char *are, hcri_report *report) {
    char share[32];
    hcri_print(share, sizeof share, "%.10g %%", 100 * table->options.share);
    if (table->options.share < 1)
        hcri_report_write(report, "; %s are %s", share, are);
    if (numbers->missing > 0)
        hcri_report_write(report, "; %zu missing", numbers->missing);
    hcri_report_write(report, ".\n");
}

static void write_values(const struct table *table, const hcri_vector *own, const struct numbers *values,
                         hcri_report *report) {
    const double share = table->options.share, low = lower(values, share), high = upper(values, share);
    hcri_report_write(report, "# %s: %zu values, from ", own->name, values->count);
    write_place(report, own, &values->sorted[0]);
    hcri_report_write(report, " to ");
    write_place(report, own, &values->sorted[values->count - 1]);
    write_rest(table, values, "at least, and as many at most, these", report);
    hcri_report_number(report, low);
    hcri_report_write(report, " <= %s <= ", own->name);
    hcri_report_number(report, high);
    hcri_report_write(report, "\n");
}

static void write_steps(const struct table *table, const hcri_vector *own, const struct numbers *steps,
                        hcri_report *report) {
    hcri_report_write(report, "# %s: %zu steps, up to ", own->name, steps->count);
    write_place(report, own, &steps->sorted[steps->count - 1]);
    write_rest(table, steps, "at most this", report);
    if (own->columns > 0)
        hcri_report_write(report, "abs(%s[:, 1:] - %s[:, :-1]) <= ", own->name, own->name);
    else
        hcri_report_write(report, "abs(diff(%s)) <= ", own->name);
    hcri_report_number(report, upper(steps, table->options.share));
    hcri_report_write(report, "\n");
}

static hcr_status write_limits(const struct table *table, const hcri_vector *own, struct numbers *numbers,
                               hcri_report *report, hcr_error *error) {
    if (table->options.values || table->options.steps)
        hcri_report_write(report, "\n");
    if (table->options.values) {
        find_sorted(find_values, table, own, numbers);
        HCRI_FAIL_IF(numbers->count == 0, HCR_ERROR_DATA, "%s has no value: take its columns out", own->name);
        HCRI_FAIL_IF(!(fmax(-numbers->sorted[0].number, numbers->sorted[numbers->count - 1].number) < 1e20),
                     HCR_ERROR_DATA, "%s has values of 1e20 and more, which mean no bound: take another unit",
                     own->name);
        write_values(table, own, numbers, report);
    }
    if (table->options.steps && length_of(table, own) > 1) {
        find_sorted(find_steps, table, own, numbers);
        HCRI_FAIL_IF(numbers->count == 0, HCR_ERROR_DATA, "%s has no two values that are neighbours", own->name);
        write_steps(table, own, numbers, report);
    }
    return HCR_OK;
}

static void write_variables(const struct table *table, hcri_report *report) {
    hcri_report_write(report, "# What %zu row%s did, as limits: rows and elements are counted from 0.\n", table->rows,
                      table->rows == 1 ? "" : "s");
    for (size_t v = 0; v < table->vectors.count; v++) {
        const hcri_vector *own = &table->vectors.vector[v];
        hcri_report_write(report, "var %s%s", own->name, hcri_shape_text(own).text);
        if (own->is_scalar && table->options.horizon > 0)
            hcri_report_write(report, "[%zu]", table->options.horizon);
        hcri_report_write(report, "\n");
    }
}

static hcr_status write_text(const struct table *table, hcri_report *report, hcr_error *error) {
    const size_t cells = hcri_size_product(table->rows, table->vectors.columns);
    HCRI_SCOPED struct number *sorted = hcri_allocate(&hcri_default_allocator, cells, sizeof *sorted);
    HCRI_ALLOCATED(sorted);
    struct numbers numbers = {.sorted = sorted};
    write_variables(table, report);
    for (size_t v = 0; v < table->vectors.count; v++)
        HCRI_TRY(write_limits(table, &table->vectors.vector[v], &numbers, report, error));
    return HCR_OK;
}

static hcr_status check_options(const struct table *table, hcr_error *error) {
    const hcr_limit_options *options = &table->options;
    HCRI_FAIL_IF(!(options->share > 0.5 && options->share <= 1), HCR_ERROR_ARGUMENT,
                 "the share is %g: it is more than 0.5 and at most 1", options->share);
    HCRI_FAIL_IF(!options->values && !options->steps, HCR_ERROR_ARGUMENT,
                 "nothing is to be limited: values, steps or both");
    size_t longest = 0;
    for (size_t v = 0; v < table->vectors.count; v++) {
        const size_t length = length_of(table, &table->vectors.vector[v]);
        longest = length > longest ? length : longest;
    }
    HCRI_FAIL_IF(options->steps && !options->values && longest < 2, HCR_ERROR_SHAPE,
                 "no variable has two values, whose step could be limited: columns name[0], name[1] … are a vector, "
                 "and a horizon cuts series");
    return HCR_OK;
}

hcr_status hcr_limits_text(size_t rows, size_t columns, const char *const *names, const double *values,
                           const hcr_limit_options *options, char **text, hcr_error *error) {
    static const hcr_limit_options defaults = HCR_LIMIT_OPTIONS_INIT;
    HCRI_FAIL_IF(text == NULL || (values == NULL && rows > 0) || columns == 0, HCR_ERROR_ARGUMENT,
                 "values or text is NULL, or there are no columns");
    struct table table = {.rows = rows, .values = values};
    HCRI_TRY(hcri_options_take(options == NULL ? &defaults : options, &defaults, sizeof defaults, &table.options,
                               "HCR_LIMIT_OPTIONS_INIT", error));
    HCRI_SCRATCH(scratch, &hcri_default_allocator);
    HCRI_SCOPED_BY(hcri_report_clear) hcri_report report = {0};
    HCRI_TRY(hcri_vectors_make(columns, names, scratch, &table.vectors, error));
    HCRI_TRY(check_options(&table, error));
    HCRI_TRY(write_text(&table, &report, error));
    return hcri_report_take(&report, text, error);
}
