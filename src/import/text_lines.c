#include "import/text_lines.h"

#include <limits.h>
#include <string.h>

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

int hcri_lines_next(hcri_lines *lines) {
    if (lines->at == lines->end)
        return 0;
    const char *newline = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
    const char *stop = newline == NULL ? lines->end : newline;
    lines->line = (hcri_field){lines->at, (size_t)(stop - lines->at)};
    while (lines->line.length > 0 && is_blank(lines->line.text[lines->line.length - 1]))
        lines->line.length--;
    lines->at = newline == NULL ? lines->end : newline + 1;
    lines->number += lines->number < INT_MAX;
    return 1;
}

size_t hcri_lines_split(hcri_field line, size_t most, hcri_field *fields) {
    size_t count = 0;
    for (size_t i = 0; i < line.length;) {
        while (i < line.length && is_blank(line.text[i]))
            i++;
        const size_t start = i;
        while (i < line.length && !is_blank(line.text[i]))
            i++;
        if (i > start && count++ < most)
            fields[count - 1] = (hcri_field){line.text + start, i - start};
    }
    return count;
}

int hcri_field_find(hcri_field field, const char *words) { return hcri_word_find(words, field.text, field.length); }
int hcri_field_is(hcri_field field, const char *words) { return hcri_field_find(field, words) >= 0; }
hcri_shown hcri_show_field(hcri_field field) { return hcri_show(field.text, field.length); }
