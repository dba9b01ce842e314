/* The BOUNDS section of MPS. */
#ifndef HCRI_MPS_BOUNDS_H
#define HCRI_MPS_BOUNDS_H

#include "import/problem.h"

typedef struct hcri_bounds { /* zero-initialise */
    hcri_field set;          /* the first is meant; text NULL before it */
    size_t other_sets;       /* lines of others */
} hcri_bounds;

/* A line: its fields, of which the first is the type. */
void hcri_bounds_read(hcri_bounds *bounds, hcr_import *import, int fixed, const hcri_field *field, size_t count,
                      int line);
/* A negative upper bound takes the lower bound 0 away that columns have by default. */
void hcri_bounds_finish(hcr_import *import);

#endif
