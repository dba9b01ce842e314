/* What was made of a region, for people and for programs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text_buffer.h"
#include "hcr/hcr_build.h"
#include "text/decode_cost.h"

/* Points and bounds are shown in full up to so many outputs. */
#define SHOWN_OUTPUTS 8

/* Bounds of this size and beyond, when they are powers of ten, are what people write for "none". */
#define LEAST_UNCERTAIN 1e7

/* Those that aren't the library's count as one. */
enum { KINDS = HCRI_KINDS + 1 };

static const char *name_of(size_t kind) { return kind < HCRI_KINDS ? hcri_kind_of((uint32_t)kind)->name : "other"; }

typedef struct source_count { /* of one source */
    size_t kind[KINDS];       /* inequalities of the region … */
    size_t inner[KINDS];      /* … and of the bodies of unions and excepts */
    size_t equalities;
    size_t exact[2]; /* of those, what results of each precision keep exactly */
    size_t ranges;   /* of parameters */
} source_count;

static void count_block(const hcri_set *set, const hcri_constraint *block, int inner, source_count *count) {
    for (size_t i = 0; i < block->count; i++) {
        source_count *own = &count[block->source[i]];
        const int is_range = block == set->block[0] && i / 2 >= set->outputs;
        if (is_range)
            own->ranges += i % 2;
        else if (block->kind->exists(block, i))
            (inner ? own->inner : own->kind)[hcri_kind_number(block->kind)]++;
    }
    for (size_t k = 0; hcri_block_part(block, k) != NULL; k++)
        count_block(set, hcri_block_part(block, k), 1, count);
}

/* How many inequalities and equalities exist, by source and kind; released by the caller. */
static source_count *count_sources(const hcr_region *region) {
    const hcri_set *set = &region->set;
    source_count *count = hcri_allocate(&set->allocator, set->places, sizeof *count);
    for (size_t b = 0; count != NULL && b < set->blocks; b++)
        count_block(set, set->block[b], 0, count);
    for (size_t i = 0; count != NULL && i < set->equalities.rows.count; i++) {
        source_count *own = &count[set->equalities.source[i]];
        own->equalities++;
        for (int p = 0; p < 2; p++)
            own->exact[p] +=
                region->origin_proved && hcri_sum_grid_has(&region->grid[p], set, &region->affine, i, NULL);
    }
    return count;
}

static size_t total(const size_t kind[KINDS]) {
    size_t sum = 0;
    for (size_t k = 0; k < KINDS; k++)
        sum += kind[k];
    return sum;
}

static int is_dropped(const source_count *count) {
    return total(count->kind) + total(count->inner) + count->equalities + count->ranges == 0;
}

/* -------------------------------------------------------------------------------------------------------- warnings */

/* A bound such as 1e8 that seems to stand for none. */
static int is_uncertain(double bound) {
    if (!(fabs(bound) >= LEAST_UNCERTAIN) || isinf(bound))
        return 0;
    const double power = round(log10(fabs(bound)));
    return fabs(bound) == pow(10, power);
}

