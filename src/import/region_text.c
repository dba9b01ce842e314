/* What was read as region text, for people: names, one constraint a line, long rows in a matrix beside it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/system.h"
#include "formats/column_names.h"
#include "hcr/hcr_table.h"
#include "import/problem.h"
#include "import/region_text_forms.h"

enum { LONGEST_ROW = 40 /* terms of a row that is written out */, MOST_IN_MATRIX = 1 << 26 };

#define WRITE(page, ...) hcri_report_write(&(page)->report, __VA_ARGS__)

/* ----------------------------------------------------------------------------------------------- outputs and bounds */

static void write_header(hcri_page *page) {
    const hcr_import *import = page->import;
    WRITE(page, "# Imported from %s (%s)", hcri_show_name(import->file).text, import->format);
    hcri_page_end_line(page);
    for (size_t k = 0; k < import->notices; k++) {
        WRITE(page, "#   %s", import->notice[k]);
        hcri_page_end_line(page);
    }
    for (size_t o = 0, on_line = 0; o < import->outputs; o++, on_line++) {
        const hcri_output *output = &import->output[o];
        const size_t length = strlen(output->name) + 16;
        if (on_line > 0 && page->report.length + length - page->line_start > HCRI_LINE_WIDTH) {
            hcri_page_end_line(page);
            on_line = 0;
        }
        WRITE(page, "%s%s", on_line == 0 ? "var " : ", ", output->name);
        if (!output->scalar)
            WRITE(page, "[%zu]", output->size);
    }
    hcri_page_end_line(page);
    hcri_page_end_line(page);
}

static const hcri_column *column_of(const hcri_page *page, size_t j) {
    return &page->import->column[page->import->column_of[j]];
}

/* "lower <= ", "== value" and so on, around what `write` writes. */
static void open_bounds(hcri_page *page, double lower, double upper) {
    if (isfinite(lower) && isfinite(upper) && lower != upper) {
        hcri_write_number(page, lower);
        WRITE(page, " <= ");
    }
}

static void close_bounds(hcri_page *page, double lower, double upper) {
    WRITE(page, lower == upper ? " == " : isfinite(upper) ? " <= " : " >= ");
    hcri_write_number(page, isfinite(upper) ? upper : lower);
}

static int same_bounds(const hcri_page *page, size_t i, size_t j) {
    const hcri_column *a = column_of(page, i), *b = column_of(page, j);
    return a->lower == b->lower && a->upper == b->upper &&
           (!page->keeps_sources || (a->lower_line == b->lower_line && a->upper_line == b->upper_line));
}

static int line_of(const hcri_column *column) {
    return column->upper_line > column->lower_line ? column->upper_line : column->lower_line;
}

/* Neighbours with the same bounds in one line: elements of a vector, or scalars in a list. */
static void write_bounds(hcri_page *page) {
    const size_t n = page->import->columns;
    for (size_t j = 0, count; j < n; j += count) {
        const double lower = column_of(page, j)->lower, upper = column_of(page, j)->upper;
        const hcri_output *output = page->output_of[j];
        for (count = 1; j + count < n && same_bounds(page, j, j + count); count++)
            if (output->scalar ? !page->output_of[j + count]->scalar : page->output_of[j + count] != output)
                break;
        if (isinf(lower) && isinf(upper))
            continue;
        hcri_page_begin(page, line_of(column_of(page, j)), "bounds of", column_of(page, j)->name);
        open_bounds(page, lower, upper);
        if (output->scalar && count > 1) {
            WRITE(page, "[");
            for (size_t k = 0; k < count; k++) {
                hcri_page_wrap(page, strlen(page->output_of[j + k]->name) + 2);
                hcri_write_output(page, j + k);
                WRITE(page, k + 1 < count ? ", " : "]");
            }
        } else {
            hcri_write_outputs(page, j, count);
        }
        close_bounds(page, lower, upper);
        hcri_page_end_line(page);
    }
    hcri_page_end_line(page);
}

/* -------------------------------------------------------------------------------------------------------- relations */

static void write_name(hcri_page *page, const hcri_relation *relation) {
    if (relation->name[0] != '\0')
        WRITE(page, "  # %s", hcri_show_name(relation->name).text);
    hcri_page_end_line(page);
}

static size_t terms_of(const hcri_page *page, const hcri_relation *row) {
    return page->import->start[row->first + 1] - page->import->start[row->first];
}

