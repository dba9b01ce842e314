/* Constraints and directions in words, for messages. */
#ifndef HCRI_CONSTRAINT_WORDS_H
#define HCRI_CONSTRAINT_WORDS_H

#include "region/set.h"

/* Inequality number i of a numbered set: its file and line, its source text and the inequality itself, such as
 * "a.region:3: abs(diff(y)) <= 2 (y[1] - y[0] <= 2)", as far as there are such. One of a reduced set is described as
 * the original has it. Cut to `capacity`. */
void hcri_describe_constraint(const hcri_set *set, uint32_t i, char *text, size_t capacity);
/* The same for equality number e. */
void hcri_describe_equality(const hcri_set *set, size_t e, char *text, size_t capacity);
/* A direction by its largest components, at most six, such as "+y[0] -0.5 price". */
void hcri_describe_direction(const hcri_set *set, const double *direction, char *text, size_t capacity);

#endif
