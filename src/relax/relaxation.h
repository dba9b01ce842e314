/* What a relaxation is made of: the rows of a region, which of their sides may be relaxed, and the relaxed region. */
#ifndef HCRI_RELAXATION_H
#define HCRI_RELAXATION_H

#include "region/region.h"
#include "relax/elastic.h"

#define HCRI_NO_SLACK UINT32_MAX

struct hcr_relaxation {
    hcr_allocator allocator; /* the region's, which may be freed first */
    hcri_pool memory;
    const hcr_region *region;
    hcr_region *relaxed;
    hcri_elastic_rows rows; /* their values and limits those at parameters 0, of a sample's own where they move */
    const hcri_constraint **block; /* of each row, NULL for an equality … */
    uint32_t *number;              /* … and which row of it */
    double *length;                /* what the row was divided by */
    hcri_rows shift;               /* what the parameters add to each row, divided likewise */
    size_t slacks;
    uint32_t *slack;           /* of each side, HCRI_NO_SLACK where it is hard */
    uint32_t *side;            /* of each slack */
    double widest;             /* no slack is larger */
    uint32_t *twin;            /* of each row the first one with its coefficients, or with their opposites */
    uint32_t *place;           /* of each row, in the limits of the region's centres; HCRI_NO_SLACK: it has none */
    uint32_t *output_of_entry; /* of each entry of the rows of the region's centres */
};

/* A sample at work: its rows, and the solution. `memory` releases it. */
typedef struct hcri_relaxing {
    const hcr_relaxation *relaxation;
    hcri_elastic_rows rows;
    hcri_elastic elastic;
    double *values, *lower, *upper, *length, *price;
    unsigned char *priority; /* the relaxation's, or all 0 */
    double *point;           /* (y, x) */
    double *guess, *scratch, *bar, *gradient, *by_row;
    uint32_t *columns;
    double *entries;
    double *slack;       /* of each side: 0 where it holds … */
    double *limit;       /* … and what a·y, or −a·y of a lower side, is at most with it */
    double *value;       /* of each row a·y at the centre, once that is found */
    hcri_elastic before; /* for derivatives a copy of `elastic`, whose active rows the origin changes */
    double *matrix, *centre, *centre_scratch, *weight, *slack_bar, *row_of_h; /* the origin's */
    hcri_elastic_rows inward_rows; /* directions from the solution inside of limits that are met, as points */
    hcri_elastic inwards;
    double *inward_lower, *inward_upper;
    unsigned char *inward_priority;
    hcr_precision precision;
    unsigned char *pinned; /* 1 for rows that relaxed limits, of their own and of their twins, leave one value */
    int is_point;          /* the relaxed limits leave the solution alone, but for the room */
    int is_centred;        /* else the origin is the solution, and moves with it */
    double size;           /* of the solution: its largest output */
    double room;           /* limits that are no further from it count as met */
} hcri_relaxing;

hcr_status hcri_relaxing_create(const hcr_relaxation *relaxation, const hcr_allocator *memory, hcri_relaxing *relaxing,
                                hcr_error *error);
/* The rows at x, and the guess; 0 when x is out of its range. */
int hcri_relaxing_begin(hcri_relaxing *relaxing, const double *x);
/* c of a side at the solution, which hcri_relaxing_take put into the point: how far it is violated, at most. */
double hcri_relaxing_violation(const hcri_relaxing *relaxing, uint32_t side);

/* relaxed_origin.c. From the solution, and slacks that leave room, to a point strictly inside the relaxed limits, in
 * s->centre: in the face of least violation their analytic centre, from where it goes inside by a share of the room.
 * From here on only the sides that every point of the face meets are active. */
void hcri_relaxed_origin(hcri_relaxing *relaxing);
/* The same from the solution itself. */
void hcri_relaxed_origin_at_point(hcri_relaxing *relaxing);
/* The same for some samples at once, each with the bits that it has beside any others, of a region with a
 * centre_plan.h; `scratch`: hcri_centre_plan_scratch numbers. */
enum { HCRI_RELAXED_AT_ONCE = 8 };
void hcri_relaxed_origins(size_t count, hcri_relaxing *const *some, double *scratch);
/* 1 when it is inside of all limits by more than rounding, and where these leave one value no further off than that. */
int hcri_relaxed_origin_is_inside(const hcri_relaxing *relaxing);
/* The gradients by the parameters and by the slacks of sides, both added to, from that by the origin. */
void hcri_relaxed_origin_pull(hcri_relaxing *relaxing, const double *origin_bar, double *slack_bar, double *x_bar);
void hcri_relaxing_add_gradient(const hcri_relaxing *relaxing, uint32_t side, const double *point, double weight,
                                double *bar);

/* relaxed_region.c */
hcr_status hcri_relaxed_region(hcr_relaxation *relaxation, hcr_error *error);

#endif
