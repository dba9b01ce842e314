#include "device/c_code.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { LONGEST = 6144, LINE = 116 };

void hcri_code_text(hcri_code *code, const char *text) { hcri_put_bytes(&code->bytes, text, strlen(text)); }

void hcri_code_foreign(hcri_code *code, const char *text) {
    char shown[HCR_PRINTABLE];
    for (char last = 0; hcr_printable(&text, shown) != 0; last = shown[0]) {
        if (last == '*' && shown[0] == '/')
            hcri_code_text(code, " ");
        hcri_code_text(code, shown[0] == '`' ? "'" : shown);
    }
}

hcri_literal hcri_code_literal(hcri_code *code, double x) {
    hcri_literal literal;
    const double value = hcri_code_round(code, x);
    if (!isfinite(value))
        code->beyond = x;
    const char *suffix = code->single ? "f" : "";
    const double whole = value * 1024;
    if (fabs(value) < 1e6 && whole == floor(whole)) /* a sum of few powers of 2: its decimals are exact */
        snprintf(literal.text, sizeof literal.text, "%.*f%s", value == floor(value) ? 1 : 10, value, suffix);
    else
        snprintf(literal.text, sizeof literal.text, "%a%s", value, suffix);
    char *point = strchr(literal.text, ','); /* as some locales have it */
    if (point != NULL)
        *point = '.';
    point = strchr(literal.text, '.');
    if (strchr(literal.text, 'x') == NULL && point != NULL) { /* no zeros at the end, but for one behind the point */
        size_t end = strlen(literal.text) - strlen(suffix);
        while (literal.text[end - 1] == '0' && literal.text + end - 2 > point)
            end--;
        snprintf(literal.text + end, sizeof literal.text - end, "%s", suffix);
    }
    return literal;
}

void hcri_code_mean_text(hcri_code *code, const char *name, const char *text) {
    size_t k = 0;
    while (k < code->meanings && strcmp(code->meaning[k].name, name) != 0)
        k++;
    if (k == HCRI_MOST_MEANINGS) {
        code->bytes.failed = 1;
        return;
    }
    code->meanings += k == code->meanings;
    code->meaning[k].name = name;
    snprintf(code->meaning[k].text, sizeof code->meaning[k].text, "%s", text);
}

void hcri_code_mean(hcri_code *code, const char *name, double x) {
    hcri_code_mean_text(code, name, hcri_code_literal(code, x).text);
}

void hcri_code_mean_count(hcri_code *code, const char *name, size_t count) {
    char text[32];
    snprintf(text, sizeof text, "%zuu", count);
    hcri_code_mean_text(code, name, text);
}

void hcri_code_mean_flag(hcri_code *code, const char *name, int value) {
    hcri_code_mean_text(code, name, value ? "" : "0");
}

const char *hcri_code_meaning(const hcri_code *code, const char *name, size_t length) {
    for (size_t k = 0; k < code->meanings; k++)
        if (strlen(code->meaning[k].name) == length && strncmp(code->meaning[k].name, name, length) == 0)
            return code->meaning[k].text;
    return NULL;
}

/* The text with its marks replaced; returns 0 when there is no room. */
static int expand_all(const hcri_code *code, const char *format, char *out, size_t room) {
    size_t at = 0;
    for (const char *c = format; *c != '\0'; c++) {
        const char *plain = *c == '@' ? (code->single ? "float" : "double") : *c == '$' ? code->prefix : code->upper;
        if (at + 64 > room)
            return 0;
        if (*c == '@' || *c == '$' || *c == '^')
            at += (size_t)sprintf(out + at, "%s", plain);
        else
            out[at++] = *c;
    }
    out[at] = '\0';
    return 1;
}

void hcri_code_put(hcri_code *code, const char *format, ...) {
    char expanded[LONGEST], text[LONGEST];
    if (!expand_all(code, format, expanded, sizeof expanded)) {
        code->bytes.failed = 1;
        return;
    }
    va_list arguments;
    va_start(arguments, format);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = hcri_format(text, sizeof text, expanded, arguments);
#pragma GCC diagnostic pop
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text)
        code->bytes.failed = 1;
    else
        hcri_put_bytes(&code->bytes, text, (size_t)length);
}

void hcri_code_define(hcri_code *code, const char *name, double x) {
    hcri_code_put(code, "#define ^%s %s\n", name, hcri_code_literal(code, x).text);
}

void hcri_code_define_count(hcri_code *code, const char *name, size_t count) {
    hcri_code_put(code, "#define ^%s %zuu\n", name, count);
}

static void open_table(hcri_code *code, const char *type, const char *name, size_t count) {
    hcri_code_put(code, "%s %s %s[%zu] = {", hcri_code_constant(code), type, name, count);
    code->left = count;
    code->column = LINE;
}

/* Lines are filled. */
static void put_item(hcri_code *code, const char *text) {
    const size_t length = strlen(text) + 2;
    if (code->column + length > LINE) {
        hcri_code_text(code, "\n   ");
        code->column = 3;
    }
    hcri_code_text(code, " ");
    hcri_code_text(code, text);
    hcri_code_text(code, --code->left > 0 ? "," : "\n};\n\n");
    code->column += length;
}

void hcri_code_table(hcri_code *code, const char *name, size_t count) {
    open_table(code, code->single ? "float" : "double", name, count == 0 ? 1 : count);
    code->constants += code->left;
    if (count == 0)
        hcri_code_number(code, 0);
}

void hcri_code_number(hcri_code *code, double x) { put_item(code, hcri_code_literal(code, x).text); }

void hcri_code_numbers(hcri_code *code, const char *name, size_t count, const double *values) {
    hcri_code_table(code, name, count);
    for (size_t i = 0; i < count; i++)
        hcri_code_number(code, values[i]);
}

static void put_index(hcri_code *code, size_t value, size_t *most) {
    char text[32];
    *most = value > *most ? value : *most;
    snprintf(text, sizeof text, "%zuu", value);
    put_item(code, text);
}

void hcri_code_starts(hcri_code *code, const char *name, size_t count, const size_t *values) {
    open_table(code, "row_start", name, count == 0 ? 1 : count);
    for (size_t i = 0; i < count || code->left > 0; i++)
        put_index(code, count == 0 ? 0 : values[i], &code->most_start);
}

void hcri_code_columns(hcri_code *code, const char *name, size_t count, const uint32_t *values) {
    open_table(code, "row_column", name, count == 0 ? 1 : count);
    for (size_t i = 0; i < count || code->left > 0; i++)
        put_index(code, count == 0 ? 0 : values[i], &code->most_column);
}

const char *hcri_code_unsigned(size_t most) {
    return most <= UINT8_MAX ? "uint8_t" : most <= UINT16_MAX ? "uint16_t" : "uint32_t";
}
