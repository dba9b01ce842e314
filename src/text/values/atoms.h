/* The functions that are curved: what the rules of disciplined convex programming know of each. */
#ifndef HCRI_ATOMS_H
#define HCRI_ATOMS_H

#include "functions/tape.h"
#include "text/values/value.h"

/* An atom is a step of a tape, or one of these, which become several. */
enum {
    HCRI_ATOM_FORM = HCRI_STEP_KINDS, /* x'Px */
    HCRI_ATOM_HARMONIC_MEAN,          /* count/Σ 1/x */
    HCRI_ATOM_SUM_LARGEST             /* of the p largest x; of p = 2.5, half of the third */
};

struct hcri_atom {
    int kind;       /* hcri_step_kind, or one of these */
    hcri_span span; /* the expression that made it */
    int negated;    /* that expression is minus the atom: min, entropy */
    double parameter;
    size_t rows;                /* of a matrix */
    const hcri_value *argument; /* of its elements, `count` from `first` on */
    size_t first, count;
    const double *matrix; /* FORM: P, count × count */
    int curvature; /* 1 convex, −1 concave, 0 neither (in star blocks only); of a FORM set by who makes it, … */
    /* … else by hcri_atom_finish, as are: */
    unsigned depends; /* on what: HCRI_ON_… of its elements */
    int sign;         /* 1: >= 0 where it is defined; −1: <= 0; 0: not known */
    size_t number;    /* in the order in which they were made */
    size_t tape;      /* the last that it was put on, counted from 1, … */
    uint32_t step;    /* … and its step there */
    /* A bound on a sum of convex atoms holds when it holds for every choice of one branch of each: */
    size_t branches;             /* choices, SIZE_MAX for too many to count; 1 for those that aren't ABS or MAX */
    size_t pieces;               /* functions to choose from, in total */
    const size_t *branch_offset; /* MAX: choices before element first + k, count + 1 of them */
};

/* Certifies an atom whose upper members are set and fills the others. `called`: its name in the text; span[k] is what
 * the text gives for element k, the last one for all further ones. Outside a star block every atom is convex or concave
 * by the rules. Products of parameters and outputs are for absolute values and maxima alone, whose branches become
 * rows. */
void hcri_atom_finish(hcri_text *text, hcri_atom *atom, const char *called, size_t spans, const hcri_span *span);
/* The value at numbers x, `count` of them; NaN outside its domain. */
double hcri_atom_evaluate(hcri_text *text, const hcri_atom *atom, const double *x);
/* 1 when the atom is defined only where its element number k is >= 0. */
int hcri_atom_needs_nonnegative(const hcri_atom *atom, size_t k);

#endif
