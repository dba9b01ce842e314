#include "origin/point_check.h"

#include <math.h>

int hcri_strictly_inside(const hcri_set *set, const double *y, uint32_t *number, double *value) {
    int inside = 1;
    double worst = -INFINITY;
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count; i++) {
            if (!block->kind->exists(block, i))
                continue;
            double error;
            const double c = block->kind->value(block, i, y, &error, block->scratch);
            if (c + error < 0 || (!inside && c <= worst))
                continue;
            inside = 0;
            worst = c;
            if (number != NULL)
                *number = block->first + (uint32_t)i;
            if (value != NULL)
                *value = c;
        }
    }
    return inside;
}
