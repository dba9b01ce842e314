#include "origin/constraint_words.h"
#include "base/vector.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "origin/equalities/reduction.h"

/* Appends to text, cut to `capacity`. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t capacity, const char *format, ...) {
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    hcri_format(text + used, capacity - used, format, arguments);
    va_end(arguments);
}

/* "+ 2 y[0]" … without the sign and blanks where it comes first, without a coefficient of 1. */
static void append_term(const hcri_set *set, double coefficient, size_t j, char *text, size_t capacity) {
    char name[128], number[32];
    hcri_set_column_name(set, j, name, sizeof name);
    hcri_number_write(number, fabs(coefficient), 0);
    const int first = text[0] == '\0', one = fabs(coefficient) == 1;
    append(text, capacity, "%s%s%s%s",
           first             ? (coefficient < 0 ? "-" : "")
           : coefficient < 0 ? " - "
                             : " + ",
           one ? "" : number, one ? "" : " ", name);
}

static void write_row(const hcri_set *set, const hcri_rows *rows, size_t row, char *text, size_t capacity) {
    enum { MOST_TERMS = 4 };
    const hcri_row terms = hcri_rows_row(rows, row);
    text[0] = '\0';
    for (size_t k = 0; k < terms.count && k < MOST_TERMS; k++)
        append_term(set, terms.values[k], terms.columns[k], text, capacity);
    if (terms.count > MOST_TERMS)
        append(text, capacity, " + ... (%zu terms)", terms.count);
}

/* "file:line: text (inequality)" */
static void describe(const hcri_place *place, const char *inequality, char *text, size_t capacity) {
    text[0] = '\0';
    if (place->file[0] != '\0')
        append(text, capacity, "%s:%d: ", place->file, place->line);
    if (place->text[0] == '\0')
        append(text, capacity, "%s", inequality);
    else
        append(text, capacity, "%.200s%s (%s)", place->text, strlen(place->text) > 200 ? "..." : "", inequality);
}

void hcri_describe_constraint(const hcri_set *set, uint32_t i, char *text, size_t capacity) {
    if (set->reduction != NULL) {
        hcri_describe_constraint(set->reduction->original, hcri_reduction_original(set->reduction, i), text, capacity);
        return;
    }
    size_t local;
    const hcri_constraint *block = hcri_set_block_of(set, i, &local);
    char inequality[512] = "", bound[32];
    const int upper = local % 2 == 0;
    if (block == set->block[0]) {
        append_term(set, 1, local / 2, inequality, sizeof inequality);
        hcri_number_write(bound, (upper ? set->box->upper : set->box->lower)[local / 2], 0);
    } else if (block == set->block[1]) {
        write_row(set, &set->linear->rows, local / 2, inequality, sizeof inequality);
        hcri_number_write(bound, (upper ? set->linear->upper : set->linear->lower)[local / 2], 0);
    }
    if (inequality[0] == '\0')
        append(inequality, sizeof inequality, "%s", block->kind->words);
    else
        append(inequality, sizeof inequality, " %s %s", upper ? "<=" : ">=", bound);
    describe(&set->place[block->source[local]], inequality, text, capacity);
}

void hcri_describe_equality(const hcri_set *set, size_t e, char *text, size_t capacity) {
    char equality[512], right[32];
    write_row(set, &set->equalities.rows, e, equality, sizeof equality);
    hcri_number_write(right, set->equalities.right[e], 0);
    append(equality, sizeof equality, "%s == %s", equality[0] == '\0' ? "0" : "", right);
    describe(&set->place[set->equalities.source[e]], equality, text, capacity);
}

void hcri_describe_direction(const hcri_set *set, const double *direction, char *text, size_t capacity) {
    enum { MOST_TERMS = 6 };
    if (set->reduction != NULL) {
        hcri_reduction_lift(set->reduction, direction, set->reduction->lifted);
        hcri_describe_direction(set->reduction->original, set->reduction->lifted, text, capacity);
        return;
    }
    const double largest = hcri_max_norm(set->n, direction);
    text[0] = '\0';
    size_t shown = 0, terms = 0;
    /* Two decimals say which way it goes; what rounds to 0 isn't part of it. */
    for (size_t j = 0; j < set->n; j++) {
        const double part = round(100 * direction[j] / largest) / 100;
        if (part == 0)
            continue;
        terms++;
        if (shown < MOST_TERMS) {
            char name[128], number[32];
            hcri_set_column_name(set, j, name, sizeof name);
            hcri_number_write(number, fabs(part), 0);
            append(text, capacity, "%s%c%s%s%s", shown == 0 ? "" : " ", part < 0 ? '-' : '+',
                   fabs(part) == 1 ? "" : number, fabs(part) == 1 ? "" : " ", name);
            shown++;
        }
    }
    if (terms > shown)
        append(text, capacity, " and %zu more", terms - shown);
}
