/* Lines of a text, and the fields of a line, which blanks separate. */
#ifndef HCRI_TEXT_LINES_H
#define HCRI_TEXT_LINES_H

#include <stddef.h>

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
/* Compares with upper case `word`, whatever the case of the field. */
int hcri_field_is(hcri_field field, const char *word);

#endif
