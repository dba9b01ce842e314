/* What was made of a region, for people and for programs. */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "hcr/hcr_build.h"
#include "language/report.h"
#include "region/region.h"

/* Points and bounds are shown in full up to so many outputs. */
#define SHOWN_OUTPUTS 8

typedef struct count_by_kind { /* of one source */
    size_t inequalities[HCRI_KINDS];
} count_by_kind;

typedef struct cost { /* of one decode */
    double multiply_adds, bytes;
} cost;

static size_t entries(const hcri_rows *rows) { return rows->count == 0 ? 0 : rows->start[rows->count]; }

/* Products with a matrix in the layout that the kernels use: multiply-adds, and the numbers that they read. */
static void add_layout(const hcri_rows *rows, const hcri_layout *layout, size_t n, cost *sum) {
    for (size_t r = 0; r < layout->runs; r++) {
        const hcri_run *run = &layout->run[r];
        const double count = (double)run->count;
        switch (run->form) {
        case HCRI_RUN_STENCIL:
            sum->multiply_adds += count * (double)run->terms;
            sum->bytes += 12.0 * (double)run->terms;
            break;
        case HCRI_RUN_DENSE: {
            const double padded = ceil(count / HCRI_PANEL) * HCRI_PANEL * (double)n;
            sum->multiply_adds += padded;
            sum->bytes += 8 * padded;
            break;
        }
        case HCRI_RUN_SPARSE: {
            const double used = (double)(rows->start[run->first + run->count] - rows->start[run->first]);
            sum->multiply_adds += used;
            sum->bytes += 12 * used + 8 * count;
            break;
        }
        }
    }
}

static cost decode_cost(const hcri_set *set) {
    const double n = (double)set->n;
    cost sum = {2 * n, 16 * n}; /* the length of v, and the step */
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        if (block->kind->id == HCRI_BOX) {
            sum.multiply_adds += 2 * n;
            sum.bytes += 16 * n;
        } else if (block->kind->id == HCRI_LINEAR) {
            const hcri_linear *linear = (const hcri_linear *)block;
            add_layout(&linear->rows, &linear->layout, set->n, &sum);
            sum.multiply_adds += 2 * (double)linear->rows.count;
            sum.bytes += 16 * (double)linear->rows.count;
        } else {
            const hcri_quadratic *quadratic = (const hcri_quadratic *)block;
            if (quadratic->form == HCRI_FACTOR)
                add_layout(&quadratic->factor, &quadratic->layout, set->n, &sum);
            const double own = quadratic->form == HCRI_DENSE      ? n * (n + 1) / 2
                               : quadratic->form == HCRI_DIAGONAL ? n
                                                                  : (double)quadratic->factor.count;
            sum.multiply_adds += own + (quadratic->gradient_is_zero ? 0 : n);
            sum.bytes += 8 * ((quadratic->form == HCRI_FACTOR || quadratic->unit ? 0 : own) +
                              (quadratic->gradient_is_zero ? 0 : n));
        }
    }
    return sum;
}

/* How many inequalities exist, by source and kind; released by the caller. */
static count_by_kind *count_sources(const hcri_set *set) {
    count_by_kind *count = hcri_allocate(&set->allocator, set->places, sizeof *count);
    for (size_t b = 0; count != NULL && b < set->blocks; b++)
        for (size_t i = 0; i < set->block[b]->count; i++)
            if (set->block[b]->kind->exists(set->block[b], i))
                count[set->block[b]->source[i]].inequalities[set->block[b]->kind->id]++;
    return count;
}

static size_t total(const count_by_kind *count) {
    size_t sum = 0;
    for (size_t kind = 0; kind < HCRI_KINDS; kind++)
        sum += count->inequalities[kind];
    return sum;
}

/* -------------------------------------------------------------------------------------------------------- for people
 */

static void write_sources(hcri_report *report, const hcri_set *set, const count_by_kind *count) {
    hcri_report_write(report, "\n  line  inequalities  kind       source\n");
    for (size_t p = 0; p < set->places; p++) {
        const hcri_place *place = &set->place[p];
        const size_t all = total(&count[p]);
        if (all == 0 && place->line == 0)
            continue;
        if (all == 0)
            hcri_report_write(report, "  %4d  %12d  %-9s  %s\n", place->line, 0, "dropped", place->text);
        for (size_t kind = 0; kind < HCRI_KINDS; kind++)
            if (count[p].inequalities[kind] != 0)
                hcri_report_write(report, "  %4d  %12zu  %-9s  %s\n", place->line, count[p].inequalities[kind],
                                  hcri_kind_of((uint32_t)kind)->name, place->text);
    }
    for (size_t p = 0; p < set->places; p++)
        if (total(&count[p]) == 0 && set->place[p].line != 0) {
            hcri_report_write(report, "  (dropped: other lines say as much or more)\n");
            break;
        }
}

static void write_points(hcri_report *report, const hcr_region *region) {
    const hcri_set *set = &region->set;
    const size_t shown = set->n <= SHOWN_OUTPUTS ? set->n : SHOWN_OUTPUTS;
    hcri_report_write(report, "\n  output               lower        origin         upper\n");
    for (size_t j = 0; j < shown; j++) {
        char name[64];
        hcri_set_output_name(set, j, name, sizeof name);
        hcri_report_write(report, "  %-12.40s  %12.6g  %12.6g  %12.6g\n", name, region->lower[j], region->origin[j],
                          region->upper[j]);
    }
    if (shown == set->n)
        return;
    double lower = INFINITY, upper = -INFINITY, origin_lower = INFINITY, origin_upper = -INFINITY;
    for (size_t j = 0; j < set->n; j++) {
        lower = fmin(lower, region->lower[j]);
        upper = fmax(upper, region->upper[j]);
        origin_lower = fmin(origin_lower, region->origin[j]);
        origin_upper = fmax(origin_upper, region->origin[j]);
    }
    hcri_report_write(report, "  … %zu more; all outputs lie between %g and %g, the origin's between %g and %g\n",
                      set->n - shown, lower, upper, origin_lower, origin_upper);
}

