#include "base/number.h"
#include "base/system.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The length of the decimal number at the start of text, 0 when there is none. */
static size_t scan(const char *text, size_t length) {
    size_t i = 0, digits = 0;
    if (i < length && (text[i] == '+' || text[i] == '-'))
        i++;
    for (; i < length && isdigit((unsigned char)text[i]); i++)
        digits++;
    if (i < length && text[i] == '.')
        for (i++; i < length && isdigit((unsigned char)text[i]); i++)
            digits++;
    if (digits == 0)
        return 0;
    if (i < length && (text[i] == 'e' || text[i] == 'E')) {
        size_t k = i + 1;
        if (k < length && (text[k] == '+' || text[k] == '-'))
            k++;
        if (k < length && isdigit((unsigned char)text[k])) {
            while (k < length && isdigit((unsigned char)text[k]))
                k++;
            i = k;
        }
    }
    return i;
}

/* 1, and the number, where it is one of at most 2^53 times or over a power of ten that is exact, so that it is rounded
 * once (Clinger, 1990): most numbers of tables. */
static int read_quickly(const char *text, size_t size, double *value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { LARGEST = sizeof powers / sizeof powers[0] - 1 };
    const int is_signed = text[0] == '-' || text[0] == '+';
    uint64_t whole = 0;
    int exponent = 0, behind_point = 0;
    for (size_t i = (size_t)is_signed; i < size; i++) {
        if (text[i] == 'e' || text[i] == 'E' || whole > (UINT64_C(1) << 53) / 10)
            return 0;
        if (text[i] == '.') {
            behind_point = 1;
            continue;
        }
        whole = 10 * whole + (uint64_t)(text[i] - '0');
        exponent += behind_point;
    }
    if (exponent > LARGEST || FLT_EVAL_METHOD != 0)
        return 0;
    const double size_of = (double)whole / powers[exponent];
    *value = text[0] == '-' ? -size_of : size_of;
    return 1;
}

size_t hcri_number_read(const char *text, size_t length, double *value) {
    const size_t size = scan(text, length);
    if (size == 0 || read_quickly(text, size, value))
        return size;
    char small[64];
    char *copy = size < sizeof small ? small : malloc(size + 1);
    if (copy == NULL)
        return 0;
    memcpy(copy, text, size);
    copy[size] = '\0';
    *value = hcri_plain_strtod(copy);
    if (copy != small)
        free(copy);
    return size;
}

/* A decimal of at most six places and 15 digits in all, which no other double has, as "%.15g" writes it; 0 where it
 * isn't one. */
static size_t write_short(char *text, double value) {
    const double size = fabs(value), scaled = size * 1e6;
    if (!(size >= 1e-4 && scaled < 1e15))
        return 0;
    const uint64_t millionths = (uint64_t)(scaled + 0.5);
    if ((double)millionths / 1e6 != size)
        return 0;
    char digits[24];
    size_t at = sizeof digits, length = 0;
    uint64_t left = millionths;
    int places = 6;
    for (; places > 0 && left % 10 == 0; places--)
        left /= 10;
    for (int point = places; left != 0 || point >= 0; left /= 10, point--) {
        if (point == 0 && places != 0)
            digits[--at] = '.';
        digits[--at] = (char)('0' + left % 10);
    }
    if (value < 0)
        text[length++] = '-';
    memcpy(text + length, digits + at, sizeof digits - at);
    length += sizeof digits - at;
    text[length] = '\0';
    return length;
}

/* The least of 15, 16 and 17 digits that may give a normal double back: half a unit in its last place is at most 2^-53
 * of it, and a decimal of fewer digits is off by what rounds the 17 in `text` to them, but for one of the last. */
static int likely_digits(const char *text) {
    uint64_t digits = 0;
    int count = 0;
    for (; *text != '\0' && *text != 'e'; text++)
        if (isdigit((unsigned char)*text) && (count != 0 || *text != '0')) {
            digits = 10 * digits + (uint64_t)(*text - '0');
            count++;
        }
    if (count <= 15)
        return 15;
    digits *= count == 16 ? 10 : 1;
    const uint64_t most = digits / (UINT64_C(1) << 53) + 2, by_100 = digits % 100, by_10 = digits % 10;
    return by_100 <= most || 100 - by_100 <= most ? 15 : by_10 <= most || 10 - by_10 <= most ? 16 : 17;
}

size_t hcri_number_write(char *text, double value, int single) {
    if (single)
        value = (float)value; /* nine digits tell singles apart, not the doubles between them */
    if (!isfinite(value)) {
        strcpy(text, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return strlen(text);
    }
    const int most = single ? 9 : 17;
    /* Any decimal with so few digits survives the way to binary and back, so fewer needn't be tried; below the normal
     * numbers this doesn't hold. */
    const int normal = fabs(value) >= (single ? (double)FLT_MIN : DBL_MIN);
    int digits = normal ? (single ? 6 : 15) : 1;
    if (normal && !single) {
        size_t length = write_short(text, value);
        if (length != 0)
            return length;
        length = (size_t)hcri_print(text, 32, "%.17g", value);
        digits = likely_digits(text);
        if (digits == most)
            return length;
    }
    for (;; digits++) {
        const size_t length = (size_t)hcri_print(text, 32, "%.*g", digits, value);
        double back = 0;
        hcri_number_read(text, length, &back);
        const int same = single ? (float)back == (float)value : back == value;
        if (same || digits == most)
            return length;
    }
}

int hcri_format(char *text, size_t capacity, const char *format, va_list arguments) {
    return hcri_plain_format(text, capacity, format, arguments);
}

int hcri_print(char *text, size_t capacity, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = hcri_plain_format(text, capacity, format, arguments);
    va_end(arguments);
    return length;
}
