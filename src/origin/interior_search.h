/* The origin and the analysis of a set without equalities, whatever its kinds. */
#ifndef HCRI_INTERIOR_SEARCH_H
#define HCRI_INTERIOR_SEARCH_H

#include "origin/origin_choice.h"

/* What is found of a set without equalities. */
typedef struct hcri_interior_search {
    const hcri_set *set;
    hcri_origin_request origin_request;
    int is_inside; /* the wished point is known to be strictly inside */
    int unbounded_allowed;
    int centre_only;                /* no extremes */
    const double *interior;         /* a point strictly inside, where one is known that is no origin; else NULL */
    double *origin, *lower, *upper; /* lower, upper: at first as far as they are known from elsewhere */
    double inradius;
    const hcri_rows *rows;         /* NULL, or rows whose extremes are wanted too, … */
    double *row_lower, *row_upper; /* … known as far as this */
} hcri_interior_search;

/* Errors: as hcri_analysis_find's. */
hcr_status hcri_interior_search_run(hcri_interior_search *interior_search, hcr_error *error);
/* Narrows a box by another one. */
void hcri_interior_search_narrow(size_t n, const double *low, const double *high, double *lower, double *upper);

#endif
