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

static int is_function(const char *name, size_t length) {
    static const char *const functions[] = {"sqrt", "exp", "log", "log1p", "pow", "sin", "cos", "tanh", "atan"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i]) == length && strncmp(functions[i], name, length) == 0)
            return 1;
    return 0;
}

/* The text of one mark at `format`; returns how many characters of the format it took, 0 for no mark. */
static size_t expand(hcri_code *code, const char *format, char *out, size_t room) {
    const char mark = format[0];
    const char *plain = mark == '@' ? (code->single ? "float" : "double") : mark == '$' ? code->prefix : code->upper;
    if (mark == '@' || mark == '$' || mark == '^') {
        snprintf(out, room, "%s", plain);
        return 1;
    }
    const char *end = mark == '~' || mark == '|' ? strchr(format + 1, mark) : NULL;
    if (end == NULL)
        return 0;
    const size_t length = (size_t)(end - format) - 1;
    double value = 0;
    if (mark == '~') {
        if (hcri_number_read(format + 1, length, &value) == length)
            snprintf(out, room, "%s", hcri_code_literal(code, value).text);
        else /* hexadecimal */
            snprintf(out, room, "%s", hcri_code_literal(code, strtod(format + 1, NULL)).text);
    } else if (!is_function(format + 1, length)) {
        return 0; /* an operator */
    } else {
        snprintf(out, room, "%.*s%s", (int)length, format + 1, code->single ? "f" : "");
    }
    return length + 2;
}

/* The text with its marks replaced; returns 0 when there is no room. */
static int expand_all(hcri_code *code, const char *format, char *out, size_t room) {
    size_t at = 0;
    for (const char *c = format; *c != '\0';) {
        if (at + 64 > room)
            return 0;
        out[at] = '\0';
        const size_t taken = expand(code, c, out + at, room - at);
        if (taken == 0)
            out[at++] = *c++;
        else
            at += strlen(out + at);
        c += taken;
    }
    out[at] = '\0';
    return 1;
}

void hcri_code_template(hcri_code *code, const char *text) {
    char expanded[LONGEST];
    if (expand_all(code, text, expanded, sizeof expanded))
        hcri_code_text(code, expanded);
    else
        code->bytes.failed = 1;
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

static void open_table(hcri_code *code, const char *type, const char *name, size_t count) {
    hcri_code_put(code, "static const %s %s[%zu] = {", type, name, count);
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
    hcri_code_text(code, --code->left > 0 ? "," : "\n};\n");
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

/* One of both has the values. */
static void put_indices(hcri_code *code, const char *name, size_t count, const size_t *wide, const uint32_t *narrow) {
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t value = wide != NULL ? wide[i] : narrow[i];
        most = value > most ? value : most;
    }
    open_table(code,
               most <= UINT8_MAX    ? "uint8_t"
               : most <= UINT16_MAX ? "uint16_t"
                                    : "uint32_t",
               name, count == 0 ? 1 : count);
    if (count == 0)
        put_item(code, "0u");
    for (size_t i = 0; i < count; i++) {
        char text[32];
        snprintf(text, sizeof text, "%zuu", wide != NULL ? wide[i] : narrow[i]);
        put_item(code, text);
    }
}

void hcri_code_indices(hcri_code *code, const char *name, size_t count, const size_t *values) {
    put_indices(code, name, count, values, NULL);
}

void hcri_code_columns(hcri_code *code, const char *name, size_t count, const uint32_t *values) {
    put_indices(code, name, count, NULL, values);
}
