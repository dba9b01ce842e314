#include "import/problem.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "kinds/kind.h"

void hcri_import_refuse(hcr_import *import, hcr_status status, int line, const char *format, ...) {
    char text[sizeof import->error->text];
    va_list arguments;
    va_start(arguments, format);
    hcri_format(text, sizeof text, format, arguments);
    va_end(arguments);
    import->status = hcri_fail_at(import->error, status, import->file, line, 0, "%s", text);
    longjmp(import->refused, 1);
}

void hcri_import_refuse_memory(hcr_import *import) {
    import->status = hcri_fail_memory(import->error);
    longjmp(import->refused, 1);
}

void *hcri_import_take(hcr_import *import, size_t count, size_t size) {
    void *memory = hcri_arena_take(&import->arena, count, size);
    if (memory == NULL)
        hcri_import_refuse_memory(import);
    return memory;
}

char *hcri_import_copy(hcr_import *import, hcri_field name) {
    return memcpy(hcri_import_take(import, name.length + 1, 1), name.text, name.length);
}

void hcri_import_extend(hcr_import *import, void *array, size_t *capacity, size_t needed, size_t size) {
    if (!hcri_grow(&import->pool.own, array, capacity, needed, size))
        hcri_import_refuse_memory(import);
}

void hcri_import_index(hcr_import *import, hcri_index *index, hcri_field name, size_t number) {
    if (!hcri_index_add(index, &import->pool.own, name.text, name.length, number))
        hcri_import_refuse_memory(import);
}

size_t hcri_import_add_column(hcr_import *import, hcri_field name) {
    const size_t number = import->columns;
    if (number >= UINT32_MAX / 4)
        hcri_import_refuse(import, HCR_ERROR_UNSUPPORTED, 0, "more than 2^30 columns");
    HCRI_IMPORT_EXTEND(import, import->column, &import->column_capacity, number + 1);
    char *copy = hcri_import_copy(import, name);
    hcri_import_index(import, &import->column_names, (hcri_field){copy, name.length}, number);
    import->column[import->columns++] = (hcri_column){.name = copy, .lower = 0, .upper = INFINITY};
    return number;
}

static void set_side(hcr_import *import, const hcri_column *column, const char *side, double value, double *bound,
                     int line, int *bound_line) {
    if (*bound_line != 0)
        hcri_import_refuse(import, HCR_ERROR_NAME, line, "column \"%s\" has its %s bound already, from line %d",
                           hcri_show_name(column->name).text, side, *bound_line);
    *bound = value;
    *bound_line = line;
}

void hcri_import_bound(hcr_import *import, size_t column, const double *lower, const double *upper, int line) {
    hcri_column *c = &import->column[column];
    if (lower != NULL)
        set_side(import, c, "lower", *lower, &c->lower, line, &c->lower_line);
    if (upper != NULL)
        set_side(import, c, "upper", *upper, &c->upper, line, &c->upper_line);
}

size_t hcri_import_add_form(hcr_import *import) {
    if (import->forms >= UINT32_MAX)
        hcri_import_refuse(import, HCR_ERROR_UNSUPPORTED, 0, "more than 2^32 rows");
    HCRI_IMPORT_EXTEND(import, import->constant, &import->form_capacity, import->forms + 1);
    import->constant[import->forms] = 0;
    return import->forms++;
}

void hcri_import_add_term(hcr_import *import, size_t form, size_t column, double value, int line) {
    HCRI_IMPORT_EXTEND(import, import->term, &import->term_capacity, import->terms + 1);
    import->term[import->terms++] = (hcri_coefficient){(uint32_t)form, (uint32_t)column, value, line};
}

void hcri_import_add_relation(hcr_import *import, const hcri_relation *relation) {
    HCRI_IMPORT_EXTEND(import, import->relation, &import->relation_capacity, import->relations + 1);
    import->relation[import->relations++] = *relation;
}

void hcri_import_note(hcr_import *import, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    hcri_format(text, sizeof text, format, arguments);
    va_end(arguments);
    HCRI_IMPORT_EXTEND(import, import->notice, &import->notice_capacity, import->notices + 1);
    import->notice[import->notices++] = hcri_import_copy(import, (hcri_field){text, strlen(text)});
}

/* -------------------------------------------------------------------------------------------------------- numbers */

double hcri_import_number(hcr_import *import, hcri_field field, const char *what, int infinite, int line) {
    char plain[128];
    const char *text = field.text;
    const size_t length = field.length;
    if (infinite && hcri_field_is(field, "INF|+INF|-INF|INFINITY|+INFINITY|-INFINITY"))
        return text[0] == '-' ? -INFINITY : INFINITY;
    double value;
    size_t used = hcri_number_read(text, length, &value);
    if (used > 0 && used < length && (text[used] | 0x20) == 'd' && length < sizeof plain) {
        memcpy(plain, text, length);
        plain[used] = 'e';
        used = hcri_number_read(plain, length, &value);
    }
    if (used == 0 || used != length)
        hcri_import_refuse(import, HCR_ERROR_DATA, line, "%s is \"%s\", which is no number", what,
                           hcri_show_field(field).text);
    int zero = 1;
    for (size_t i = 0; i < length && (text[i] | 0x20) != 'e' && (text[i] | 0x20) != 'd'; i++)
        zero &= text[i] < '1' || text[i] > '9';
    if (isinf(value) || (value == 0 && !zero))
        hcri_import_refuse(import, HCR_ERROR_DATA, line, "%s is %s, which is too %s for a double", what,
                           hcri_show_field(field).text, zero || value != 0 ? "large" : "small");
    if (!infinite && fabs(value) > HCRI_LARGEST_COEFFICIENT)
        hcri_import_refuse(import, HCR_ERROR_DATA, line, "%s is %s: at most 1e50 is accepted", what,
                           hcri_show_field(field).text);
    return value;
}

