/* A region of N outputs, and ROWS samples of INPUTS numbers for it, of the sizes that the test defines beforehand. */
#include "cases.h"

static double X[ROWS * INPUTS], Y[ROWS * N];
static hcr_region *region;

static int setup(void **state) {
    (void)state;
    region = make_region(N);
    make_data(ROWS, INPUTS, N, X, Y);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    hcr_region_free(region);
    return 0;
}
