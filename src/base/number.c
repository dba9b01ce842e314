#include "base/number.h"
#include "base/system.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
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

size_t hcri_number_read(const char *text, size_t length, double *value) {
    const size_t size = scan(text, length);
    if (size == 0)
        return 0;
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
    for (int digits = normal ? (single ? 6 : 15) : 1;; digits++) {
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
