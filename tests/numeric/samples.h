/* Regions whose samples' limits leave outputs no room: families of texts and of parameters drawn for them. */
#ifndef HCR_TEST_SAMPLES_H
#define HCR_TEST_SAMPLES_H

#include "base/random.h"

/* No region has more outputs than SAMPLE_HOURS, no sample more parameters than SAMPLE_MOST. From SAMPLE_FIRST_TOGETHER
 * on several outputs are held together, from SAMPLE_FIRST_CURVED on sets are curved. */
enum {
    SAMPLE_HOURS = 24,
    SAMPLE_MOST = 64,
    SAMPLE_FAMILIES = 10,
    SAMPLE_FIRST_TOGETHER = 4,
    SAMPLE_ROWS_MEET = 5,
    SAMPLE_FIRST_CURVED = 8
};

typedef struct sample_family {
    const char *name, *text;
    /* A sample that has a point; of numbers whose sums are exact, also in single precision, or of any. */
    void (*draw)(hcri_random *random, int is_any, double *x);
    /* One with gaps of any size at once, from rounding to a tenth, which may have no point; NULL: none is drawn. */
    void (*draw_gaps)(hcri_random *random, double *x);
} sample_family;
extern const sample_family sample_families[SAMPLE_FAMILIES];

#endif
