/* CBF, the Conic Benchmark Format (Friberg, 2016), versions 1 to 4. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/problem.h"

enum { LATEST = 4, MOST_COLUMNS = 10000000, LARGEST_MATRIX = 4096, MOST_WEIGHTS = 100 };

typedef struct power { /* a power cone that is declared: its weights are import->weight[first] … */
    size_t first, bases;
} power;

typedef struct matrices { /* of PSDCON or PSDVAR: the relations from first on, with forms from first_form on */
    size_t count, first, first_form;
    size_t first_column; /* of PSDVAR: each form is a column */
} matrices;

typedef struct reader {
    hcr_import *import;
    hcri_lines lines;
    hcri_shown section;
    size_t rows, first_row;         /* of CON; the form of row i is first_row + i */
    size_t variables, first_column; /* of VAR */
    matrices constraint, variable;
    int has_rows, has_columns;
    size_t powers[2], power_capacity[2];
    power *power[2]; /* of POWCONES, of POW*CONES */
} reader;

#define REFUSE(r, status, ...) hcri_import_refuse((r)->import, status, (r)->lines.number, __VA_ARGS__)

/* The next line that has something on it, with exactly `count` fields. */
static void next(reader *r, size_t count, hcri_field *field) {
    for (;;) {
        if (!hcri_lines_next(&r->lines))
            REFUSE(r, HCR_ERROR_FORMAT, "the file ends in the section %s: it is cut short", r->section.text);
        if (r->lines.line.length == 0 || r->lines.line.text[0] == '#')
            continue;
        const size_t found = hcri_lines_split(r->lines.line, count, field);
        if (found != count)
            REFUSE(r, HCR_ERROR_SYNTAX, "%zu fields: a line of %s has %zu here", found, r->section.text, count);
        return;
    }
}

/* A whole number below `limit`. */
static size_t whole(reader *r, hcri_field field, const char *what, size_t limit) {
    size_t value = 0;
    for (size_t i = 0; i < field.length; i++) {
        if (field.text[i] < '0' || field.text[i] > '9')
            REFUSE(r, HCR_ERROR_SYNTAX, "%s is a whole number, not \"%s\"", what, hcri_show_field(field).text);
        if (value <= limit)
            value = 10 * value + (size_t)(field.text[i] - '0');
    }
    if (value >= limit)
        REFUSE(r, HCR_ERROR_SHAPE, "%s is %s, and must be below %zu", what, hcri_show_field(field).text, limit);
    return value;
}

static double number(reader *r, hcri_field field) {
    return hcri_import_number(r->import, field, "the value", 0, r->lines.number);
}

/* --------------------------------------------------------------------------------------------------------- cones */

/* "@2:POW" and "@2:POW*": the relation's kind and weights; 0 when the field is no such thing. */
static int find_power(const reader *r, hcri_field cone, hcri_relation *relation) {
    size_t number = 0, at = 1;
    if (cone.length == 0 || cone.text[0] != '@')
        return 0;
    for (; at < cone.length && cone.text[at] >= '0' && cone.text[at] <= '9' && number < MOST_COLUMNS; at++)
        number = 10 * number + (size_t)(cone.text[at] - '0');
    const hcri_field rest = {cone.text + at, cone.length - at};
    const int is_dual = hcri_field_find(rest, ":POW|:POW*");
    if (at == 1 || is_dual < 0 || number >= r->powers[is_dual])
        return 0;
    relation->kind = is_dual ? HCRI_RELATION_POWER_DUAL : HCRI_RELATION_POWER;
    relation->first_weight = r->power[is_dual][number].first;
    relation->size = r->power[is_dual][number].bases;
    return 1;
}

