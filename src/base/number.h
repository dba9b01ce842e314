/* Numbers to and from text, whatever the process's locale says. */
#ifndef HCRI_NUMBER_H
#define HCRI_NUMBER_H

#include <stdarg.h>
#include <stddef.h>

/* Reads a decimal number such as "-1.5e3" from the first characters of text (no leading blanks, no hexadecimal, "inf"
 * and "nan" not accepted) and returns how many it took, 0 when there is none. Correctly rounded; overflow gives
 * ±infinity. */
size_t hcri_number_read(const char *text, size_t length, double *value);
/* Writes the shortest form with at most 17 (single: 9) significant digits that reads back to the same bits; "nan",
 * "inf",
 * "-inf" otherwise. Returns the length; text needs 32 bytes and is terminated. */
size_t hcri_number_write(char *text, double value, int single);

/* vsnprintf with the decimal point of the C locale. */
int hcri_format(char *text, size_t capacity, const char *format, va_list arguments);
/* snprintf likewise. */
__attribute__((format(printf, 3, 4))) int hcri_print(char *text, size_t capacity, const char *format, ...);

#endif
