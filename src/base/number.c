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

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

/* A number m 2^e times 10^p, of which 17 digits are before the point; four times that, and the ends of what reads back
 * to the same, in units of 2^-shift: all exact, since m 5^p has at most 53 + 63 bits. */
typedef struct scaled {
    wide value, low, high;
    int shift, exponent; /* of ten, of the first digit */
    int ends_count;      /* halfway numbers read back to even ones */
} scaled;

/* 0 where it has more bits. */
static int scale(double size, scaled *at) {
    enum { MOST_FIVES = 27, DIGITS = 17 };
    static const uint64_t end = UINT64_C(100000000000000000);
    int e;
    const uint64_t m = (uint64_t)ldexp(frexp(size, &e), DBL_MANT_DIG);
    at->ends_count = m % 2 == 0;
    for (at->exponent = (int)floor((e - 1) * 0.30102999566398120);; at->exponent++) {
        const int p = DIGITS - 1 - at->exponent;
        at->shift = DBL_MANT_DIG - e - p + 2;
        if (p < 0 || p > MOST_FIVES || at->shift < 3)
            return 0;
        uint64_t fives = 1;
        for (int k = 0; k < p; k++)
            fives *= 5;
        at->value = (wide)(4 * m) * fives;
        at->low = at->value - (wide)fives * (m == UINT64_C(1) << (DBL_MANT_DIG - 1) ? 1 : 2);
        at->high = at->value + (wide)fives * 2;
        if (at->value >> at->shift < end)
            return 1;
    }
}

/* The number rounded to 15, 16 or 17 digits, the fewest that read back to the same, as 17 of them. */
static uint64_t round_shortest(const scaled *at) {
    const uint64_t whole = (uint64_t)(at->value >> at->shift);
    const wide rest = at->value - ((wide)whole << at->shift), half = (wide)1 << (at->shift - 1);
    for (uint64_t unit = 100;; unit /= 10) {
        const uint64_t over = whole % unit;
        const int order = unit == 1          ? (rest > half) - (rest < half)
                          : over != unit / 2 ? (over > unit / 2 ? 1 : -1)
                                             : rest > 0;
        const uint64_t below = whole - over;
        const uint64_t rounded = below + (order > 0 || (order == 0 && below / unit % 2 != 0) ? unit : 0);
        const wide back = (wide)rounded << at->shift;
        if (unit == 1 || (at->ends_count ? back >= at->low && back <= at->high : back > at->low && back < at->high))
            return rounded;
    }
}

/* As "%.*g" writes it with the digits that it takes, of which there may be fewer than that rounds to; 0 for numbers
 * that are too large or small for scale(). */
static size_t write_exactly(char *text, double value) {
    enum { LEAST = 15 };
    scaled at;
    if (value == 0 || !scale(fabs(value), &at))
        return 0;
    char digits[20];
    uint64_t left = round_shortest(&at);
    int count = 0, exponent = at.exponent - 17 + 1;
    for (; left % 10 == 0; exponent++)
        left /= 10;
    for (; left != 0; left /= 10)
        digits[sizeof digits - (size_t)++count] = (char)('0' + left % 10);
    const char *first = digits + sizeof digits - count;
    char *out = text;
    exponent += count - 1; /* of the first digit */
    if (value < 0)
        *out++ = '-';
    if (exponent < -4 || exponent >= (count > LEAST ? count : LEAST)) {
        *out++ = *first;
        if (count > 1)
            *out++ = '.';
        memcpy(out, first + 1, (size_t)count - 1);
        out += count - 1;
        return (size_t)(out - text) + (size_t)hcri_print(out, 8, "e%+03d", exponent);
    }
    for (int place = exponent < 0 ? exponent : 0; place < 0; place++) { /* 0.00… */
        *out++ = '0';
        if (place == exponent)
            *out++ = '.';
    }
    for (int k = 0; k < count || k <= exponent; k++) {
        *out++ = k < count ? first[k] : '0';
        if (k == exponent && k + 1 < count)
            *out++ = '.';
    }
    *out = '\0';
    return (size_t)(out - text);
}
#else
static size_t write_exactly(char *text, double value) {
    (void)text;
    (void)value;
    return 0;
}
#endif

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
        if (length == 0)
            length = write_exactly(text, value);
        if (length != 0)
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
