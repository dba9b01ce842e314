#include "base/printable.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = sizeof(((hcr_error *)0)->text) };

/* The UTF-8 character at `text`: its bytes, 0 where they are none (RFC 3629: shortest forms, no surrogates). */
static size_t decode(const char *text, uint32_t *code) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = (unsigned char)text[0];
    const size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    *code = length == 1 ? first : length == 0 ? 0 : first & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        const unsigned char next = (unsigned char)text[i]; /* a 0 at the end is none that continues */
        if (next >> 6 != 2)
            return 0;
        *code = *code << 6 | (next & 0x3F);
    }
    return *code < least[length] || *code > 0x10FFFF || *code >> 11 == 0xD800 >> 11 ? 0 : length;
}

/* Control characters, and those that change the direction or the lines of what is around them. */
static int is_hidden(uint32_t code) {
    static const uint32_t range[][2] = {{0, 8},           {0xA, 0x1F},       {0x7F, 0x9F},     {0x61C, 0x61C},
                                        {0x200E, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x2069}, {0xFEFF, 0xFEFF},
                                        {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF}};
    for (size_t i = 0; i < sizeof range / sizeof range[0]; i++)
        if (range[i][0] <= code && code <= range[i][1])
            return 1;
    return 0;
}

size_t hcr_printable(const char **text, char shown[HCR_PRINTABLE]) {
    uint32_t code;
    const size_t length = decode(*text, &code);
    if (**text == '\0') {
        shown[0] = '\0';
        return 0;
    }
    int written;
    if (length == 0)
        written = snprintf(shown, HCR_PRINTABLE, "\\x%02x", (unsigned)(unsigned char)**text);
    else if (code == '\n')
        written = snprintf(shown, HCR_PRINTABLE, "\\n");
    else if (is_hidden(code))
        written = snprintf(shown, HCR_PRINTABLE,
                           code < 0x80      ? "\\x%02x"
                           : code < 0x10000 ? "\\u%04x"
                                            : "\\U%08x",
                           (unsigned)code);
    else
        written = snprintf(shown, HCR_PRINTABLE, "%.*s", (int)length, *text);
    *text += length == 0 ? 1 : length;
    return (size_t)written;
}

static int is_plain(const char *text) {
    while ((*text >= ' ' && *text < 0x7F) || *text == '\n')
        text++;
    return *text == '\0';
}

/* Writes as many whole characters of the printable form of `text` as fit into `capacity` bytes with a 0 behind them;
 * `to` NULL: none. Returns how many bytes all of it takes. */
static size_t put(const char *text, int lines, char *to, size_t capacity) {
    size_t used = 0, kept = 0;
    for (;;) {
        char shown[HCR_PRINTABLE] = "\n";
        const int newline = lines && *text == '\n';
        const size_t length = newline ? 1 : hcr_printable(&text, shown);
        text += newline;
        if (length == 0)
            break;
        if (to != NULL && kept == used && used + length < capacity) {
            memcpy(to + used, shown, length);
            kept += length;
        }
        used += length;
    }
    if (to != NULL)
        to[kept] = '\0';
    return used + 1;
}

void hcri_make_printable(char *text, size_t capacity) {
    char kept[LONGEST];
    if (is_plain(text))
        return;
    snprintf(kept, sizeof kept, "%s", text);
    put(kept, 1, text, capacity);
}

char *hcri_copy_printable(const hcr_allocator *allocator, const char *text) {
    const size_t size = put(text, 0, NULL, 0);
    char *copy = hcri_allocate(allocator, size, 1);
    if (copy != NULL)
        put(text, 0, copy, size);
    return copy;
}

int hcri_is_identifier(const char *name) {
    static const char characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return name[0] != '\0' && (name[0] < '0' || name[0] > '9') && name[strspn(name, characters)] == '\0';
}

static int folded(char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; }

int hcri_word_find(const char *words, const char *text, size_t length) {
    for (int number = 0;; number++, words++) {
        size_t same = 0;
        while (same < length && words[same] != '|' && folded(words[same]) == folded(text[same]))
            same++;
        if (same == length && (words[same] == '|' || words[same] == '\0'))
            return number;
        words += strcspn(words, "|");
        if (*words == '\0')
            return -1;
    }
}
