/* Products in single precision, twice as fast as in double: they rule out rows and forms that can't be the nearest. The
 * others are then computed in double precision, so that results have the same bits as without. */
#ifndef HCRI_SINGLE_PRECISION_H
#define HCRI_SINGLE_PRECISION_H

#include <stddef.h>

/* Rows of a panel. */
#define HCRI_SINGLE_PANEL 16

/* Rows between limits: the panels are column by column, `width` columns, the last one padded with zeros, and so are
 * lower, upper and error bound. At most HCRI_SINGLE_ROWS rows. */
typedef struct hcri_single_rows {
    size_t count, width;
    const float *panels, *lower, *upper, *error_bound;
} hcri_single_rows;

/* Directions are given by pointers, so that any of them can be taken together. */
typedef struct hcri_single_kernels {
    /* direction[s n + j] = v_sj/size_s */
    void (*directions)(size_t n, size_t samples, const double *v, size_t stride, const double *size, float *direction);
    /* out[s HCRI_SINGLE_ROWS + i] = a_i·v_s for `count` rows, panels as above, and samples as below. */
    void (*products)(size_t count, const float *panels, size_t width, size_t samples, const float *const v[],
                     float *out);
    /* most[s HCRI_SINGLE_ROWS + i] = max(t upper_i, t lower_i) + error_bound_i, t = a_i·v_s; exceeds[s] = 1 where one
     * of them is above limit_s, which is then raised to the largest of them less 2 error_bound_i. At most
     * HCRI_SINGLE_SAMPLES samples. */
    void (*rows_exceed)(const hcri_single_rows *rows, size_t samples, const float *const v[], float *limit, float *most,
                        unsigned char *exceeds);
    /* out[s] ~ v_s' U v_s, U upper triangular in panels: panel p has columns 16 p … n − 1. */
    void (*triangle_form)(size_t n, const float *panels, size_t samples, const float *const v[], float *out);
} hcri_single_kernels;
enum { HCRI_SINGLE_ROWS = 64, HCRI_SINGLE_SAMPLES = 32 };

#endif
