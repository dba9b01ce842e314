/* What the records of a table's method say together. */
#ifndef HCR_EXPERIMENT_SUMMARY_H
#define HCR_EXPERIMENT_SUMMARY_H

#include "record.h"

/* Over the problems of a group; NaN where there is nothing to say. */
struct summary {
    size_t runs;
    double error, error_deviation, inside, inside_deviation, inside_1e6, excess;
    double average_time, largest_time, average_time_moved, candidates, training_error, seconds;
    double bin[BINS];
    /* Against PROJECTION on the same problems: on how many the error is lower, and the two-sided p of Wilcoxon's
     * signed-rank test. */
    size_t better;
    double p;
};
void summarise(size_t group, enum method method, size_t count, const struct record *records, struct summary *summary);

/* Two-sided p that the pairs' differences are centred at 0: Wilcoxon's signed ranks by their normal approximation with
 * its correction for ties; differences of 0 are left out, NaN when fewer than 6 remain. */
double signed_rank_p(size_t count, const double *differences);

#endif
