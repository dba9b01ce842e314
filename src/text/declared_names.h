/* Names of columns as names that a region text can declare. */
#ifndef HCRI_DECLARED_NAMES_H
#define HCRI_DECLARED_NAMES_H

#include <stddef.h>

enum { HCRI_LONGEST_NAME = 100 /* messages and tables show no more */ };

static inline int hcri_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static inline int hcri_is_digit(char c) { return c >= '0' && c <= '9'; }
/* Words and functions of region text can't be names there. */
int hcri_is_taken_by_language(const char *name, size_t length);
/* A name that is none of those, of at most HCRI_LONGEST_NAME characters. */
int hcri_can_be_declared(const char *name, size_t length);
/* "x[12]" or "x(12)" → the length of "x", and 12; 0 when the name isn't of this kind. */
size_t hcri_element_split(const char *name, size_t *index);

#endif
