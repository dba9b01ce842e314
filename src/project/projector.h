/* What projecting and its derivatives share: a projector, what each of its threads has, a call on its way. */
#ifndef HCRI_PROJECTOR_H
#define HCRI_PROJECTOR_H

#include "maps/rays.h"
#include "project/face.h"
#include "project/region_projection.h"

/* What a thread has for itself. */
typedef struct hcri_lane {
    hcr_workspace *workspace;    /* the region's */
    hcri_projection *projection; /* onto the region; of curved ones with parameters onto their slice at the last x */
    hcr_region *slice;
    hcr_workspace *slice_workspace;
    double *x;                   /* the last x, NaN at first */
    double *numbers;             /* the memory of all arrays of doubles below */
    hcri_face *face;             /* made when it is first needed */
    double *points, *xs;         /* a chunk's: what is projected, and parameters */
    hcri_sample_origins origins; /* a chunk's, (O(x), x) and what is held, and behind them the last one's */
    int has_last;
    double *away, *moved, *result;       /* from the origin; those that move: nearest points, and drawn inside */
    double *moved_xs;                    /* … and their parameters */
    float *moved_single, *result_single; /* the same in single precision */
    double *gauge;
    unsigned char is_result[HCRI_CHUNK];  /* whether the row's point has become its result */
    double *lifted, *room, *top, *bottom; /* set.n + 1 each */
    double *v;                            /* what a row was projected from */
    double *own_y, *own_result, *own_bar; /* likewise: a row, where it isn't a double's in place */
    hcr_contact *contacts;                /* n */
    double *scratch;
    hcr_status status; /* of the first call that failed, at row `failed` */
    size_t failed;
    hcr_error error;
} hcri_lane;

typedef struct hcri_pieces hcri_pieces;

struct hcr_projector {
    const hcr_region *region;
    hcri_pieces *pieces;       /* of a region that isn't convex: what is below has no use then; else NULL */
    hcri_metric *metric;       /* NULL: 1 */
    double *equality_rounding; /* of each equality, where outputs and parameters are 1, in single precision */
    hcr_bad_value bad_value;
    int linear, warm;
    int is_polytope;
    int is_clamped; /* bounds alone, each for itself */
    int refines;    /* what was added to Q is taken out again, by proximal steps */
    size_t threads, chunk;
    hcri_lane *lane;
};

/* A call of hcr_project or of one of its derivatives. The arrays hold all rows, in the type that `precision` says. */
typedef struct hcri_project_call {
    hcr_precision precision;
    const void *x, *in; /* the parameters, and points or linear terms */
    void *out;
    uint32_t *outcomes;
    hcr_contact *contacts;
    /* of derivatives: the contacts or NULL, what is multiplied with, and the gradient by x */
    const hcr_contact *known;
    const void *factor, *x_factor;
    void *x_out;
} hcri_project_call;

/* Rows first … first + rows − 1, at most a chunk. */
typedef hcr_status hcri_project_function(hcr_projector *projector, hcri_lane *lane, const hcri_project_call *call,
                                         size_t first, size_t rows, hcr_error *error);
hcri_project_function hcri_project_chunk, hcri_project_vjp_chunk, hcri_project_jvp_chunk;
/* The face of the region's curved inequalities. Errors: MEMORY, UNSUPPORTED. */
hcr_status hcri_lane_face(hcr_projector *projector, hcri_lane *lane, hcr_error *error);

#endif