/* The kind of a cone that is no list of bounds, and the fewest dimensions that it has; 0 when there is none. */
static size_t find_kind(const reader *r, hcri_field cone, hcri_relation *relation) {
    static const struct {
        hcri_relation_kind kind;
        size_t least;
    } kinds[] = {
        {HCRI_RELATION_CONE, 1}, {HCRI_RELATION_ROTATED, 2}, {HCRI_RELATION_EXP, 3}, {HCRI_RELATION_EXP_DUAL, 3}};
    const int k = hcri_field_find(cone, "Q|QR|EXP|EXP*");
    if (k >= 0) {
        relation->kind = kinds[k].kind;
        return kinds[k].least;
    }
    return find_power(r, cone, relation) ? relation->size + 1 : 0;
}

/* Which sides of 0 a cone bounds, 1: from below, 2: from above; -1 for one that is no list of bounds. */
static int find_sides(hcri_field cone) { return hcri_field_find(cone, "F|L+|L-|L="); }

/* Puts `size` forms from `first` on into a cone; their constants count. */
static void add_cone(reader *r, hcri_field cone, size_t first, size_t size) {
    hcri_relation relation = {.name = "", .first = first, .forms = size, .line = r->lines.number};
    const size_t least = find_kind(r, cone, &relation);
    if (least > 0) {
        const int is_exact = relation.kind == HCRI_RELATION_EXP || relation.kind == HCRI_RELATION_EXP_DUAL;
        if (size < least || (is_exact && size != least))
            REFUSE(r, HCR_ERROR_SHAPE, "a cone %s has %zu%s dimensions", hcri_show_field(cone).text, least,
                   is_exact ? "" : " or more");
        hcri_import_add_relation(r->import, &relation);
        return;
    }
    const int sides = find_sides(cone);
    if (sides < 0)
        REFUSE(r, HCR_ERROR_UNSUPPORTED,
               "the cone %s isn't read: F, L+, L-, L=, Q, QR, EXP, EXP*, and @k:POW and @k:POW* of "
               "those that are declared, are",
               hcri_show_field(cone).text);
    for (size_t i = 0; i < size && sides > 0; i++) {
        relation = (hcri_relation){.kind = HCRI_RELATION_ROW,
                                   .first = first + i,
                                   .forms = 1,
                                   .lower = sides & 1 ? 0 : -INFINITY,
                                   .upper = sides & 2 ? 0 : INFINITY,
                                   .name = "",
                                   .line = r->lines.number};
        hcri_import_add_relation(r->import, &relation);
    }
}

/* A free column "base[i]". */
static size_t add_column(reader *r, const char *base, size_t i) {
    char name[64];
    const int length = snprintf(name, sizeof name, "%s[%zu]", base, i);
    const size_t j = hcri_import_add_column(r->import, (hcri_field){name, (size_t)length});
    r->import->column[j].lower = -INFINITY;
    return j;
}

/* Variables in a cone of dimension `size`: bounds where that says it. */
static void add_variables(reader *r, hcri_field cone, size_t size) {
    hcr_import *import = r->import;
    const size_t first = import->columns;
    for (size_t i = 0; i < size; i++)
        add_column(r, "x", r->variables++);
    const int sides = find_sides(cone);
    const double bound = 0;
    for (size_t i = 0; i < size && sides > 0; i++)
        hcri_import_bound(import, first + i, sides & 1 ? &bound : NULL, sides & 2 ? &bound : NULL, r->lines.number);
    if (sides >= 0)
        return;
    const size_t form = import->forms;
    for (size_t i = 0; i < size; i++) {
        hcri_import_add_form(import);
        hcri_import_add_term(import, form + i, first + i, 1, r->lines.number);
    }
    add_cone(r, cone, form, size);
}