/* dot() of the coefficients and the outputs: a sum of so many terms would nest too deep. */
static void write_product(hcri_page *page, size_t i) {
    const hcr_import *import = page->import;
    for (int pass = 0; pass < 2; pass++) {
        WRITE(page, pass == 0 ? "dot([" : ", [");
        for (size_t k = import->start[i]; k < import->start[i + 1]; k++) {
            hcri_page_wrap(page, pass == 0 ? 26 : strlen(page->output_of[import->term[k].column]->name) + 14);
            if (pass == 0)
                hcri_write_number(page, import->term[k].value);
            else
                hcri_write_output(page, import->term[k].column);
            WRITE(page, k + 1 < import->start[i + 1] ? ", " : "]");
        }
    }
    WRITE(page, ")");
}

static void write_row(hcri_page *page, const hcri_relation *row) {
    open_bounds(page, row->lower, row->upper);
    if (terms_of(page, row) > LONGEST_ROW) {
        write_product(page, row->first);
    } else {
        HCRI_SCOPED char *text = hcri_form_text(page, row->first, 1);
        const int wrapped = text != NULL && strlen(text) + 40 > HCRI_LINE_WIDTH;
        WRITE(page, wrapped ? "(" : "");
        hcri_write_form(page, row->first, 1, wrapped);
        WRITE(page, wrapped ? ")" : "");
    }
    close_bounds(page, row->lower, row->upper);
    write_name(page, row);
}

/* norm(z) <= t; a rotated cone as in import_build.c. */
static void write_cone(hcri_page *page, const hcri_relation *cone) {
    const size_t first = cone->first;
    WRITE(page, "norm(");
    if (cone->kind == HCRI_RELATION_CONE) {
        hcri_write_vector(page, first + 1, cone->forms - 1, 1, NULL);
        WRITE(page, ") <= ");
        hcri_write_form(page, first, 1, 0);
    } else {
        HCRI_SCOPED char *a = hcri_form_text(page, first, 2), *b = hcri_form_text(page, first + 1, 1);
        HCRI_SCOPED char *last = a == NULL || b == NULL ? NULL : malloc(strlen(a) + strlen(b) + 8);
        if (last == NULL) {
            page->report.failed = 1;
        } else {
            const char *open = strchr(b, ' ') == NULL && b[0] != '-' ? "" : "(", *close = *open == '\0' ? "" : ")";
            sprintf(last, "%s - %s%s%s", a, open, b, close);
            hcri_write_vector(page, first + 2, cone->forms - 2, 2, last);
            WRITE(page, ") <= %s + %s%s%s", a, open, b, close);
        }
    }
    write_name(page, cone);
}

/* factor × form i in brackets. */
static void write_bracketed(hcri_page *page, size_t i, double factor) {
    WRITE(page, "(");
    hcri_write_form(page, i, factor, 0);
    WRITE(page, ")");
}

/* t >= s exp(r/s) is s log(s/t) + r <= 0, and so is the dual cone with −third, first and second + third for s, t and r,
 * but for the sign of r. */
static void write_exponential(hcri_page *page, const hcri_relation *cone) {
    const int is_dual = cone->kind == HCRI_RELATION_EXP_DUAL;
    const size_t t = cone->first, s = is_dual ? t + 2 : t + 1;
    WRITE(page, "rel_entr(");
    hcri_write_form(page, s, is_dual ? -1 : 1, 0);
    WRITE(page, ", ");
    hcri_write_form(page, t, 1, 0);
    WRITE(page, ") <= ");
    write_bracketed(page, is_dual ? t + 1 : t + 2, is_dual ? 1 : -1);
    if (is_dual) {
        WRITE(page, " - ");
        write_bracketed(page, s, 1);
    }
    write_name(page, cone);
}

/* The weighted geometric mean is the mean of bases that come as often as their weights say. */
static void write_power(hcri_page *page, const hcri_relation *cone) {
    const hcr_import *import = page->import;
    const uint32_t *weight = import->weight + cone->first_weight;
    double total = 0;
    for (size_t i = 0; i < cone->size; i++)
        total += weight[i];
    WRITE(page, "geo_mean([");
    for (size_t i = 0; i < cone->size; i++)
        for (uint32_t k = 0; k < weight[i]; k++) {
            WRITE(page, i + k == 0 ? "" : ", ");
            if (cone->kind == HCRI_RELATION_POWER_DUAL && total != weight[i]) {
                write_bracketed(page, cone->first + i, 1);
                WRITE(page, "*%.0f/%u", total, (unsigned)weight[i]);
            } else {
                hcri_write_form(page, cone->first + i, 1, 0);
            }
        }
    WRITE(page, "]) >= norm(");
    hcri_write_vector(page, cone->first + cone->size, cone->forms - cone->size, 1, NULL);
    WRITE(page, ")");
    write_name(page, cone);
}

