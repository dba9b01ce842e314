/* The functions that are curved: what the rules of disciplined convex programming know of each. */
#ifndef HCRI_ATOMS_H
#define HCRI_ATOMS_H

#include "text/values/value.h"

typedef enum hcri_atom_kind {                    /* x_k are its elements, p its parameter */
                              HCRI_ATOM_ABS,     /* |x|, of one element */
                              HCRI_ATOM_MAX,     /* the largest */
                              HCRI_ATOM_SQUARES, /* Σ x² */
                              HCRI_ATOM_FORM,    /* x'Px */
                              HCRI_ATOM_NORM,    /* (Σ |x|^p)^(1/p) */
                              HCRI_ATOM_EXP,
                              HCRI_ATOM_LOG,
                              HCRI_ATOM_SQRT,
                              HCRI_ATOM_POWER, /* x^p: of x >= 0 unless p is a whole number >= 0 */
                              HCRI_ATOM_XLOGX,
                              HCRI_ATOM_HUBER,    /* x² up to |x| = p, then 2p|x| − p² */
                              HCRI_ATOM_SOFTPLUS, /* log(1 + e^x) */
                              HCRI_ATOM_SIN,
                              HCRI_ATOM_COS,
                              HCRI_ATOM_TANH,
                              HCRI_ATOM_ATAN,
                              HCRI_ATOM_LOG_SUM_EXP,
                              HCRI_ATOM_GEO_MEAN,
                              HCRI_ATOM_HARMONIC_MEAN,
                              HCRI_ATOM_QUAD_OVER_LIN,      /* Σ_{k >= 1} x_k²/x_0 */
                              HCRI_ATOM_RELATIVE_ENTROPY,   /* x_0 log(x_0/x_1) */
                              HCRI_ATOM_LARGEST_EIGENVALUE, /* of a symmetric matrix, row-major */
                              HCRI_ATOM_NUCLEAR_NORM,       /* of a matrix, row-major */
                              HCRI_ATOM_PRODUCT,            /* x_0 x_1: in star blocks, as is the next */
                              HCRI_ATOM_QUOTIENT            /* x_0/x_1 */
} hcri_atom_kind;

struct hcri_atom {
    hcri_atom_kind kind;
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
/* The value at numbers x, `count` of them; NaN outside its domain. Not of eigenvalues and singular values
 * (matrices.h). */
double hcri_atom_evaluate(const hcri_atom *atom, const double *x);
/* 1 when the atom is defined only where its element number k is >= 0. */
int hcri_atom_needs_nonnegative(const hcri_atom *atom, size_t k);

#endif
