/* LDL' of sparse symmetric matrices with one pattern and many values: the order, the pattern of L and where each number
 * goes are found once; factorising and solving then allocate nothing. No pivoting: for matrices of which every
 * symmetric permutation has a factor, as quasidefinite ones do (Vanderbei, Symmetric quasidefinite matrices, SIAM J.
 * Optimization 5, 1995). */
#ifndef HCRI_SPARSE_LDL_H
#define HCRI_SPARSE_LDL_H

#include "base/memory.h"
#include "base/status.h"

typedef struct hcri_ldl {
    size_t size;
    uint32_t *order;         /* the node at each place … */
    uint32_t *place;         /* … and the place of each node */
    size_t *above;           /* size + 1: the entries of each place's column above the diagonal … */
    uint32_t *above_row;     /* … their places … */
    uint32_t *above_entry;   /* … and which of the caller's entries each is */
    size_t *column;          /* size + 1: L by columns, the unit diagonal left out … */
    uint32_t *row;           /* … the place of each entry, increasing */
    size_t *across;          /* size + 1: L by rows, in an order in which a row can be solved for … */
    uint32_t *across_column; /* … the column of each entry … */
    size_t *across_entry;    /* … and its number in L by columns */
    unsigned char *together; /* 1 for the first of some rows of L that are solved for at once */
} hcri_ldl;

/* Entries off the diagonal: entry e is at (first[e], second[e]), each pair once. A node with late[i] (NULL: none)
 * isn't eliminated before one of its neighbours, where it has any: its own diagonal may be 0. What it makes is in
 * `memory`, which the caller releases, also after a failure. Errors: MEMORY. */
hcr_status hcri_ldl_make(size_t size, size_t entries, const uint32_t *first, const uint32_t *second,
                         const unsigned char *late, const hcr_allocator *memory, hcri_ldl *ldl, hcr_error *error);
/* Numbers that a factor takes. */
size_t hcri_ldl_numbers(const hcri_ldl *ldl);
/* The factor of the matrix with this diagonal (by node) and these entries; 0 where a pivot is 0 or not finite. */
int hcri_ldl_factorise(const hcri_ldl *ldl, const double *diagonal, const double *entry, double *factor);
/* x, by node, from a right side to the solution. */
void hcri_ldl_solve(const hcri_ldl *ldl, double *factor, double *x);
/* Both to about twice the working precision, at some twenty times the cost: for matrices whose numbers differ by more
 * than a double's digits. The factor takes twice the numbers. */
int hcri_ldl_factorise_twice(const hcri_ldl *ldl, const double *diagonal, const double *entry, double *factor);
void hcri_ldl_solve_twice(const hcri_ldl *ldl, double *factor, double *x);

#endif
