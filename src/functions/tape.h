/* An expression of the outputs as a tape: steps, each made of earlier ones; the last is the value.
 *
 * A tape says nothing of curvature: who makes it knows whether the value is convex. Outside the domain of a step (log
 * of a negative number) the value is NaN; the inequality "value <= 0" doesn't hold there. */
#ifndef HCRI_TAPE_H
#define HCRI_TAPE_H

#include "functions/substitution.h"
#include "kernels/tape_lanes.h"

/* A step, of so many arguments; `rows` of matrices alone. `weights` NULL: ones; only AFFINE and SUM have others. */
typedef struct hcri_new_step {
    hcri_step_kind kind;
    double parameter;
    size_t rows, count;
    const uint32_t *arguments;
    const double *weights;
} hcri_new_step;
/* Appends a step and gives its number. Errors: MEMORY; ARGUMENT
 * for a count, an argument or a parameter that the step can't have; DATA for numbers that aren't finite, or weights
 * above 1e50. The tape starts as {.allocator = …} and stays as it was after a failure. */
hcr_status hcri_tape_add(hcri_tape *tape, const hcri_new_step *step, uint32_t *number, hcr_error *error);
void hcri_tape_release(hcri_tape *tape);
/* ARGUMENT when there is no step, or one with an output that isn't under n. */
hcr_status hcri_tape_check(const hcri_tape *tape, size_t n, hcr_error *error);
/* The value at y = constant + T z as a tape of z. */
hcr_status hcri_tape_substitute(const hcri_tape *tape, const hcri_substitution *substitution,
                                const hcr_allocator *allocator, hcri_tape *substituted, hcr_error *error);
/* 1 when the k-th argument of a step has to be 0 or more for the step to have a value. */
int hcri_step_needs_sign(const hcri_step *step, size_t k);
/* 1 when the kernels have all its steps (kernels/tape_lanes.h). */
int hcri_tape_has_lanes(const hcri_tape *tape);
/* The same for `ways`: steps that have two derivatives everywhere. */
int hcri_tape_has_ways(const hcri_tape *tape);
/* 1 when no step depends on an output. */
int hcri_tape_is_constant(const hcri_tape *tape);

/* The compiled file. */
void hcri_tape_write(const hcri_tape *tape, hcri_bytes *out);
hcr_status hcri_tape_read(hcri_source *in, size_t n, const hcr_allocator *allocator, hcri_tape *tape, hcr_error *error);

#endif