static void write_text(hcri_report *report, const hcr_region *region, const count_by_kind *count) {
    const hcri_set *set = &region->set;
    hcri_report_write(report, "outputs       %zu:", set->n);
    for (size_t v = 0; v < set->variables; v++) {
        hcri_report_write(report, " %s", set->variable[v].name);
        if (!set->variable[v].scalar)
            hcri_report_write(report, "[%zu]", set->variable[v].size);
    }
    count_by_kind all = {{0}};
    for (size_t p = 0; p < set->places; p++)
        for (size_t kind = 0; kind < HCRI_KINDS; kind++)
            all.inequalities[kind] += count[p].inequalities[kind];
    hcri_report_write(report, "\ninequalities  %zu:", total(&all));
    const char *separator = " ";
    for (size_t kind = 0; kind < HCRI_KINDS; kind++)
        if (all.inequalities[kind] != 0) {
            hcri_report_write(report, "%s%zu %s", separator, all.inequalities[kind],
                              hcri_kind_of((uint32_t)kind)->name);
            separator = ", ";
        }
    if (set->linear != NULL && set->linear->rows.count != 0)
        hcri_report_write(report, " in %zu rows with %zu coefficients", set->linear->rows.count,
                          entries(&set->linear->rows));
    hcri_report_write(report, "\nbounded       %s\ninradius      ", region->bounded ? "yes" : "no");
    hcri_report_number(report, region->inradius);
    hcri_report_write(report, "\nmargins       %.3g double, ", region->margin[HCR_DOUBLE]);
    if (region->margin[HCR_SINGLE] < HCRI_LARGEST_MARGIN)
        hcri_report_write(report, "%.3g single\n", region->margin[HCR_SINGLE]);
    else
        hcri_report_write(report, "too thin for single\n");
    const cost decode = decode_cost(set);
    hcri_report_write(report, "decode        %.0f multiply-adds, %.0f bytes read\n", decode.multiply_adds,
                      decode.bytes);
    write_points(report, region);
    write_sources(report, set, count);
}

/* ------------------------------------------------------------------------------------------------------ for programs
 */

static void write_json_numbers(hcri_report *report, const char *name, size_t count, const double *numbers) {
    hcri_report_write(report, "  \"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        hcri_report_write(report, i == 0 ? "" : ", ");
        hcri_report_json_number(report, numbers[i]);
    }
    hcri_report_write(report, "],\n");
}

static void write_json(hcri_report *report, const hcr_region *region, const count_by_kind *count) {
    const hcri_set *set = &region->set;
    hcri_report_write(report, "{\n  \"outputs\": %zu,\n  \"variables\": [", set->n);
    for (size_t v = 0; v < set->variables; v++)
        hcri_report_write(report, "%s{\"name\": \"%s\", \"size\": %zu, \"scalar\": %s}", v == 0 ? "" : ", ",
                          set->variable[v].name, set->variable[v].size, set->variable[v].scalar ? "true" : "false");
    hcri_report_write(report, "],\n  \"sources\": [");
    const char *separator = "\n";
    for (size_t p = 0; p < set->places; p++) {
        if (total(&count[p]) == 0 && set->place[p].line == 0)
            continue;
        hcri_report_write(report, "%s    {\"file\": ", separator);
        hcri_report_json_string(report, set->place[p].file);
        hcri_report_write(report, ", \"line\": %d, \"column\": %d, \"text\": ", set->place[p].line,
                          set->place[p].column);
        hcri_report_json_string(report, set->place[p].text);
        for (size_t kind = 0; kind < HCRI_KINDS; kind++)
            hcri_report_write(report, ", \"%s\": %zu", hcri_kind_of((uint32_t)kind)->name, count[p].inequalities[kind]);
        hcri_report_write(report, "}");
        separator = ",\n";
    }
    hcri_report_write(report, "\n  ],\n  \"bounded\": %s,\n", region->bounded ? "true" : "false");
    write_json_numbers(report, "origin", set->n, region->origin);
    write_json_numbers(report, "lower", set->n, region->lower);
    write_json_numbers(report, "upper", set->n, region->upper);
    const struct {
        const char *name;
        double value;
    } number[] = {{"inradius", region->inradius},
                  {"margin", region->margin[HCR_DOUBLE]},
                  {"margin_single", region->margin[HCR_SINGLE]}};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
        hcri_report_write(report, "  \"%s\": ", number[i].name);
        hcri_report_json_number(report, number[i].value);
        hcri_report_write(report, ",\n");
    }
    const cost decode = decode_cost(set);
    hcri_report_write(report, "  \"decode_multiply_adds\": %.0f,\n  \"decode_bytes\": %.0f\n}\n", decode.multiply_adds,
                      decode.bytes);
}

hcr_status hcr_region_explain(const hcr_region *region, int json, char **text, hcr_error *error) {
    if (region == NULL || text == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "region or text is NULL");
    *text = NULL;
    count_by_kind *count = count_sources(&region->set);
    if (count == NULL)
        return hcri_fail_memory(error);
    hcri_report report = {0};
    (json ? write_json : write_text)(&report, region, count);
    hcri_release(&region->set.allocator, count);
    if (report.failed || report.text == NULL) {
        free(report.text);
        return hcri_fail_memory(error);
    }
    *text = report.text;
    return HCR_OK;
}
