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

struct hcri_function {
    const char *name;
    size_t least, most; /* arguments; most SIZE_MAX: any number */
    const hcri_value *(*apply)(const hcri_call *call);
    int atom;         /* for functions that are one atom, … */
    double parameter; /* … its parameter; of zeros and ones, the number */
    int negated;      /* it is the opposite of that, or of what `apply` makes of the opposite */
};

/* Terminated by a NULL name. `read` isn't one: its arguments are strings. */
extern const hcri_function hcri_functions[];
const hcri_function *hcri_function_find(const hcri_text *text, hcri_span name);

#endif
