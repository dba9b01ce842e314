/* Lines of a text, and the fields of a line, which blanks separate. */
#ifndef HCRI_TEXT_LINES_H
#define HCRI_TEXT_LINES_H

#include "base/printable.h"
#include "formats/column_names.h"

typedef struct hcri_field {
    const char *text;
    size_t length;
} hcri_field;

typedef struct hcri_lines {
    const char *at, *end;
    int number;      /* of the current line, from 1 */
    hcri_field line; /* without its end, nor blanks before that */
} hcri_lines;

/* 0 at the end of the text. */
int hcri_lines_next(hcri_lines *lines);
/* How many fields the line has; the first `most` of them into `fields`. */
size_t hcri_lines_split(hcri_field line, size_t most, hcri_field *fields);
/* As hcri_word_find has it. */
int hcri_field_find(hcri_field field, const char *words);
int hcri_field_is(hcri_field field, const char *words);
hcri_shown hcri_show_field(hcri_field field);

#endif
