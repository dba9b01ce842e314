/* What the commands share that make a row of results of each row of a table: encode, decode, contract, project and
 * predict. */
#ifndef HCR_ROW_MAP_H
#define HCR_ROW_MAP_H

#include "parameters.h"

/* Beside those of hcr_outcome, of encode: off the equalities, though r <= 1. */
enum { ROW_OFF = HCR_OUTCOME_DEPENDENT + 1, ROW_OUTCOMES };

struct row_map {
    struct samples samples;
    struct results results;
    bool single;
    struct tally outcome[ROW_OUTCOMES];

    /* of a round */
    size_t lines;   /* of results: a row of the table each, or results.lines */
    double *values; /* the results … */
    float *singles; /* … with `single` here, from where they go there */
    uint32_t *outcomes;
};

/* Takes the table `input`, part by part, through `apply`, which fills values (singles) and outcomes. */
void row_map_run(struct row_map *map, const char *input, void (*apply)(struct row_map *map));
/* Reports how many rows had the outcome, and the first of them; returns whether there were any. */
int row_map_tell(const struct row_map *map, unsigned outcome);

#endif
