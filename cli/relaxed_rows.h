/* Rows whose limits contradict each other, of the commands that take --on-empty. */
#ifndef HCR_RELAXED_ROWS_H
#define HCR_RELAXED_ROWS_H

#include "hcr/hcr_build.h"
#include "row_map.h"

enum on_empty { ON_EMPTY_NAN, ON_EMPTY_RELAX, ON_EMPTY_NEAREST };

struct relaxed_rows {
    int on_empty;
    hcr_relaxation *relaxation;
    hcr_workspace *workspace; /* of the relaxed region … */
    hcr_projector *projector; /* … with `nearest` */
    double *x;                /* of a row: the relaxed region's parameters … */
    float *singles;           /* … and the same in single precision */
    double *point;
    float *point_single;
    unsigned char *is_taken; /* of each row of the round; NULL: none is */
};

#define OPTION_ROW_ON_EMPTY(target)                                                                                    \
    OPTION(CHOICE, "on-empty", "nan|relax|nearest",                                                                    \
           "rows whose limits contradict each other: NaN; the map into limits that give as little as they can; the "   \
           "nearest point of those",                                                                                   \
           target)

typedef hcr_status map_double(const hcr_region *, hcr_workspace *, size_t, const double *, const double *, double *,
                              hcr_ray *, hcr_error *);
typedef hcr_status map_single(const hcr_region *, hcr_workspace *, size_t, const float *, const float *, float *,
                              hcr_ray *, hcr_error *);
/* Gives the rows of a round whose limits contradict each other a result, and the outcome RELAXED: before the others get
 * theirs, as the search for a point of such a row takes long to find that there is none. Both NULL: nearest points of
 * the rows themselves. `width`: the columns of a row of the input. */
void relax_rows(struct relaxed_rows *relaxed, struct row_map *map, size_t width, map_double *in_double,
                map_single *in_single);
/* The others, from a row on: how many stand together, from *first on, which goes to the first of them. */
size_t relaxed_others(const struct relaxed_rows *relaxed, size_t rows, size_t *first);

#endif
