/* An exported model on a Cortex-M4 under QEMU: rows of "rows.csv", which are inputs and then the parameters that its
 * predictions are given, to rows of outputs, exactly as they are. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "t.h"

static char line[1 << 16];
static t_real row[NUMBERS], y[T_OUTPUTS]; /* NUMBERS: in a row */

int main(void) {
    FILE *rows = fopen("rows.csv", "r");
    while (rows != NULL && fgets(line, sizeof line, rows) != NULL) {
        char *next = line;
        for (uint32_t j = 0; j < NUMBERS; j++, next++)
            row[j] = (t_real)strtod(next, &next);
#if NUMBERS > T_INPUTS
        (void)t_predict(row, &row[T_INPUTS], y);
#else
        (void)t_predict(row, y);
#endif
        for (uint32_t j = 0; j < T_OUTPUTS; j++)
            printf(j + 1 < T_OUTPUTS ? "%.17g," : "%.17g\n", (double)y[j]);
    }
    return 0;
}
