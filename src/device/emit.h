/* The C of one block of constraints: its tables, and the template's file of its kind with the block's numbers
 * (src/device/template/ray.device.h), all in units in which c_i(O) is −1. Rounding bounds hold for fused, unfused and
 * wider evaluation, and for machines that flush small numbers to 0. */
#ifndef HCRI_EMIT_H
#define HCRI_EMIT_H

#include "device/export_plan.h"
#include "device/template_text.h"

/* What there is of code for a kind of constraint: a second table beside hcri_kind. */
typedef struct hcri_device_kind {
    const hcri_kind *kind;
    const char *refused; /* why there is none: then nothing else is set; NULL: there is */
    const char *(*refusal)(const hcri_constraint *block); /* … but for this block; NULL: for every one */
    hcr_status (*emit)(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);
    /* With parameters, and the margin that the block then needs over the whole range, infinity when the origin isn't
     * inside for some x; NULL: there is no margin. */
    hcr_status (*emit_moving)(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);
    hcr_status (*margin_moving)(const hcri_plan *plan, const hcri_constraint *block, double *margin, hcr_error *error);
    /* With parameters, where samples look for their origins and results are checked. */
    hcr_status (*emit_checked)(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);
    /* How many times what the library's sums take the code's take, which run term by term and have coefficients that
     * are rounded once more (docs/exactness.md). NULL: 1.5. */
    double (*effort)(const hcri_constraint *block);
    int degree;   /* of the direction's numbers in the gauge: 0 for quotients alone */
    int searches; /* the gauge is searched for along the ray */
} hcri_device_kind;
const hcri_device_kind *hcri_device_kind_of(const hcri_constraint *block); /* never NULL */

/* Unions and excepts, and where samples look for their origins bounds, rows, quadratics and cones, as tables by which
 * results are checked (kinds/union/union_device.c). */
hcr_status hcri_emit_checked(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);
/* Raises *share to about what results have to be drawn in for its check to be sure of them. */
hcr_status hcri_checked_share(const hcri_plan *plan, hcri_constraint *block, double *share, hcr_error *error);
/* 0 for a block without inequalities that exist: it has no code. */
int hcri_emit_is_needed(const hcri_plan *plan, size_t b);
/* Errors: MEMORY; PRECISION for numbers that are too far apart. */
hcr_status hcri_emit_block(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);
/* "#define HCR_BLOCKS(DO) …", see template/maps.device.h. */
void hcri_emit_list(hcri_code *code, const hcri_plan *plan);

/* What the template calls BLOCK(name). */
typedef struct hcri_block_name {
    char text[64];
} hcri_block_name;
hcri_block_name hcri_emit_name(size_t b, const char *name);
/* A table of numbers, none of which may be above plan->largest: PRECISION. */
hcr_status hcri_emit_table(hcri_code *code, const hcri_plan *plan, const char *name, size_t count, const double *values,
                           hcr_error *error);
/* A matrix in compressed rows, times `scale`: NAME_start, NAME_columns, NAME_values. */
hcr_status hcri_emit_rows(hcri_code *code, const hcri_plan *plan, const char *name, const hcri_rows *rows, double scale,
                          hcr_error *error);

#endif