/* The rounding error of a + b is exact by Knuth's TwoSum: its sign says on which side the sum lies. */
static double sum_error(double a, double b) {
    const double sum = a + b, part = sum - a;
    return (a - (sum - part)) + (b - part);
}

double hcri_lower_sum(double a, double b) {
    const double sum = a + b;
    return isfinite(sum) && sum_error(a, b) > 0 ? nextafter(sum, INFINITY) : sum;
}

double hcri_upper_sum(double a, double b) {
    const double sum = a + b;
    return isfinite(sum) && sum_error(a, b) < 0 ? nextafter(sum, -INFINITY) : sum;
}

/* --------------------------------------------------------------------------------------------------------- finish */

static int by_form(const void *left, const void *right) {
    const hcri_coefficient *a = left, *b = right;
    if (a->form != b->form)
        return a->form < b->form ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static void sort_terms(hcr_import *import) {
    hcri_coefficient *term = import->term;
    if (import->terms != 0)
        qsort(term, import->terms, sizeof *term, by_form);
    import->start = hcri_import_take(import, import->forms + 1, sizeof *import->start);
    size_t kept = 0;
    for (size_t k = 0; k < import->terms; k++) {
        if (k > 0 && term[k].form == term[k - 1].form && term[k].column == term[k - 1].column) {
            const char *name = import->column[import->column_of[term[k].column]].name;
            hcri_import_refuse(import, HCR_ERROR_NAME, term[k].line,
                               "column \"%s\" is twice in this row, the first time in line %d: add the two up",
                               hcri_show_name(name).text, term[k - 1].line);
        }
    }
    for (size_t k = 0; k < import->terms; k++)
        if (term[k].value != 0)
            term[kept++] = term[k];
    import->terms = kept;
    for (size_t k = 0; k < kept; k++)
        import->start[term[k].form + 1]++;
    for (size_t i = 0; i < import->forms; i++)
        import->start[i + 1] += import->start[i];
}

/* ±1e20 and beyond are none. */
static void check_bounds(hcr_import *import, const char *what, const char *name, int line, double *lower,
                         double *upper) {
    const hcri_shown shown = hcri_show_name(name);
    if (*lower >= HCRI_NO_BOUND || *upper <= -HCRI_NO_BOUND)
        hcri_import_refuse(import, HCR_ERROR_EMPTY, line, "no number satisfies the infinite bound of %s \"%s\"", what,
                           shown.text);
    if (*lower <= -HCRI_NO_BOUND)
        *lower = -INFINITY;
    if (*upper >= HCRI_NO_BOUND)
        *upper = INFINITY;
    if (*lower > *upper)
        hcri_import_refuse(import, HCR_ERROR_EMPTY, line,
                           "%s \"%s\" has the lower bound %.17g, which is above its upper bound %.17g", what,
                           shown.text, *lower, *upper);
}

/* Rows that say nothing are dropped, those without columns that can't hold refused. */
static void check_rows(hcr_import *import) {
    size_t kept = 0, unbounded = 0, without = 0;
    for (size_t i = 0; i < import->relations; i++) {
        hcri_relation *row = &import->relation[i];
        int says = 1;
        if (row->kind == HCRI_RELATION_ROW) {
            check_bounds(import, "row", row->name, row->line, &row->lower, &row->upper);
            const int is_unbounded = isinf(row->lower) && isinf(row->upper);
            const int is_empty = import->start[row->first] == import->start[row->first + 1];
            if (is_empty && (row->lower > 0 || row->upper < 0)) {
                hcri_import_refuse(import, HCR_ERROR_EMPTY, row->line,
                                   "row \"%s\" has no columns, and its bounds exclude 0",
                                   hcri_show_name(row->name).text);
            }
            unbounded += (size_t)is_unbounded;
            without += (size_t)(is_empty && !is_unbounded);
            says = !is_unbounded && !is_empty;
        }
        if (says)
            import->relation[kept++] = *row;
    }
    import->relations = kept;
    if (unbounded > 0)
        hcri_import_note(import, "rows without bounds are left out: %zu", unbounded);
    if (without > 0)
        hcri_import_note(import, "rows without columns are left out: %zu", without);
}

static void check_columns(hcr_import *import) {
    size_t integers = 0, semicontinuous = 0;
    for (size_t j = 0; j < import->columns; j++) {
        hcri_column *column = &import->column[j];
        integers += (size_t)column->integer;
        if (column->semicontinuous) { /* 0, or between its bounds: everything from 0 on is the smallest convex set */
            column->lower = fmin(column->lower, 0);
            column->upper = fmax(column->upper, 0);
            semicontinuous++;
        }
        const int line = column->upper_line > column->lower_line ? column->upper_line : column->lower_line;
        check_bounds(import, "column", column->name, line, &column->lower, &column->upper);
    }
    if (integers > 0)
        hcri_import_note(import, "integrality is ignored, of columns: %zu", integers);
    if (semicontinuous > 0)
        hcri_import_note(import, "semi-continuous columns may have every value from 0 on: %zu", semicontinuous);
}

void hcri_import_finish(hcr_import *import) {
    if (import->columns == 0)
        hcri_import_refuse(import, HCR_ERROR_DATA, 0, "there are no columns: nothing to be an output");
    check_columns(import);
    hcri_import_name(import);
    for (size_t k = 0; k < import->terms; k++)
        import->term[k].column = import->column[import->term[k].column].output;
    sort_terms(import);
    check_rows(import);
}
