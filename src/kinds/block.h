/* What the kinds share: the head of a block. */
#ifndef HCRI_BLOCK_H
#define HCRI_BLOCK_H

#include <math.h>

#include "kernels/sparse_rows.h"
#include "kinds/kind.h"

/* 1/x of a slack x > 0, 0 for an infinite one; at most 1e290, so that products with scaled directions stay finite. */
static inline double hcri_inverse_slack(double slack) { return isinf(slack) ? 0 : fmin(1 / slack, 1e290); }

/* A zeroed struct of kind->size bytes whose first member is an hcri_constraint, with room for the sources of `count`
 * inequalities. NULL when there is no memory. */
void *hcri_block_create(const hcri_kind *kind, size_t n, size_t count, const hcr_allocator *allocator);
/* The block's own memory, released with it, … */
static inline const hcr_allocator *hcri_block_memory(hcri_constraint *constraint) {
    return hcri_pool_allocator(&constraint->memory);
}
/* … and MEMORY when something wasn't to be had of it since this was asked last. */
static inline hcr_status hcri_block_has_memory(hcri_constraint *constraint, hcr_error *error) {
    return hcri_pool_check(&constraint->memory, error);
}
void hcri_block_release(hcri_constraint *constraint);
/* The end of what makes a block: *constraint, or after a failure nothing. */
hcr_status hcri_block_finish(hcri_constraint *made, hcr_status status, hcri_constraint **constraint);
/* hcr_region_block; `kind` is NULL when arrays can't express it. */
hcr_block hcri_block_describe(const hcri_constraint *constraint);
/* UNSUPPORTED: of this program alone. MEMORY. */
hcr_status hcri_block_write(const hcri_constraint *constraint, hcri_bytes *out);
hcr_status hcri_block_read(const hcri_kind *kind, hcri_source *in, size_t n, const hcr_allocator *allocator,
                           hcri_constraint **constraint, hcr_error *error);
/* FORMAT: `what` is said by one part of a compiled file and not by another. */
hcr_status hcri_block_contradiction(hcr_error *error, const char *what);
/* Refuses coefficients of a file beyond HCRI_LARGEST_COEFFICIENT. */
hcr_status hcri_block_verify_numbers(size_t count, const double *values, hcr_error *error);
hcr_status hcri_block_verify_rows(const hcri_rows *rows, hcr_error *error);
/* ORIGIN, with the local number of the inequality that doesn't hold strictly there. */
hcr_status hcri_block_refuse_origin(size_t local, double value, hcr_error *error);
/* `exists` of a block whose inequalities all do. */
int hcri_block_exists(const hcri_constraint *constraint, size_t i);
/* Inequality i has this gauge along ray s. */
static inline void hcri_batch_raise(const hcri_batch *batch, size_t s, double gauge, const hcri_constraint *constraint,
                                    size_t i) {
    if (gauge > batch->best[s]) {
        batch->best[s] = gauge;
        if (batch->active != NULL)
            batch->active[s] = constraint->first + (uint32_t)i;
    }
}
/* Those from `first` on, at most so many. */
static inline hcri_batch hcri_batch_part(const hcri_batch *batch, size_t n, size_t first, size_t most) {
    const size_t left = batch->rows - first;
    return (hcri_batch){.rows = left < most ? left : most,
                        .stride = batch->stride,
                        .v = batch->v + first * batch->stride,
                        .origins = batch->origins == NULL ? NULL : batch->origins + first * n,
                        .best = batch->best + first,
                        .active = batch->active == NULL ? NULL : batch->active + first};
}
/* `gauge` of a block whose `gauge_one` takes all of its time, and that has one inequality … */
void hcri_block_gauge_each(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch);
/* … and the gauge of a whole block along one ray, at least `least`. */
double hcri_block_gauge(const hcri_constraint *constraint, const double *v, double least, double *scratch);
/* `gauge_one` of a block of one inequality, from its `gauge`. */
double hcri_block_gauge_alone(const hcri_constraint *constraint, size_t i, const double *v, double *scratch);
/* `radius` and `margin` of a block that knows none: infinity. */
double hcri_block_radius(const hcri_constraint *constraint);
double hcri_block_margin(const hcri_constraint *constraint, double unit, const hcri_extent *extent, double *scratch);
/* Numbers of scratch for the functions of the block's kind: its own, and where it has the `interval` below, behind them
 * two vectors of n numbers. A multiple of a cache line. */
size_t hcri_block_scratch(const hcri_constraint *constraint);
/* The two vectors. */
double *hcri_block_vectors(const hcri_constraint *constraint, double *scratch);
/* The default for `holds`: value and its error bound, inequality by inequality. */
int hcri_block_holds(const hcri_constraint *constraint, const double *y, double *scratch);
/* The default for `interval`: Newton's method on c_i(O + t v) from value and add_gradient. */
hcri_interval hcri_block_interval(const hcri_constraint *constraint, size_t i, const double *origin, const double *v,
                                  double *scratch);
/* 1 when the block can be part of a region with parameters. */
int hcri_block_takes_parameters(const hcri_constraint *constraint);
/* The default for `gauge_from` of convex inequalities: 1/leave of `interval`, 0 where the ray doesn't leave. An origin
 * that isn't inside gives infinity. */
void hcri_block_gauge_from(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch);
/* 1 when gauge_from reads directions' outputs alone: they may then lie anywhere, without zeros for the parameters. */
int hcri_block_reads_outputs_alone(const hcri_constraint *constraint);
/* For `add_work`: numbers that are read once; products with a matrix in the layout that the kernels use. */
void hcri_work_add(hcri_work *sum, double multiply_adds, double numbers);
void hcri_work_add_layout(const hcri_rows *rows, const hcri_layout *layout, size_t n, hcri_work *sum);
/* The source of inequality i, given and taken. */
static inline hcri_source_row hcri_block_source(const hcri_constraint *constraint, size_t i) {
    return (hcri_source_row){constraint->source[i], constraint->source_row[i]};
}
static inline void hcri_block_set_source(hcri_constraint *constraint, size_t i, hcri_source_row source) {
    constraint->source[i] = source.place;
    constraint->source_row[i] = source.row;
}
/* Copies the sources of `from` to a block with as many inequalities. */
void hcri_block_copy_sources(hcri_constraint *to, const hcri_constraint *from);

#endif
