/* The equalities of a region, solved: some outputs as affine functions of the free ones, and directions that keep them.
 */
#ifndef HCRI_SOLVED_EQUALITIES_H
#define HCRI_SOLVED_EQUALITIES_H

#include "region/set.h"
#include "region/split_rows.h"

typedef struct hcri_affine {
    size_t count;        /* independent equalities, 1 or more; at most n */
    uint32_t *dependent; /* the outputs that they determine, increasing */
    hcri_rows map;       /* T: count rows over the outputs, of which only free ones occur … */
    double *constant;    /* … and y_dependent = constant + T y */
    size_t *alike;       /* in a copy: how many rows of T from this one on have its columns */
    hcri_rows basis;     /* Q: count orthonormal rows that span the equalities': directions are v − Q'Q v */

    /* after hcri_affine_prepare */
    size_t splits;
    hcri_split_rows *split; /* of rows of T that are alike, where products of all of them pay */
    size_t blocks;          /* of rows of Q that are multiplied at once, where they are dense: … */
    hcri_run *across;       /* … those, … */
    hcri_run *back;         /* … and their transposes */
} hcri_affine;

void hcri_affine_release(hcri_affine *affine, const hcr_allocator *allocator);
/* In memory that the caller releases, also after a failure. */
hcr_status hcri_affine_copy(const hcri_affine *affine, const hcr_allocator *allocator, hcri_affine *copy,
                            hcr_error *error);
/* Makes products with directions and points faster. Released with the rest, also
 * after a failure. */
hcr_status hcri_affine_prepare(hcri_affine *affine, size_t outputs, const hcr_allocator *allocator, hcr_error *error);
void hcri_walk_affine(hcri_walk *walk, size_t n, hcri_affine *affine);
/* v = v − Q'Q v, and twice so that what is left of Q v is rounding of the result. */
void hcri_affine_project(const hcri_affine *affine, double *v);
/* The same, and then v_dependent = T v as accurately as a point is completed: from a point of the equalities v leads to
 * others, to a unit in the last place of each output, however large T and the other entries of v are. */
void hcri_affine_direct(const hcri_affine *affine, double *v);
/* That last step alone. */
void hcri_affine_follow(const hcri_affine *affine, double *v);
/* Both for some directions, `stride` apart, with the same bits. */
void hcri_affine_project_all(const hcri_affine *affine, size_t samples, double *v, size_t stride);
void hcri_affine_follow_all(const hcri_affine *affine, size_t samples, double *v, size_t stride);
/* … and a gradient by such a direction, over outputs, to one by its free outputs alone. */
void hcri_affine_follow_adjoint(const hcri_affine *affine, size_t outputs, double *gradient);
/* gradient += T'(that by the dependent outputs), which stays. */
void hcri_affine_pull(const hcri_affine *affine, double *gradient);
/* y_dependent = constant + T y, each rounded once more. */
void hcri_affine_complete(const hcri_affine *affine, double *y);
/* The same for some points, `stride` apart, with the same bits. */
void hcri_affine_complete_all(const hcri_affine *affine, size_t samples, double *y, size_t stride);
/* The same with the rounding of a sum, which is faster. */
void hcri_affine_complete_roughly(const hcri_affine *affine, double *y);
/* The place of output j among the dependent ones, SIZE_MAX for a free one. */
size_t hcri_affine_find(const hcri_affine *affine, uint32_t j);

/* With y_dependent = constant + T y put in, equality i is r_0 + Σ_k r_k y_k = 0, whose coefficients are what rounding
 * made of zeros. Those that are more than (s + 8) units in the last place of what they are sums of, s the number of
 * dependent outputs in the equality, are here, in size. */
typedef struct hcri_remainders {
    double *constant; /* of each equality, 0 where it is no more */
    hcri_rows rows;
} hcri_remainders;

void hcri_remainders_release(hcri_remainders *remainders, const hcr_allocator *allocator);
/* Of equalities in n outputs and parameters. */
hcr_status hcri_remainders_find(const hcri_affine *affine, const hcri_equalities *equalities, size_t n,
                                const hcr_allocator *allocator, hcri_remainders *remainders, hcr_error *error);
/* Bounds |a_i·(y, x) − b_i| for a result y of `outputs` numbers, at parameters x, that hcri_affine_complete finished
 * (docs/exactness.md): `unit` is the unit roundoff of its type, to which the dependent outputs are rounded. */
double hcri_affine_tolerance(const hcri_affine *affine, const hcri_equalities *equalities,
                             const hcri_remainders *remainders, size_t i, size_t outputs, const double *y,
                             const double *x, double unit);

#endif
