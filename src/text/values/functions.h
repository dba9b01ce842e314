/* The functions of the region language. */
#ifndef HCRI_FUNCTIONS_H
#define HCRI_FUNCTIONS_H

#include "text/syntax/tree.h"
#include "text/values/atoms.h"

/* Where in the text atoms come from. */
typedef struct hcri_atom_source {
    hcri_text *text;
    hcri_span span;            /* what makes them */
    const char *called;        /* the function */
    size_t spans;              /* arguments of the text … */
    const hcri_span *argument; /* … for elements 0, 1 … of an atom; the last one for all further ones */
} hcri_atom_source;

typedef struct hcri_call { /* what a function is given */
    hcri_text *text;
    const hcri_node *node;
    size_t count;
    const hcri_value *const *argument;
    hcri_atom_source source; /* the call, and its first argument */
} hcri_call;

/* Where argument i stands in the text. */
static inline hcri_span hcri_argument_span(const hcri_call *call, size_t i) { return call->node->child[i]->span; }

typedef const hcri_value *hcri_apply(const hcri_call *call);

struct hcri_function {
    const char *name;
    size_t least, most; /* arguments; most SIZE_MAX: any number */
    hcri_apply *apply;
    int atom;         /* for functions that are one atom, … */
    double parameter; /* … its parameter; of zeros and ones, the number */
    int negated;      /* it is the opposite of that, or of what `apply` makes of the opposite */
};

/* Terminated by a NULL name. `read` isn't one: its arguments are strings. */
extern const hcri_function hcri_functions[];
const hcri_function *hcri_function_find(const hcri_text *text, hcri_span name);

/* The atom of the function's row in the table, of each element, or of those of all arguments at the same place, and of
 * all of them together. */
hcri_apply hcri_apply_each, hcri_apply_whole;
hcri_apply hcri_apply_abs, hcri_apply_max, hcri_apply_pos, hcri_apply_power, hcri_apply_huber, hcri_apply_log1p,
    hcri_apply_kl_div, hcri_apply_sum_largest, hcri_apply_norm, hcri_apply_quad_form, hcri_apply_quad_over_lin;
hcri_apply hcri_apply_sum, hcri_apply_mean, hcri_apply_diff, hcri_apply_cumsum, hcri_apply_dot, hcri_apply_trace;
hcri_apply hcri_apply_eigenvalue, hcri_apply_sigma_max, hcri_apply_norm_nuc;
hcri_apply hcri_apply_vstack, hcri_apply_hstack, hcri_apply_reshape, hcri_apply_transpose, hcri_apply_diag,
    hcri_apply_kron, hcri_apply_repeat, hcri_apply_linspace, hcri_apply_filled, hcri_apply_eye, hcri_apply_range,
    hcri_apply_len;

/* A list: scalars make a vector, vectors of one length a matrix. */
const hcri_value *hcri_value_stack(hcri_text *text, hcri_span span, size_t count, const hcri_value *const *values);
/* Sums of x, each multiplied by `weight`: of all elements (axis −1), or of the columns (0) or rows (1) of a matrix. */
const hcri_value *hcri_sum(const hcri_call *call, const hcri_value *x, int axis, double weight);
/* Refuses argument i unless it is one. */
void hcri_needs_vector(const hcri_call *call, size_t i);

#endif
