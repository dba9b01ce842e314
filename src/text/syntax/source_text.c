#include "text/syntax/source_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "formats/column_names.h"

/* Messages show at most so many bytes of a line. */
#define SHOWN 96

static int continues_character(char byte) { return ((unsigned char)byte & 0xC0) == 0x80; }

static hcri_span whole_line(const hcri_text *text, size_t byte) {
    hcri_span line = {byte, byte};
    while (line.start > 0 && text->bytes[line.start - 1] != '\n')
        line.start--;
    while (line.end < text->size && text->bytes[line.end] != '\n')
        line.end++;
    if (line.end > line.start && text->bytes[line.end - 1] == '\r')
        line.end--;
    return line;
}

hcri_span hcri_text_line(const hcri_text *text, size_t byte) {
    hcri_span line = whole_line(text, byte);
    while (line.start < line.end && (text->bytes[line.start] == ' ' || text->bytes[line.start] == '\t'))
        line.start++;
    while (line.start < line.end && (text->bytes[line.end - 1] == ' ' || text->bytes[line.end - 1] == '\t'))
        line.end--;
    return line;
}

void hcri_text_place(hcri_text *text, size_t byte, int *line, int *column) {
    if (byte < text->known_byte) {
        text->known_byte = 0;
        text->known_line = text->known_column = 0;
    }
    for (; text->known_byte < byte; text->known_byte++)
        if (text->bytes[text->known_byte] == '\n') {
            text->known_line++;
            text->known_column = 0;
        } else {
            text->known_column += !continues_character(text->bytes[text->known_byte]);
        }
    *line = text->known_line + 1;
    *column = text->known_column + 1;
}

int hcri_text_equal(const hcri_text *text, hcri_span span, const char *word) {
    const size_t length = strlen(word);
    return span.end - span.start == length && memcmp(text->bytes + span.start, word, length) == 0;
}

int hcri_text_same(const hcri_text *text, hcri_span a, hcri_span b) {
    return a.end - a.start == b.end - b.start &&
           memcmp(text->bytes + a.start, text->bytes + b.start, a.end - a.start) == 0;
}

/* Copies with control characters as blanks; never splits a character at the end. */
static size_t copy_shown(char *target, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        target[i] = (unsigned char)bytes[i] < ' ' || bytes[i] == 127 ? ' ' : bytes[i];
    target[length] = '\0';
    return length;
}

hcri_excerpt hcri_text_excerpt(const hcri_text *text, hcri_span span) {
    hcri_excerpt excerpt;
    const size_t most = sizeof excerpt.text - 4; /* an ellipsis and the end */
    size_t length = span.end - span.start;
    const int cut = length > most;
    if (cut)
        for (length = most; length > 0 && continues_character(text->bytes[span.start + length]);)
            length--;
    length = copy_shown(excerpt.text, text->bytes + span.start, length);
    if (cut)
        memcpy(excerpt.text + length, "…", sizeof "…");
    return excerpt;
}

hcri_excerpt hcri_text_nearest(const hcri_text *text, hcri_span span, size_t count, const char *const *names) {
    hcri_excerpt nearest = {""};
    const hcri_excerpt written = hcri_text_excerpt(text, span);
    const size_t best = hcri_name_alike(written.text, count, (char *const *)names);
    if (best != SIZE_MAX)
        snprintf(nearest.text, sizeof nearest.text, ": the nearest known is \"%.40s\"", names[best]);
    return nearest;
}

/* "\n  12 | the line\n     |     ^^^^" */
static void append_marked_line(const hcri_text *text, hcri_span span, int number, char *message, size_t capacity) {
    const hcri_span line = whole_line(text, span.start);
    hcri_span shown = line;
    if (shown.end - shown.start > SHOWN) {
        if (span.start > shown.start + SHOWN / 2)
            shown.start = span.start - SHOWN / 2;
        while (shown.start < span.start && continues_character(text->bytes[shown.start]))
            shown.start++;
        if (shown.end > shown.start + SHOWN)
            shown.end = shown.start + SHOWN;
        while (shown.end < line.end && shown.end > shown.start && continues_character(text->bytes[shown.end]))
            shown.end--;
    }
    char visible[SHOWN + 1], mark[2 * SHOWN + 2];
    const size_t length = copy_shown(visible, text->bytes + shown.start, shown.end - shown.start);
    size_t blanks = 0, marks = 0;
    for (size_t i = shown.start; i < span.start && i < shown.end; i++)
        blanks += !continues_character(text->bytes[i]);
    for (size_t i = span.start; i < span.end && i < shown.end; i++)
        marks += !continues_character(text->bytes[i]);
    marks += marks == 0; /* the end of the line */
    memset(mark, ' ', blanks);
    memset(mark + blanks, '^', marks);
    mark[blanks + marks] = '\0';
    const char *before = shown.start > line.start ? "…" : "", *after = shown.end < line.end ? "…" : "";
    const size_t used = strlen(message);
    snprintf(message + used, capacity - used, "\n%5d | %s%.*s%s\n      | %s%s", number, before, (int)length, visible,
             after, *before == '\0' ? "" : " ", mark);
}

void hcri_refuse_as(hcri_text *text, hcr_status status) {
    text->status = status;
    longjmp(text->refused, 1);
}

void hcri_refuse(hcri_text *text, hcri_span span, hcr_status status, const char *format, ...) {
    int line, column;
    hcri_text_place(text, span.start, &line, &column);
    char message[sizeof text->error->text];
    va_list arguments;
    va_start(arguments, format);
    hcri_format(message, sizeof message - 4 * SHOWN, format, arguments);
    va_end(arguments);
    append_marked_line(text, span, line, message, sizeof message);
    hcri_refuse_as(text, hcri_fail_at(text->error, status, text->file, line, column, "%s", message));
}

void hcri_refuse_memory(hcri_text *text, hcri_span span) {
    hcri_refuse(text, span, HCR_ERROR_MEMORY, "not enough memory");
}

void *hcri_take(hcri_text *text, hcri_span span, size_t count, size_t size) {
    if (count > HCRI_TEXT_MEMORY / (size == 0 ? 1 : size) ||
        count * size > HCRI_TEXT_MEMORY - (text->arena.total < HCRI_TEXT_MEMORY ? text->arena.total : HCRI_TEXT_MEMORY))
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "this is too large: it takes more than 2^28 numbers");
    void *memory = hcri_arena_take(&text->arena, count, size);
    if (memory == NULL)
        hcri_refuse_memory(text, span);
    return memory;
}

char *hcri_text_unquote(hcri_text *text, hcri_span span) {
    const size_t length = span.end - span.start - 2;
    char *string = hcri_take(text, span, length + 1, 1);
    return memcpy(string, text->bytes + span.start + 1, length);
}

void *hcri_take_larger(hcri_text *text, hcri_span span, void *array, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity)
        return array;
    *capacity = *capacity == 0 ? 4 : 2 * *capacity;
    void *larger = hcri_take(text, span, *capacity, size);
    return count == 0 ? larger : memcpy(larger, array, count * size);
}

void hcri_extend(hcri_text *text, hcri_span span, void *array, size_t *capacity, size_t needed, size_t size) {
    if (!hcri_grow(&text->kept.own, array, capacity, needed, size))
        hcri_refuse_memory(text, span);
}