/* VAR and CON: how many in all and in how many cones, then each cone with its dimension. */
static void read_cones(reader *r, int are_variables) {
    hcri_field field[2];
    size_t used = 0;
    if (are_variables ? r->has_columns : r->has_rows)
        REFUSE(r, HCR_ERROR_NAME, "a second section %s", r->section.text);
    next(r, 2, field);
    const size_t total = whole(r, field[0], "the number of all", MOST_COLUMNS + 1);
    const size_t cones = whole(r, field[1], "the number of cones", MOST_COLUMNS + 1);
    if (are_variables) {
        r->has_columns = 1;
        r->first_column = r->import->columns;
    } else {
        r->has_rows = 1;
        r->rows = total;
        r->first_row = r->import->forms;
        for (size_t i = 0; i < total; i++)
            hcri_import_add_form(r->import);
    }
    for (size_t k = 0; k < cones; k++) {
        next(r, 2, field);
        const size_t size = whole(r, field[1], "the dimension of a cone", total - used + 1);
        if (are_variables)
            add_variables(r, field[0], size);
        else
            add_cone(r, field[0], r->first_row + used, size);
        used += size;
    }
    if (used != total)
        REFUSE(r, HCR_ERROR_SHAPE, "the cones of %s have %zu dimensions together, not %zu", r->section.text, used,
               total);
}

/* Weights as whole numbers in the same ratios, exact to within their rounding. */
static void scale_weights(reader *r, size_t count, const double *weight, uint32_t *whole) {
    double least = weight[0];
    for (size_t i = 1; i < count; i++)
        least = fmin(least, weight[i]);
    for (int of_least = 1; of_least <= MOST_WEIGHTS; of_least++) {
        double total = 0, off = 0;
        for (size_t i = 0; i < count; i++) {
            const double scaled = weight[i] / least * of_least;
            whole[i] = (uint32_t)fmin(round(scaled), MOST_WEIGHTS + 1);
            off = fmax(off, fabs(scaled - whole[i]) / scaled);
            total += whole[i];
        }
        if (off <= 0x1p-50 && total <= MOST_WEIGHTS)
            return;
    }
    REFUSE(r, HCR_ERROR_UNSUPPORTED,
           "the exponents of a power cone must be in ratios of whole numbers that add up to at most %d: "
           "others have no product of powers in the language",
           MOST_WEIGHTS);
}

/* POWCONES and POW*CONES: how many, and how many weights in all; for each how many it has, then a line for each. */
static void read_powers(reader *r, int are_dual) {
    hcr_import *import = r->import;
    hcri_field field[2];
    next(r, 2, field);
    const size_t cones = whole(r, field[0], "the number of cones", MOST_COLUMNS + 1);
    size_t total = whole(r, field[1], "the number of weights", MOST_COLUMNS + 1);
    for (size_t k = 0; k < cones; k++) {
        double weight[MOST_WEIGHTS];
        next(r, 1, field);
        const size_t count = whole(r, field[0], "the number of weights of a power cone", MOST_WEIGHTS + 1);
        for (size_t i = 0; i < count; i++) {
            next(r, 1, field);
            weight[i] = number(r, field[0]);
            if (!(weight[i] > 0))
                REFUSE(r, HCR_ERROR_DATA, "a weight of a power cone is above 0, not %g", weight[i]);
        }
        if (count == 0)
            REFUSE(r, HCR_ERROR_SHAPE, "a power cone has one weight or more");
        HCRI_IMPORT_EXTEND(import, import->weight, &import->weight_capacity, import->weights + count);
        HCRI_IMPORT_EXTEND(import, r->power[are_dual], &r->power_capacity[are_dual], r->powers[are_dual] + 1);
        scale_weights(r, count, weight, import->weight + import->weights);
        r->power[are_dual][r->powers[are_dual]++] = (power){import->weights, count};
        import->weights += count;
        total = total < count ? SIZE_MAX : total - count;
    }
    if (total != 0)
        REFUSE(r, HCR_ERROR_SHAPE, "the power cones don't have as many weights as %s says", r->section.text);
}