static void write_matrix(hcri_page *page, const hcri_relation *matrix) {
    WRITE(page, "psd([");
    for (size_t i = 0; i < matrix->size; i++) {
        if (i > 0) {
            WRITE(page, ",");
            hcri_page_end_line(page);
            WRITE(page, "     ");
        }
        WRITE(page, "[");
        for (size_t j = 0; j < matrix->size; j++) {
            const size_t row = i > j ? i : j, column = i > j ? j : i;
            HCRI_SCOPED char *element = hcri_form_text(page, matrix->first + row * (row + 1) / 2 + column, 1);
            if (element == NULL)
                return;
            hcri_page_wrap(page, strlen(element) + 4);
            WRITE(page, "%s%s", element, j + 1 < matrix->size ? ", " : "]");
        }
    }
    WRITE(page, "])");
    write_name(page, matrix);
}

/* ------------------------------------------------------------------------------------------- long rows, in a matrix */

typedef struct long_rows {
    size_t count, equalities; /* these come first */
    const hcri_relation **row;
    char *path;
    const char *base; /* the path without its folder */
    int written;
} long_rows;

/* The long rows, when a matrix of them makes sense and a file can stand beside the text. */
static hcr_status find_long_rows(const hcri_page *page, const char *path, long_rows *rows, hcr_error *error) {
    const hcr_import *import = page->import;
    static const char extension[] = ".region";
    const size_t length = strlen(path), most = MOST_IN_MATRIX / import->columns;
    const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1;
    if (strcmp(path, "-") == 0 || strpbrk(base, "\"\n") != NULL)
        return HCR_OK;
    rows->row = hcri_allocate(&import->allocator, import->relations, sizeof *rows->row);
    rows->path = malloc(length + sizeof ".rows.npy");
    HCRI_ALLOCATED(rows->row && rows->path);
    for (int equalities = 1; equalities >= 0; equalities--)
        for (size_t i = 0; i < import->relations; i++) {
            const hcri_relation *row = &import->relation[i];
            if (row->kind == HCRI_RELATION_ROW && (row->lower == row->upper) == equalities &&
                terms_of(page, row) > LONGEST_ROW) {
                rows->row[rows->count++] = row;
                rows->equalities += (size_t)equalities;
            }
        }
    if (rows->count < 2 || rows->count > most)
        rows->count = 0;
    const size_t stem = length > sizeof extension - 1 && strcmp(path + length - (sizeof extension - 1), extension) == 0
                            ? length - (sizeof extension - 1)
                            : length;
    sprintf(rows->path, "%.*s.rows.npy", (int)stem, path);
    rows->base = rows->path + (base - path);
    return HCR_OK;
}

static hcr_status write_matrix_file(const hcri_page *page, long_rows *rows, hcr_error *error) {
    const hcr_import *import = page->import;
    hcr_table table = {.rows = rows->count, .columns = import->columns};
    HCRI_SCOPED double *values = table.values =
        hcri_allocate(&hcri_default_allocator, rows->count * import->columns, sizeof *table.values);
    HCRI_ALLOCATED(values);
    for (size_t r = 0; r < rows->count; r++) {
        const size_t form = rows->row[r]->first;
        for (size_t k = import->start[form]; k < import->start[form + 1]; k++)
            values[r * import->columns + import->term[k].column] = import->term[k].value;
    }
    const hcr_status status = hcr_table_write(rows->path, HCR_TABLE_NPY, &table, HCR_DOUBLE, error);
    rows->written = status == HCR_OK;
    return status;
}

static void write_bound_list(hcri_page *page, const long_rows *rows, size_t first, size_t last, int upper) {
    WRITE(page, "[");
    for (size_t r = first; r < last; r++) {
        hcri_page_wrap(page, 26);
        hcri_write_number(page, upper ? rows->row[r]->upper : rows->row[r]->lower);
        WRITE(page, r + 1 < last ? ", " : "]");
    }
}

