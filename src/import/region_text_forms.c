#include "import/region_text_forms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

hcr_status hcri_page_create(const hcr_import *import, hcri_page *page, hcr_error *error) {
    *page = (hcri_page){.import = import, .line = 1};
    page->output_of = hcri_allocate(&import->allocator, import->columns, sizeof(hcri_output *));
    HCRI_ALLOCATED(page->output_of);
    for (size_t o = 0; o < import->outputs; o++)
        for (size_t k = 0; k < import->output[o].size; k++)
            page->output_of[import->output[o].first + k] = &import->output[o];
    return HCR_OK;
}

void hcri_page_release(hcri_page *page) {
    free(page->report.text);
    hcri_release(&page->import->allocator, page->output_of);
    hcri_release(&page->import->allocator, page->source);
}

void hcri_page_begin(hcri_page *page, int line, const char *what, const char *name) {
    if (!page->keeps_sources)
        return;
    if (HCRI_GROW(&page->import->allocator, page->source, &page->source_capacity, page->sources + 1))
        page->source[page->sources++] = (hcri_page_source){page->line, line, what, name};
    else
        page->report.failed = 1;
}

void hcri_page_end_line(hcri_page *page) {
    page->line++;
    hcri_report_write(&page->report, "\n");
    page->line_start = page->report.length;
}

void hcri_page_wrap(hcri_page *page, size_t length) {
    if (page->report.length + length - page->line_start <= HCRI_LINE_WIDTH)
        return;
    while (page->report.length > 0 && page->report.text[page->report.length - 1] == ' ')
        page->report.length--;
    hcri_page_end_line(page);
    hcri_report_write(&page->report, "    ");
}

void hcri_write_number(hcri_page *page, double number) { hcri_report_number(&page->report, number); }

void hcri_write_outputs(hcri_page *page, size_t first, size_t count) {
    const hcri_output *output = page->output_of[first];
    const size_t start = first - output->first;
    if (output->scalar || (count == output->size && count > 1))
        hcri_report_write(&page->report, "%s", output->name);
    else if (count == 1)
        hcri_report_write(&page->report, "%s[%zu]", output->name, start);
    else
        hcri_report_write(&page->report, "%s[%zu:%zu]", output->name, start, start + count);
}

void hcri_write_output(hcri_page *page, size_t j) {
    const hcri_output *output = page->output_of[j];
    hcri_report_write(&page->report, output->scalar ? "%s" : "%s[%zu]", output->name, j - output->first);
}

/* A sign, then the size of the coefficient unless it is 1. */
static void write_coefficient(hcri_page *page, double value, int is_first) {
    const char *sign = value < 0 ? (is_first ? "-" : " - ") : is_first ? "" : " + ";
    hcri_report_write(&page->report, "%s", sign);
    if (fabs(value) != 1) {
        hcri_write_number(page, fabs(value));
        hcri_report_write(&page->report, "*");
    }
}

void hcri_write_form(hcri_page *page, size_t i, double factor, int wrapped) {
    const hcr_import *import = page->import;
    const double constant = factor * import->constant[i];
    int is_first = 1;
    for (size_t k = import->start[i]; k < import->start[i + 1]; k++) {
        const size_t name = strlen(page->output_of[import->term[k].column]->name);
        if (wrapped && !is_first)
            hcri_page_wrap(page, name + 36); /* the longest coefficient has 24 characters */
        write_coefficient(page, factor * import->term[k].value, is_first);
        hcri_write_output(page, import->term[k].column);
        is_first = 0;
    }
    if (constant != 0 || is_first) {
        hcri_report_write(&page->report, "%s", is_first ? "" : constant < 0 ? " - " : " + ");
        hcri_write_number(page, is_first ? constant : fabs(constant));
    }
}

char *hcri_form_text(hcri_page *page, size_t i, double factor) {
    hcri_page own = {.import = page->import, .output_of = page->output_of};
    hcri_write_form(&own, i, factor, 0);
    if (!own.report.failed)
        return own.report.text;
    free(own.report.text);
    page->report.failed = 1;
    return NULL;
}

/* Whether the forms are neighbouring outputs of one variable, each as it is. */
static int is_slice(const hcri_page *page, size_t first, size_t count) {
    const hcr_import *import = page->import;
    for (size_t i = first; i < first + count; i++) {
        const size_t k = import->start[i];
        if (import->start[i + 1] != k + 1 || import->constant[i] != 0 || import->term[k].value != 1 ||
            import->term[k].column != import->term[import->start[first]].column + (i - first) ||
            page->output_of[import->term[k].column] != page->output_of[import->term[import->start[first]].column])
            return 0;
    }
    return count > 1 && !page->output_of[import->term[import->start[first]].column]->scalar;
}

void hcri_write_vector(hcri_page *page, size_t first, size_t count, double factor, const char *last) {
    if (factor == 1 && last == NULL && is_slice(page, first, count)) {
        hcri_write_outputs(page, page->import->term[page->import->start[first]].column, count);
        return;
    }
    hcri_report_write(&page->report, "[");
    for (size_t i = 0; i < count; i++) {
        HCRI_SCOPED char *element = hcri_form_text(page, first + i, factor);
        if (element == NULL)
            return;
        if (i > 0)
            hcri_page_wrap(page, strlen(element) + 4);
        hcri_report_write(&page->report, "%s%s", element, i + 1 < count || last != NULL ? ", " : "");
    }
    if (last != NULL)
        hcri_report_write(&page->report, "%s", last);
    hcri_report_write(&page->report, "]");
}
