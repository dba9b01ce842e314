/* Affine forms as region text. */
#ifndef HCRI_REGION_TEXT_FORMS_H
#define HCRI_REGION_TEXT_FORMS_H

#include "base/text_buffer.h"
#include "import/problem.h"

enum { HCRI_LINE_WIDTH = 110 };

typedef struct hcri_page_source { /* what a statement of the text stands for in the file */
    int text_line, line;          /* line 0: bounds that the format has by itself */
    const char *what, *name;
} hcri_page_source;

typedef struct hcri_page { /* region text as it grows */
    const hcr_import *import;
    hcri_report report;
    size_t line_start;
    int line;                      /* the number of the one being written */
    const hcri_output **output_of; /* the output that each coordinate is of */
    int keeps_sources;             /* `source` is wanted: bounds of different lines are statements of their own */
    size_t sources, source_capacity;
    hcri_page_source *source; /* increasing text_line */
} hcri_page;

hcr_status hcri_page_create(const hcr_import *import, hcri_page *page, hcr_error *error);
void hcri_page_release(hcri_page *page);
/* Writes all of the import. */
hcr_status hcri_page_fill(hcri_page *page, hcr_error *error);
/* What is written next stands for this. */
void hcri_page_begin(hcri_page *page, int line, const char *what, const char *name);

/* Goes to the next line, indented, when `length` more characters don't fit on this one. Only inside brackets. */
void hcri_page_wrap(hcri_page *page, size_t length);
void hcri_page_end_line(hcri_page *page);
void hcri_write_number(hcri_page *page, double number);
/* "x[3]" or "p". */
void hcri_write_output(hcri_page *page, size_t j);
/* "x", "x[2:5]", "x[2]" or "p": outputs first … first + count − 1, all of one variable. */
void hcri_write_outputs(hcri_page *page, size_t first, size_t count);
/* factor × form i, such as 2*x - y + 3, in brackets where `wrapped`. */
void hcri_write_form(hcri_page *page, size_t i, double factor, int wrapped);
/* A vector of `count` forms from `first` on, times factor: "x[1:4]" where it is that, else a list. `last` (may be NULL)
 * is text that is put as one more element. */
void hcri_write_vector(hcri_page *page, size_t first, size_t count, double factor, const char *last);
/* The form as text of its own; the caller frees it. NULL when there is no memory. */
char *hcri_form_text(hcri_page *page, size_t i, double factor);

#endif