static void write_block(hcri_page *page, const long_rows *rows, size_t first, size_t last, int equalities) {
    const hcr_import *import = page->import;
    int lower = 0, upper = 0;
    for (size_t r = first; r < last; r++) {
        lower |= isfinite(rows->row[r]->lower);
        upper |= isfinite(rows->row[r]->upper);
    }
    if (lower && !equalities) {
        write_bound_list(page, rows, first, last, 0);
        WRITE(page, " <= ");
    }
    WRITE(page, "rows[%zu:%zu, :] @ ", first, last);
    if (import->outputs == 1) {
        WRITE(page, "%s", import->output[0].name);
    } else {
        WRITE(page, "hstack(");
        for (size_t o = 0; o < import->outputs; o++) {
            hcri_page_wrap(page, strlen(import->output[o].name) + 2);
            WRITE(page, "%s%s", import->output[o].name, o + 1 < import->outputs ? ", " : ")");
        }
    }
    if (upper) {
        WRITE(page, equalities ? " == " : " <= ");
        write_bound_list(page, rows, first, last, 1);
    }
    hcri_page_end_line(page);
}

static void write_long_rows(hcri_page *page, const long_rows *rows) {
    if (rows->equalities > 0)
        write_block(page, rows, 0, rows->equalities, 1);
    if (rows->count > rows->equalities)
        write_block(page, rows, rows->equalities, rows->count, 0);
}

/* ------------------------------------------------------------------------------------------------------------ whole */

/* `rows` is a name that no output has. */
static int takes_name(const hcr_import *import, const char *name) {
    for (size_t o = 0; o < import->outputs; o++)
        if (strcmp(import->output[o].name, name) == 0)
            return 1;
    return 0;
}

static void write_relation(hcri_page *page, const hcri_relation *relation) {
    static const char *const what[] = {
        "row", "cone", "rotated cone", "matrix", "cone of exp", "dual cone of exp", "power cone", "dual power cone"};
    hcri_page_begin(page, relation->line, what[relation->kind], relation->name);
    switch (relation->kind) {
    case HCRI_RELATION_ROW: write_row(page, relation); break;
    case HCRI_RELATION_CONE:
    case HCRI_RELATION_ROTATED: write_cone(page, relation); break;
    case HCRI_RELATION_MATRIX: write_matrix(page, relation); break;
    case HCRI_RELATION_EXP:
    case HCRI_RELATION_EXP_DUAL: write_exponential(page, relation); break;
    case HCRI_RELATION_POWER:
    case HCRI_RELATION_POWER_DUAL: write_power(page, relation); break;
    }
}

/* Everything; long rows, when there are some, in a matrix that is read from beside the text. */
static hcr_status write_page(hcri_page *page, const long_rows *rows, hcr_error *error) {
    const hcr_import *import = page->import;
    write_header(page);
    if (rows->count > 0) {
        WRITE(page, "const rows = read(\"%s\")", rows->base);
        hcri_page_end_line(page);
    }
    write_bounds(page);
    for (size_t i = 0; i < import->relations; i++) {
        const hcri_relation *relation = &import->relation[i];
        if (rows->count == 0 || relation->kind != HCRI_RELATION_ROW || terms_of(page, relation) <= LONGEST_ROW)
            write_relation(page, relation);
    }
    if (rows->count > 0)
        write_long_rows(page, rows);
    return page->report.failed ? hcri_fail_memory(error) : HCR_OK;
}

hcr_status hcri_page_fill(hcri_page *page, hcr_error *error) { return write_page(page, &(long_rows){0}, error); }

static hcr_status write_files(hcri_page *page, const char *path, long_rows *rows, hcr_error *error) {
    HCRI_TRY(find_long_rows(page, path, rows, error));
    if (takes_name(page->import, "rows"))
        rows->count = 0;
    HCRI_TRY(write_page(page, rows, error));
    if (rows->count > 0)
        HCRI_TRY(write_matrix_file(page, rows, error));
    return hcri_file_write(path, page->report.text, page->report.length, error);
}

hcr_status hcr_import_write(const hcr_import *import, const char *path, hcr_error *error) {
    HCRI_FAIL_IF(import == NULL || path == NULL, HCR_ERROR_ARGUMENT, "import or path is NULL");
    hcri_page page;
    long_rows rows = {0};
    hcr_status status = hcri_page_create(import, &page, error);
    if (status == HCR_OK)
        status = write_files(&page, path, &rows, error);
    if (status != HCR_OK && rows.written)
        unlink(rows.path); /* whole or not at all */
    hcri_page_release(&page);
    hcri_release(&import->allocator, rows.row);
    free(rows.path);
    return status;
}