/* PSDCON, or PSDVAR: the lower triangle of matrix k, row by row, is the variable "Xk". */
static void read_matrices(reader *r, matrices *group, int are_variables) {
    hcri_field field;
    hcr_import *import = r->import;
    if (group->count > 0)
        REFUSE(r, HCR_ERROR_NAME, "a second section %s", r->section.text);
    next(r, 1, &field);
    const size_t count = whole(r, field, "the number of matrices", MOST_COLUMNS + 1);
    group->first = import->relations;
    group->first_form = import->forms;
    group->first_column = import->columns;
    for (size_t k = 0; k < count; k++) {
        hcri_relation matrix = {.kind = HCRI_RELATION_MATRIX, .name = "", .first = import->forms};
        char name[32];
        next(r, 1, &field);
        matrix.size = whole(r, field, "the size of a matrix", LARGEST_MATRIX + 1);
        matrix.line = r->lines.number;
        matrix.forms = matrix.size * (matrix.size + 1) / 2;
        snprintf(name, sizeof name, "X%zu", k);
        for (size_t i = 0; i < matrix.forms; i++) {
            const size_t form = hcri_import_add_form(import);
            if (are_variables)
                hcri_import_add_term(import, form, add_column(r, name, i), 1, matrix.line);
        }
        hcri_import_add_relation(import, &matrix);
        group->count++;
    }
}

/* --------------------------------------------------------------------------------------------------- coefficients */

static size_t find_row(reader *r, hcri_field field) { return r->first_row + whole(r, field, "the row", r->rows); }

/* The form of an element of a matrix. */
static size_t find_element(reader *r, const matrices *group, const hcri_field *field) {
    const hcri_relation *matrix = &r->import->relation[group->first + whole(r, field[0], "the matrix", group->count)];
    const size_t i = whole(r, field[1], "the row", matrix->size), j = whole(r, field[2], "the column", matrix->size);
    return matrix->first + (i > j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i);
}

static void set_constant(reader *r, size_t form, hcri_field field) {
    double *constant = &r->import->constant[form];
    if (*constant != 0)
        REFUSE(r, HCR_ERROR_NAME, "this element has a constant already: add the two up");
    *constant = number(r, field);
}

static void add_term(reader *r, size_t form, hcri_field column, hcri_field value) {
    const size_t j = r->first_column + whole(r, column, "the variable", r->variables);
    hcri_import_add_term(r->import, form, j, number(r, value), r->lines.number);
}

/* An element of the lower triangle of F in the product F·X, in which those beside the diagonal count twice. */
static void add_matrix_term(reader *r, size_t form, const hcri_field *element, hcri_field value) {
    const size_t at = find_element(r, &r->variable, element) - r->variable.first_form;
    const int is_diagonal =
        whole(r, element[1], "the row", MOST_COLUMNS) == whole(r, element[2], "the column", MOST_COLUMNS);
    hcri_import_add_term(r->import, form, r->variable.first_column + at, (is_diagonal ? 1 : 2) * number(r, value),
                         r->lines.number);
}

/* A number of lines, then so many lines. */
enum { ROW_TERMS, ROW_CONSTANTS, MATRIX_TERMS, MATRIX_CONSTANTS, INTEGERS, PRODUCTS, OBJECTIVE, OBJECTIVE_PRODUCTS };
static const char coordinates[] = "ACOORD|BCOORD|HCOORD|DCOORD|INT|FCOORD|OBJACOORD|OBJFCOORD";
static void read_coordinates(reader *r, int kind) {
    static const size_t fields[] = {3, 2, 5, 4, 1, 5, 2, 4};
    hcri_field f[5];
    next(r, 1, f);
    const size_t count = whole(r, f[0], "the number of lines", SIZE_MAX / 16);
    for (size_t k = 0; k < count; k++) {
        next(r, fields[kind], f);
        switch (kind) {
        case ROW_TERMS: add_term(r, find_row(r, f[0]), f[1], f[2]); break;
        case ROW_CONSTANTS: set_constant(r, find_row(r, f[0]), f[1]); break;
        case MATRIX_TERMS:
            add_term(r, find_element(r, &r->constraint, (hcri_field[]){f[0], f[2], f[3]}), f[1], f[4]);
            break;
        case MATRIX_CONSTANTS: set_constant(r, find_element(r, &r->constraint, f), f[3]); break;
        case INTEGERS:
            r->import->column[r->first_column + whole(r, f[0], "the variable", r->variables)].integer = 1;
            break;
        case PRODUCTS: add_matrix_term(r, find_row(r, f[0]), f + 1, f[4]); break;
        default: break;
        }
    }
}

