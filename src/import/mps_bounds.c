#include "import/mps_bounds.h"

#include <math.h>
#include <string.h>

enum { LOWER = 1, UPPER = 2, VALUE = 4, INTEGER = 8, SEMICONTINUOUS = 16 };

static const struct bound_type {
    const char *word;
    int sets;
} types[] = {
    {"UP", UPPER | VALUE},
    {"LO", LOWER | VALUE},
    {"FX", LOWER | UPPER | VALUE},
    {"MI", LOWER},
    {"PL", UPPER},
    {"FR", LOWER | UPPER},
    {"BV", LOWER | UPPER | INTEGER},
    {"LI", LOWER | VALUE | INTEGER},
    {"UI", UPPER | VALUE | INTEGER},
    {"SC", UPPER | VALUE | SEMICONTINUOUS},
    {"SI", UPPER | VALUE | SEMICONTINUOUS | INTEGER},
};

static const struct bound_type *find_type(hcri_field word) {
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        if (hcri_field_is(word, types[t].word))
            return &types[t];
    return NULL;
}

static int is_column(const hcr_import *import, hcri_field name) {
    return hcri_index_find(&import->column_names, name.text, name.length) != SIZE_MAX;
}

typedef struct bound_fields {
    hcri_field set, column, number;
} bound_fields;

/* In the free form the set may be left out, and those types that need no number may have one. */
static bound_fields find_fields(hcr_import *import, const struct bound_type *type, int fixed, const hcri_field *field,
                                size_t count, int line) {
    const hcri_field none = {"", 0};
    const int needs_number = (type->sets & VALUE) != 0;
    bound_fields found = {.set = none};
    if (count == 4) {
        found = (bound_fields){field[1], field[2], field[3]};
    } else if (fixed ||
               (count == 3 && is_column(import, field[2]) && (!needs_number || !is_column(import, field[1])))) {
        found = (bound_fields){.set = field[1], .column = field[2]};
    } else if (count == 3) {
        found = (bound_fields){none, field[1], field[2]};
    } else if (count == 2 && !needs_number) {
        found = (bound_fields){.set = none, .column = field[1]};
    } else {
        hcri_import_refuse(import, HCR_ERROR_SYNTAX, line,
                           "%zu fields: a line of BOUNDS has a type, the name of the set, a column%s", count,
                           needs_number ? " and a number" : "");
    }
    if (needs_number && found.number.text == NULL)
        hcri_import_refuse(import, HCR_ERROR_SYNTAX, line, "a bound of type %s needs a number", type->word);
    return found;
}

static void apply(hcr_import *import, const struct bound_type *type, size_t j, double value, int line) {
    hcri_column *column = &import->column[j];
    const int sets = type->sets;
    double lower = sets & VALUE ? value : sets & INTEGER ? 0 : -INFINITY;
    double upper = sets & VALUE ? value : sets & INTEGER ? 1 : INFINITY;
    if (sets & SEMICONTINUOUS && upper == 0) /* none, where it is said so */
        upper = INFINITY;
    column->integer |= (sets & INTEGER) != 0;
    column->semicontinuous |= (sets & SEMICONTINUOUS) != 0;
    hcri_import_bound(import, j, sets & LOWER ? &lower : NULL, sets & UPPER ? &upper : NULL, line);
}

void hcri_bounds_read(hcri_bounds *bounds, hcr_import *import, int fixed, const hcri_field *field, size_t count,
                      int line) {
    const struct bound_type *type = find_type(field[0]);
    if (type == NULL)
        hcri_import_refuse(import, HCR_ERROR_SYNTAX, line,
                           "\"%s\" is no type of bound: UP, LO, FX, FR, MI, PL, BV, LI, UI, SC and SI are",
                           hcri_show_field(field[0]).text);
    const bound_fields f = find_fields(import, type, fixed, field, count, line);
    if (bounds->set.text == NULL)
        bounds->set = f.set;
    if (bounds->set.length != f.set.length || memcmp(bounds->set.text, f.set.text, f.set.length) != 0) {
        bounds->other_sets++;
        return;
    }
    const size_t j = hcri_index_find(&import->column_names, f.column.text, f.column.length);
    if (j == SIZE_MAX)
        hcri_import_refuse(import, HCR_ERROR_NAME, line, "there is no column \"%s\" in COLUMNS",
                           hcri_show_field(f.column).text);
    double value = 0;
    if (type->sets & VALUE)
        value = hcri_import_number(import, f.number, "the bound", 1, line);
    apply(import, type, j, value, line);
}

/* Integer columns, so far those between markers, of which no bound is said: they are binary (D15). */
static size_t bound_binaries(hcr_import *import) {
    size_t count = 0;
    for (size_t j = 0; j < import->columns; j++) {
        hcri_column *column = &import->column[j];
        if (!column->integer || column->lower_line != 0 || column->upper_line != 0)
            continue;
        column->upper = 1;
        count++;
    }
    return count;
}

static size_t free_negatives(hcr_import *import) {
    size_t count = 0;
    for (size_t j = 0; j < import->columns; j++)
        if (import->column[j].lower_line == 0 && import->column[j].upper < 0) {
            import->column[j].lower = -INFINITY;
            count++;
        }
    return count;
}

void hcri_bounds_finish(hcr_import *import) {
    const size_t binaries = bound_binaries(import), freed = free_negatives(import);
    if (binaries > 0)
        hcri_import_note(import, "integer columns between markers that have no bounds are 0 to 1, as MPS has it: %zu",
                         binaries);
    if (freed > 0)
        hcri_import_note(import,
                         "columns with a negative upper bound and no lower one reach to -infinity, as MPS has it: %zu",
                         freed);
}
