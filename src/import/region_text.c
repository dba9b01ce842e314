/* What was read as region text, for people: names, one constraint a line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "formats/column_names.h"
#include "import/region_text_forms.h"

enum { LONGEST_ROW = 40 /* terms of a row that is written as a sum */ };

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

/* ------------------------------------------------------------------------------------------------------------ whole */

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

hcr_status hcri_page_fill(hcri_page *page, hcr_error *error) {
    write_header(page);
    write_bounds(page);
    for (size_t i = 0; i < page->import->relations; i++)
        write_relation(page, &page->import->relation[i]);
    return page->report.failed ? hcri_fail_memory(error) : HCR_OK;
}

hcr_status hcr_import_write(const hcr_import *import, const char *path, hcr_error *error) {
    HCRI_FAIL_IF(import == NULL || path == NULL, HCR_ERROR_ARGUMENT, "import or path is NULL");
    HCRI_SCOPED_BY(hcri_page_release) hcri_page page = {.import = import};
    HCRI_TRY(hcri_page_create(import, &page, error));
    HCRI_TRY(hcri_page_fill(&page, error));
    return hcri_file_write(path, page.report.text, page.report.length, error);
}