/* ------------------------------------------------------------------------------------------------------- the file */

static void read_version(reader *r) {
    hcri_field field;
    next(r, 1, &field);
    const size_t version = whole(r, field, "the version", SIZE_MAX / 16);
    if (version < 1 || version > LATEST)
        REFUSE(r, HCR_ERROR_UNSUPPORTED, "version %zu of CBF: 1 to %d are read", version, LATEST);
}

static void read_section(reader *r, hcri_field word) {
    hcri_field field[1];
    if (hcri_field_is(word, "VER")) {
        read_version(r);
    } else if (hcri_field_is(word, "OBJSENSE|OBJBCOORD")) {
        next(r, 1, field);
    } else if (hcri_field_is(word, "POWCONES|POW*CONES")) {
        read_powers(r, word.length > strlen("POWCONES"));
    } else if (hcri_field_is(word, "VAR")) {
        read_cones(r, 1);
    } else if (hcri_field_is(word, "PSDVAR")) {
        read_matrices(r, &r->variable, 1);
    } else if (!r->has_columns && r->variable.count == 0) {
        REFUSE(r, HCR_ERROR_SYNTAX, "VAR comes before %s", r->section.text);
    } else if (hcri_field_is(word, "CON")) {
        read_cones(r, 0);
    } else if (hcri_field_is(word, "PSDCON")) {
        read_matrices(r, &r->constraint, 0);
    } else {
        const int kind = hcri_field_find(word, coordinates);
        if (kind < 0)
            REFUSE(r, HCR_ERROR_SYNTAX, "\"%s\" is no section of a CBF file", r->section.text);
        read_coordinates(r, kind);
    }
}

/* Rows of L+, L- and L= carry their constants in their bounds, where no rounding comes in. */
static void move_constants(hcr_import *import) {
    for (size_t i = 0; i < import->relations; i++) {
        hcri_relation *row = &import->relation[i];
        if (row->kind != HCRI_RELATION_ROW)
            continue;
        row->lower -= import->constant[row->first];
        row->upper -= import->constant[row->first];
        import->constant[row->first] = 0;
    }
}

static void read_all(reader *r) {
    int sections = 0;
    while (hcri_lines_next(&r->lines)) {
        hcri_field word[1];
        if (r->lines.line.length == 0 || r->lines.line.text[0] == '#')
            continue;
        const size_t fields = hcri_lines_split(r->lines.line, 1, word);
        r->section = hcri_show_field(word[0]);
        if (fields != 1)
            REFUSE(r, HCR_ERROR_SYNTAX, "%zu fields: the name of a section, %s, stands alone", fields, r->section.text);
        if (sections++ == 0 && !hcri_field_is(word[0], "VER"))
            REFUSE(r, HCR_ERROR_SYNTAX, "VER comes first, not %s", r->section.text);
        if (hcri_field_is(word[0], "CHANGE"))
            REFUSE(r, HCR_ERROR_UNSUPPORTED, "CHANGE, which begins another problem, isn't read: a file has one");
        read_section(r, word[0]);
    }
    if (r->import->columns == 0 && !r->has_columns)
        REFUSE(r, HCR_ERROR_FORMAT, "the file ends without VAR: it is cut short");
    move_constants(r->import);
    hcri_import_note(r->import, "the objective is ignored");
}

void hcri_cbf_read(hcr_import *import, const char *text, size_t size) {
    reader r = {.import = import, .lines = {.at = text, .end = text + size}};
    read_all(&r);
}