/* The next warning from output *j on; 0 when there is none. */
static int find_warning(const hcr_region *region, size_t *j, char *text, size_t capacity) {
    const hcri_set *set = &region->set;
    for (; *j < set->outputs; (*j)++) {
        const double lower = set->box->lower[*j], upper = set->box->upper[*j];
        const double bound = is_uncertain(upper) ? upper : lower;
        if (!is_uncertain(bound))
            continue;
        char name[64];
        hcri_set_column_name(set, *j, name, sizeof name);
        snprintf(text, capacity,
                 "%.40s is bounded by %g: if that stands for no bound, write inf, for the origin is put in the middle "
                 "of the bounds, here at %g",
                 name, bound, region->origin[*j]);
        (*j)++;
        return 1;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------------- for people */

static void write_source(hcri_report *report, const hcri_place *place, size_t number, const char *kind,
                         const char *indent) {
    hcri_report_write(report, "  %4d  %12zu  %-10s  %s%s\n", place->line, number, kind, indent, place->text);
}

static void write_kinds(hcri_report *report, const hcri_place *place, const size_t kind[KINDS], const char *indent) {
    for (size_t k = 0; k < KINDS; k++)
        if (kind[k] != 0)
            write_source(report, place, kind[k], name_of(k), indent);
}

static void write_sources(hcri_report *report, const hcri_set *set, const source_count *count) {
    hcri_report_write(report, "\n  line  inequalities  kind        source\n");
    int dropped = 0, inner = 0, without_room = 0;
    for (size_t p = 0; p < set->places; p++) {
        const hcri_place *place = &set->place[p];
        if (is_dropped(&count[p]) && place->line != 0) {
            const int is_named = strncmp(place->text, "let ", 4) == 0;
            dropped |= !is_named;
            write_source(report, place, 0, is_named ? "named" : "dropped", "");
        }
        write_kinds(report, place, count[p].kind, "");
        write_kinds(report, place, count[p].inner, "    ");
        if (count[p].equalities != 0) {
            write_source(report, place, count[p].equalities,
                         count[p].exact[HCR_DOUBLE] == count[p].equalities ? "exact sum" : "equality", "");
            without_room |= place->text[0] != '\0' && strstr(place->text, "==") == NULL;
        }
        if (count[p].ranges != 0)
            write_source(report, place, count[p].ranges, "range", "");
        inner |= total(count[p].inner) != 0;
    }
    if (dropped)
        hcri_report_write(report, "  (dropped: other lines say as much or more)\n");
    if (without_room)
        hcri_report_write(report, "  (an equality written with <= or >=: the other lines leave it no room)\n");
    if (inner)
        hcri_report_write(report, "  (indented: parts of the union or except above)\n");
}

static void write_points(hcri_report *report, const hcr_region *region) {
    const hcri_set *set = &region->set;
    const size_t n = set->outputs, shown = n <= SHOWN_OUTPUTS ? n : SHOWN_OUTPUTS;
    hcri_report_write(report, "\n  output               lower        origin         upper\n");
    for (size_t j = 0; j < shown; j++) {
        char name[64];
        hcri_set_column_name(set, j, name, sizeof name);
        hcri_report_write(report, "  %-12.40s  %12.6g  %12.6g  %12.6g\n", name, region->lower[j], region->origin[j],
                          region->upper[j]);
    }
    if (shown == n)
        return;
    double lower = INFINITY, upper = -INFINITY, origin_lower = INFINITY, origin_upper = -INFINITY;
    for (size_t j = 0; j < n; j++) {
        lower = fmin(lower, region->lower[j]);
        upper = fmax(upper, region->upper[j]);
        origin_lower = fmin(origin_lower, region->origin[j]);
        origin_upper = fmax(origin_upper, region->origin[j]);
    }
    hcri_report_write(report, "  … %zu more; all outputs lie between %g and %g, the origin's between %g and %g\n",
                      n - shown, lower, upper, origin_lower, origin_upper);
}

static void write_ranges(hcri_report *report, const hcr_region *region) {
    const size_t p = region->origin_map.parameters, shown = p <= SHOWN_OUTPUTS ? p : SHOWN_OUTPUTS;
    if (p == 0)
        return;
    hcri_report_write(report, "\n  parameter            lower                       upper\n");
    for (size_t k = 0; k < shown; k++) {
        char name[64];
        hcr_region_parameter_name(region, k, name, sizeof name);
        hcri_report_write(report, "  %-12.40s  %12.6g                %12.6g\n", name, region->origin_map.lower[k],
                          region->origin_map.upper[k]);
    }
    if (shown != p)
        hcri_report_write(report, "  … %zu more\n", p - shown);
}

static const char *const origin_forms[] = {
    [HCR_ORIGIN_FORM_FIXED] = "fixed", [HCR_ORIGIN_FORM_AFFINE] = "affine", [HCR_ORIGIN_FORM_CHECKED] = "checked"};

/* How the origin moves with the parameters. */
static void write_origin_map(hcri_report *report, const hcr_region *region) {
    static const char *const says[] = {
        [HCR_ORIGIN_FORM_FIXED] = "stays, strictly inside for all parameters of the range: proved",
        [HCR_ORIGIN_FORM_AFFINE] = "moves affinely with the parameters, strictly inside for all of the range: proved",
        [HCR_ORIGIN_FORM_CHECKED] =
            "is found for each sample: no point that moves affinely is inside for all parameters"};
    const hcr_origin_form form = hcr_region_origin_form(region);
    hcri_report_write(report, "              %s", says[form]);
    if (form == HCR_ORIGIN_FORM_CHECKED) {
        const double step = hcri_centre_step_cost(region);
        if (step != 0)
            hcri_report_write(
                report,
                "\n              the analytic centre of its bounds and rows, by steps of about %.0f multiply-adds each",
                step);
        else if (region->origins > 1)
            hcri_report_write(
                report,
                "\n              one of %zu, which its parameter \"origin\" names: it, or the next one that is inside",
                region->origins);
        else
            hcri_report_write(report, region->curvatures != NULL
                                          ? "\n              the analytic centre of its inequalities"
                                          : "\n              an affine guess, where that is inside");
    }
    hcri_report_write(report, "\n");
}

static const char *origin_choice(const hcr_region *region) {
    static const char *const names[] = {"the centre of a largest ball inside", "the analytic centre",
                                        "the mean of the targets, drawn inside", "given"};
    return region->origin_choice < sizeof names / sizeof names[0] ? names[region->origin_choice] : "given";
}

/* How many equalities hold exactly, and for which parameters. */
static void write_exact(hcri_report *report, const hcr_region *region, const source_count *count) {
    size_t exact[2] = {0, 0};
    double step[2] = {0, 0};
    for (int p = 0; p < 2; p++) {
        for (size_t s = 0; s < region->set.places; s++)
            exact[p] += count[s].exact[p];
        for (size_t j = 0; exact[p] != 0 && j < region->set.outputs; j++)
            step[p] = fmax(step[p], region->grid[p].step[j]);
    }
    hcri_report_write(report, "exact sums    %zu of %zu in double precision, %zu in single", exact[HCR_DOUBLE],
                      region->set.equalities.rows.count, exact[HCR_SINGLE]);
    if (region->origin_map.parameters != 0 && exact[HCR_DOUBLE] + exact[HCR_SINGLE] != 0)
        hcri_report_write(report, ", for parameters that are multiples of %.3g, %.3g", step[HCR_DOUBLE],
                          step[HCR_SINGLE]);
    hcri_report_write(report, "\n");
}

static void write_shape(hcri_report *report, const hcr_region *region, const source_count *count) {
    const hcr_visibility *visibility = &region->visibility;
    if (region->affine.count != 0)
        hcri_report_write(report, "equalities    %zu, eliminated: %zu of %zu outputs stay free\n", region->affine.count,
                          region->set.outputs - region->affine.count, region->set.outputs);
    if (region->affine.count != 0)
        write_exact(report, region, count);
    if (region->varying_equalities != NULL)
        hcri_report_write(report,
                          "              their coefficients move with the parameters: each sample's are solved, and it "
                          "has no result\n              (outcome DEPENDENT) where they aren't certainly independent\n");
    hcri_report_write(report, "convex        %s\n", region->convex ? "yes" : "no: a star domain");
    if (!region->convex && visibility->proved)
        hcri_report_write(report, "visible       all of it, proved: every part of a union holds the origin\n");
    else if (!region->convex)
        hcri_report_write(report, "visible       checked, not proved: %llu of %llu points are hidden from %s\n",
                          (unsigned long long)visibility->points_hidden, (unsigned long long)visibility->points,
                          region->origins > 1 ? "all origins" : "the origin");
    hcri_report_write(report, "bounded       %s\n",
                      region->bounded             ? "yes"
                      : region->unbounded_allowed ? "no: unbounded directions are allowed"
                                                  : "no");
    hcri_report_write(report, "origin        %s\n", origin_choice(region));
    if (region->origin_map.parameters != 0)
        write_origin_map(report, region);
}

static void write_variables(hcri_report *report, const hcri_set *set, int parameters) {
    enum { MOST = 12 };
    size_t written = 0;
    for (size_t v = 0; v < set->variables; v++) {
        if (set->variable[v].parameter != parameters || written++ >= MOST)
            continue;
        hcri_report_write(report, " %s", set->variable[v].name);
        const hcri_variable *variable = &set->variable[v];
        if (variable->columns != 0)
            hcri_report_write(report, "[%zu, %zu]", variable->size / variable->columns, variable->columns);
        else if (!variable->scalar)
            hcri_report_write(report, "[%zu]", variable->size);
    }
    if (written > MOST)
        hcri_report_write(report, " and %zu more", written - MOST);
}

static void write_text(hcri_report *report, const hcr_region *region, const source_count *count) {
    const hcri_set *set = &region->set;
    hcri_report_write(report, "outputs       %zu:", set->outputs);
    write_variables(report, set, 0);
    if (region->origin_map.parameters != 0) {
        hcri_report_write(report, "\nparameters    %zu:", region->origin_map.parameters);
        write_variables(report, set, 1);
    }
    size_t all[KINDS] = {0};
    for (size_t p = 0; p < set->places; p++)
        for (size_t kind = 0; kind < KINDS; kind++)
            all[kind] += count[p].kind[kind];
    hcri_report_write(report, "\ninequalities  %zu", total(all));
    const char *separator = ": ";
    for (size_t kind = 0; kind < KINDS; kind++)
        if (all[kind] != 0) {
            hcri_report_write(report, "%s%zu %s", separator, all[kind], name_of(kind));
            separator = ", ";
            if (hcri_kind_of((uint32_t)kind) == set->linear->base.kind)
                hcri_report_write(report, " in %zu row%s with %zu coefficients", set->linear->rows.count,
                                  set->linear->rows.count == 1 ? "" : "s", hcri_rows_entries(&set->linear->rows));
        }
    hcri_report_write(report, "\n");
    write_shape(report, region, count);
    hcri_report_write(report, "inradius      ");
    hcri_report_number(report, region->inradius);
    hcri_report_write(report, "\nmargins       %.3g double, %.3g single", region->margin[HCR_DOUBLE],
                      region->margin[HCR_SINGLE]);
    if (region->verified_blocks[HCR_DOUBLE] != 0)
        hcri_report_write(report, "; results are verified against %zu of the constraints' blocks",
                          region->verified_blocks[HCR_DOUBLE]);
    const hcri_work decode = hcri_decode_cost(region);
    hcri_report_write(report, "\ndecode        about %.0f multiply-adds, %.0f bytes read\n", decode.multiply_adds,
                      decode.bytes);
    char warning[256];
    for (size_t j = 0; find_warning(region, &j, warning, sizeof warning);)
        hcri_report_write(report, "warning       %s\n", warning);
    write_points(report, region);
    write_ranges(report, region);
    write_sources(report, set, count);
}

/* ----------------------------------------------------------------------------------------------------- for programs */

static void write_json_numbers(hcri_report *report, const char *name, size_t count, const double *numbers) {
    hcri_report_write(report, "  \"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        hcri_report_write(report, i == 0 ? "" : ", ");
        hcri_report_json_number(report, numbers[i]);
    }
    hcri_report_write(report, "],\n");
}

static void write_json_sources(hcri_report *report, const hcri_set *set, const source_count *count) {
    hcri_report_write(report, "  \"sources\": [");
    const char *separator = "\n";
    for (size_t p = 0; p < set->places; p++) {
        if (is_dropped(&count[p]) && set->place[p].line == 0)
            continue;
        hcri_report_write(report, "%s    {\"file\": ", separator);
        hcri_report_json_string(report, set->place[p].file);
        hcri_report_write(report, ", \"line\": %d, \"column\": %d, \"text\": ", set->place[p].line,
                          set->place[p].column);
        hcri_report_json_string(report, set->place[p].text);
        for (size_t kind = 0; kind < HCRI_KINDS; kind++)
            hcri_report_write(report, ", \"%s\": %zu", name_of(kind), count[p].kind[kind]);
        hcri_report_write(
            report,
            ", \"equality\": %zu, \"exact_sums\": %zu, \"exact_sums_single\": %zu, \"range\": %zu, \"in_parts\": %zu}",
            count[p].equalities, count[p].exact[HCR_DOUBLE], count[p].exact[HCR_SINGLE], count[p].ranges,
            total(count[p].inner));
        separator = ",\n";
    }
    hcri_report_write(report, "\n  ],\n");
}

static const char *truth(int value) { return value ? "true" : "false"; }

static void write_json_variables(hcri_report *report, const char *name, const hcri_set *set, int parameters) {
    const char *separator = "";
    hcri_report_write(report, "  \"%s\": [", name);
    for (size_t v = 0; v < set->variables; v++) {
        if (set->variable[v].parameter != parameters)
            continue;
        const hcri_variable *variable = &set->variable[v];
        hcri_report_write(report, "%s{\"name\": \"%s\", \"size\": %zu, \"scalar\": %s", separator, variable->name,
                          variable->size, truth(variable->scalar));
        if (variable->columns != 0)
            hcri_report_write(report, ", \"columns\": %zu", variable->columns);
        hcri_report_write(report, "}");
        separator = ", ";
    }
    hcri_report_write(report, "],\n");
}

static void write_json(hcri_report *report, const hcr_region *region, const source_count *count) {
    const hcri_set *set = &region->set;
    const hcr_visibility *visibility = &region->visibility;
    hcri_report_write(report, "{\n  \"outputs\": %zu,\n", set->outputs);
    write_json_variables(report, "variables", set, 0);
    write_json_variables(report, "parameters", set, 1);
    write_json_numbers(report, "parameter_lower", region->origin_map.parameters, region->origin_map.lower);
    write_json_numbers(report, "parameter_upper", region->origin_map.parameters, region->origin_map.upper);
    write_json_sources(report, set, count);
    hcri_report_write(report,
                      "  \"equalities\": %zu,\n  \"free_outputs\": %zu,\n  \"convex\": %s,\n  \"visibility\": "
                      "{\"proved\": %s, \"points\": %llu, \"points_hidden\": %llu},\n  \"bounded\": %s,\n"
                      "  \"unbounded_allowed\": %s,\n",
                      region->affine.count, set->outputs - region->affine.count, truth(region->convex),
                      truth(region->convex || visibility->proved), (unsigned long long)visibility->points,
                      (unsigned long long)visibility->points_hidden, truth(region->bounded),
                      truth(region->unbounded_allowed));
    hcri_report_write(report, "  \"origin_choice\": \"%s\",\n", origin_choice(region));
    hcri_report_write(report, "  \"origin_form\": \"%s\",\n", origin_forms[hcr_region_origin_form(region)]);
    write_json_numbers(report, "origin", set->outputs, region->origin);
    write_json_numbers(report, "lower", set->outputs, region->lower);
    write_json_numbers(report, "upper", set->outputs, region->upper);
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
    hcri_report_write(report, "  \"warnings\": [");
    char warning[256];
    const char *separator = "";
    for (size_t j = 0; find_warning(region, &j, warning, sizeof warning); separator = ", ") {
        hcri_report_write(report, "%s", separator);
        hcri_report_json_string(report, warning);
    }
    const hcri_work decode = hcri_decode_cost(region);
    hcri_report_write(
        report, "],\n  \"verified_blocks\": %zu,\n  \"decode_multiply_adds\": %.0f,\n  \"decode_bytes\": %.0f\n}\n",
        region->verified_blocks[HCR_DOUBLE], decode.multiply_adds, decode.bytes);
}

hcr_status hcr_region_explain(const hcr_region *region, bool json, char **text, hcr_error *error) {
    HCRI_FAIL_IF(region == NULL || text == NULL, HCR_ERROR_ARGUMENT, "region or text is NULL");
    *text = NULL;
    source_count *count = count_sources(region);
    HCRI_ALLOCATED(count);
    hcri_report report = {0};
    (json ? write_json : write_text)(&report, region, count);
    hcri_release(&region->set.allocator, count);
    return hcri_report_take(&report, text, error);
}
