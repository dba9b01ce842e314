/* The template as it stands, with tables made by hand: its maps against rays that are followed step by step, its
 * derivatives against differences. C, and C++ as well: tests/cli/template.sh compiles it with every compiler there is,
 * in both precisions (HCR_SINGLE), and for each PART of it. */
#include <stdio.h>

#ifndef HCR_SINGLE
#define HCR_SINGLE 0
#endif
#ifndef PART
#define PART 1
#endif
#define HCR_GRADIENT (PART == 2 || PART == 3 || PART == 5)
#define HCR_PARAMETERS (PART == 3 || PART == 5)
#define HCR_EQUALITIES (PART == 4)
#define HCR_GRID 0
#define HCR_VERIFIED (PART == 1 || PART == 5)
#define HCR_ORIGINS 0
#define HCR_CENTRED (PART == 5)
#define HCR_MAY_FAIL (PART == 5)
#define HCR_BOUNDED 1
#define HCR_CONSTRAINED 1
#define HCR_MAPS 1
#define HCR_MODEL 0
#define HCR_OUTPUTS 3u
#if HCR_SINGLE
#define HCR_MOST R(0.9999)
#define HCR_LEAST_GAUGE R(0x1p-90)
#define HCR_ROUNDING R(0x1.03p-24)
#define HCR_UNDERFLOW R(0x1p-124)
#define HCR_TWO_UNITS R(0x1p-23)
#else
#define HCR_MOST R(0.9999)
#define HCR_LEAST_GAUGE R(0x1p-400)
#define HCR_ROUNDING R(0x1.03p-53)
#define HCR_UNDERFLOW R(0x1p-1020)
#define HCR_TWO_UNITS R(0x1p-52)
#endif
#define HCR_DEPENDENT 1u
#define HCR_PARTS 2u
#define HCR_EXACT R(0x1p-30)
#define HCR_TINY R(0x1p-60)
#define HCR_NOTHING HCR_TWO_UNITS *R(32.0)

#if HCR_CENTRED
#define HCR_LIMITS 6u
#define HCR_SINGLES 4u
#define HCR_COUPLED 2u
#define HCR_NODES 5u
#define HCR_FACTOR 3u
#define HCR_LIMIT_PARTS 1u
#define HCR_LIMIT_ERROR (HCR_ROUNDING * R(12.0))
#define HCR_LIMIT_UNIT HCR_ROUNDING
#define HCR_DUST (HCR_ROUNDING * HCR_ROUNDING)
#define HCR_LOST_PRODUCTS HCR_UNDERFLOW
#define HCR_SURELY_EXACT R(0x1p-100)
#define HCR_DEPENDENT_SHARE HCR_NOTHING
#define HCR_NEAR R(0x1p-10)
#define HCR_STEPS 60u
#define HCR_TURNS R(0x1p-16)
#endif

#define FN static __attribute__((unused))
#define INLINE static inline __attribute__((unused))
#define API static __attribute__((unused))
#define TABLE static const __attribute__((unused))

#include "device/template/prelude.device.h"

#include "device/template/api.device.h"
#include "device/template/numbers.device.h"
#include "device/template/ray.device.h"

/* The cube of the numbers up to 1, around (0.1, 0, -0.1), or around 0 where outputs sum to 0. */
#if HCR_EQUALITIES || HCR_PARAMETERS
#define OFF R(0.0)
#else
#define OFF R(0.1)
#endif
TABLE real centre[3] = {OFF, R(0.0), -OFF};
TABLE real lower[3] = {R(-1.0), R(-1.0), R(-1.0)};
TABLE real upper[3] = {R(1.0), R(1.0), R(1.0)};
TABLE real doubt[3] = {R(0.0), R(0.0), OFF};
TABLE real nearness[3] = {R(0.8), R(0.9), R(0.8)};
TABLE real above[3] = {R(1.0) / (R(1.0) - OFF), R(1.0), R(1.0) / (R(1.0) + OFF)};
TABLE real below[3] = {R(-1.0) / (R(1.0) + OFF), R(-1.0), R(-1.0) / (R(1.0) - OFF)};

/* One parameter x in [-1, 1]: the origin moves by x/4 in the first output. */
TABLE real x_least[1] = {R(-1.0)};
TABLE real x_most[1] = {R(1.0)};
TABLE real x_middle[1] = {R(0.0)};
TABLE row_start origin_map_start[4] = {0, 1, 1, 1};
TABLE row_column origin_map_columns[1] = {0};
TABLE real origin_map_values[1] = {R(0.25)};

/* y[2] = -y[0] - y[1]. */
TABLE row_start across_start[2] = {0, 3};
TABLE row_column across_columns[3] = {0, 1, 2};
TABLE real across_values[3] = {R(0.5773502691896258), R(0.5773502691896258), R(0.5773502691896258)};
TABLE row_start map_start[2] = {0, 2};
TABLE row_column map_columns[2] = {0, 1};
TABLE real map_values[2] = {R(-1.0), R(-1.0)};
TABLE real map_parts[4] = {R(-1.0), R(0.0), R(-1.0), R(0.0)};
TABLE real map_constants[3] = {R(0.0), R(0.0), R(0.0)};
TABLE row_column dependent[1] = {2};
TABLE row_start equality_start[2] = {0, 3};
TABLE row_column equality_columns[3] = {0, 1, 2};
TABLE real equality_values[3] = {R(1.0), R(1.0), R(1.0)};
TABLE row_start tolerance_start[2] = {0, 3};
TABLE row_column tolerance_columns[3] = {0, 1, 2};
TABLE real tolerance_values[3] = {R(0x1p-20), R(0x1p-20), R(0x1p-20)};
TABLE real right[1] = {R(0.0)};
TABLE real alone[1] = {R(0.0)};
#include "device/template/sums.device.h"
#if HCR_EQUALITIES
#include "device/template/equalities.device.h"
#endif
#include "device/template/step.device.h"

#include "device/template/roots.device.h"

#include "device/template/eigenvalues.device.h"

#include "device/template/bounded.device.h"

#include "device/template/slopes.device.h"

#include "device/template/lifted.device.h"

#if HCR_CENTRED
/* Each number from -1 to 1, y[2] + x/4 <= 1/4, y[0] - y[1] <= 1, y[0] + y[1] + y[2] - x/4 <= 1/2. */
#define NO_LIMIT LARGEST, R(0.0), R(0.0)
#define LIMIT(x) R(x), R(0.0), R(0.0)
TABLE row_start limit_start[7] = {0, 1, 2, 3, 5, 7, 11};
TABLE row_column limit_columns[11] = {0, 1, 2, 2, 3, 0, 1, 0, 1, 2, 3};
#define COEFFICIENTS                                                                                                   \
    { R(1.0), R(1.0), R(1.0), R(1.0), R(0.25), R(1.0), R(-1.0), R(1.0), R(1.0), R(1.0), R(-0.25) }
TABLE real limit_values[11] = COEFFICIENTS;
TABLE real limit_parts[11] = COEFFICIENTS;
TABLE real limit_least[18] = {LIMIT(-1.0), LIMIT(-1.0), LIMIT(-1.0), NO_LIMIT, NO_LIMIT, NO_LIMIT};
TABLE real limit_most[18] = {LIMIT(1.0), LIMIT(1.0), LIMIT(1.0), LIMIT(0.25), LIMIT(1.0), LIMIT(0.5)};
TABLE row_column limit_is_plain[6] = {1, 1, 1, 0, 0, 0};
TABLE row_column limit_node[6] = {0, 1, 2, 2, 3, 4};
TABLE real limit_times[6] = {R(1.0), R(1.0), R(1.0), R(1.0), R(1.0), R(1.0)};
TABLE row_start parameter_terms_start[7] = {0, 0, 0, 0, 1, 1, 2};
TABLE row_column parameter_terms_columns[2] = {3, 3};
TABLE real parameter_terms_values[2] = {R(0.25), R(-0.25)};
TABLE row_start coupled_start[3] = {0, 2, 5};
TABLE row_column coupled_columns[5] = {0, 1, 0, 1, 2};
TABLE real coupled_values[5] = {R(1.0), R(-1.0), R(1.0), R(1.0), R(1.0)};
TABLE real coupled_length[2] = {R(1.4142135623730951), R(1.7320508075688772)};
TABLE row_start factor_start[3] = {0, 1, 3};
#include "device/template/limits.device.h"

#include "device/template/nodes.device.h"

#include "device/template/centre.device.h"

#include "device/template/own_origin.device.h"

#if HCR_GRADIENT
#include "device/template/centre_derivatives.device.h"
#endif

#include "device/template/damping.device.h"
#define HCR_BLOCKS(DO) DO(limits_gauge, limits_check, limits_gradient, 0u, 2u * HCR_LIMITS, 1)
#else
#define HCR_BLOCK 0
#define HCR_FIRST 0u
#include "device/template/box.device.h"
#undef HCR_BLOCK
#undef HCR_FIRST

#define HCR_ERROR HCR_TWO_UNITS *R(20.0)
#define HCR_FIXED HCR_TWO_UNITS *R(20.0)
#define HCR_LOST HCR_UNDERFLOW

#if HCR_PARAMETERS
/* y[0] + (1/2 + x/4) y[1] <= 1 + x/8 - x*x/8: with y = O + v, O = x/4 in y[0], against 1 + x/8 - x/4 - x*x/8. */
#define HCR_BLOCK 1
#define HCR_FIRST 6u
#define HCR_COUNT 1u
#define HCR_MIXED 1
#define HCR_RATE 1
#define HCR_CURVATURE 1
TABLE row_start block_1_slope_start[2] = {0, 2};
TABLE row_column block_1_slope_columns[2] = {0, 1};
TABLE real block_1_slope_values[2] = {R(1.0), R(0.5)};
TABLE row_start block_1_mixed_start[2] = {0, 1};
TABLE row_column block_1_mixed_columns[1] = {1};
TABLE real block_1_mixed_values[1] = {R(0.25)};
TABLE row_start block_1_rate_start[2] = {0, 1};
TABLE row_column block_1_rate_columns[1] = {0};
TABLE real block_1_rate_values[1] = {R(-0.125)};
TABLE row_start block_1_curvature_start[2] = {0, 1};
TABLE row_column block_1_curvature_columns[1] = {0};
TABLE real block_1_curvature_values[1] = {R(-0.125)};
#include "device/template/moving.device.h"
#undef HCR_BLOCK
#undef HCR_FIRST
#undef HCR_COUNT
/* [[1 + x/20, z], [z, 1 + x/20]] >= 0, z = (y[1] + y[2] + x/8)/1.2; exp(y[0] + y[2]) <= 2 - x/4. */
#define HCR_BLOCK 2
#define HCR_FIRST 8u
#define HCR_COUNT 2u
#define HCR_TRACE_ERROR HCR_TWO_UNITS *R(10.0)
TABLE row_start block_2_entries_start[4] = {0, 1, 4, 5};
TABLE row_column block_2_entries_columns[5] = {3, 1, 2, 3, 3};
TABLE real block_2_entries_values[5] = {R(-0.05), R(1.0) / R(1.2), R(1.0) / R(1.2), R(0.125) / R(1.2), R(-0.05)};
#include "device/template/lmi.device.h"
#undef HCR_BLOCK
#undef HCR_FIRST
#undef HCR_COUNT
#define HCR_BLOCK 3
#define HCR_FIRST 9u
FN real block_3_value(const real *y) {
    return plain_add(plain_exp(plain_add(y[0], y[2])), plain_scaled(y[3], R(0.25)) - R(2.0));
}
FN bounded block_3_bounds(const real *y) {
    return bound_add(bound_exp(bound_add(bound_output(y[0]), bound_output(y[2]))),
                     bound_add(bound_scaled(bound_output(y[3]), R(0.25)), bound_constant(R(-2.0))));
}
FN void block_3_slopes(const real *y, real *g) {
    const real sum = plain_add(y[0], y[2]);
    const real slope = SLOPE_exp(sum, plain_exp(sum), 0);
    g[0] += slope * FIRST_add(y[0], y[2], sum);
    g[2] += slope * SECOND_add(y[0], y[2], sum);
    g[3] += SLOPE_scaled(y[3], 0, R(0.25));
}
#include "device/template/expression.device.h"
#define HCR_BLOCKS(DO)                                                                                                 \
    DO(block_0_gauge, block_0_check, block_0_gradient, 0u, 6u, 0)                                                      \
    DO(block_1_gauge, block_1_check, block_1_gradient, 6u, 8u, 0)                                                      \
    DO(block_2_gauge, block_2_check, block_2_gradient, 8u, 9u, 0)                                                      \
    DO(block_3_gauge, block_3_check, block_3_gradient, 9u, 10u, 0)
#else
/* -1.2 <= y[0] + y[1] + y[2] <= 0.9 and y[0] - y[1] <= 1; the sum is 0 at the origin. */
#define HCR_BLOCK 1
#define HCR_FIRST 6u
#define HCR_COUNT 2u
#define HCR_RATIO 1
#define HCR_WRITTEN (PART == 1)
#define HCR_ROWS(ROW, PAIR)                                                                                            \
    PAIR(6u, R(0.75), ((R(1.0) / R(0.9)) * v[0]) + ((R(1.0) / R(0.9)) * v[1]) + ((R(1.0) / R(0.9)) * v[2]))            \
    ROW(8u, ((R(1.0) / (R(1.0) - OFF)) * v[0]) - ((R(1.0) / (R(1.0) - OFF)) * v[1]))
TABLE row_start side_start[3] = {0, 3, 5};
TABLE row_column side_columns[5] = {0, 1, 2, 0, 1};
TABLE real side_values[5] = {R(1.0) / R(0.9), R(1.0) / R(0.9), R(1.0) / R(0.9), R(1.0) / (R(1.0) - OFF),
                             R(-1.0) / (R(1.0) - OFF)};
TABLE real ratio[2] = {R(0.75), R(0.0)};
TABLE row_start number[2] = {0, 2};
#include "device/template/linear.device.h"
#undef HCR_BLOCK
#undef HCR_FIRST
#undef HCR_COUNT

/* y'y <= 1.21, in three forms; at the origin y'y = 2 OFF^2. */
#define DEEP (R(1.21) - (R(2.0) * OFF * OFF))
#define HCR_GRADIENT_ERROR HCR_TWO_UNITS *R(20.0)
#define HCR_SLOPE 1
#define HCR_BLOCK 2
#define HCR_FIRST 10u
#define HCR_COUNT 0u
#define HCR_DIAGONAL 1
#define HCR_TRIANGLE 0
TABLE real block_2_slope[3] = {R(2.0) * OFF / DEEP, R(0.0), R(-2.0) * OFF / DEEP};
TABLE real block_2_square[3] = {R(1.0) / DEEP, R(1.0) / DEEP, R(1.0) / DEEP};
#include "device/template/quadratic.device.h"
#undef HCR_BLOCK
#undef HCR_FIRST
#undef HCR_COUNT
#undef HCR_DIAGONAL
#undef HCR_TRIANGLE
/* y[0]^2 + y[0] y[1] + y[1]^2 <= 1 */
#define FLAT (R(1.0) - (OFF * OFF))
#define HCR_BLOCK 3
#define HCR_FIRST 11u
#define HCR_COUNT 0u
#define HCR_DIAGONAL 0
#define HCR_TRIANGLE 1
TABLE real block_3_slope[3] = {R(2.0) * OFF / FLAT, OFF / FLAT, R(0.0)};
TABLE real block_3_square[6] = {R(1.0) / FLAT, R(1.0) / FLAT, R(0.0), R(1.0) / FLAT, R(0.0), R(0.0)};
#include "device/template/quadratic.device.h"
#undef HCR_BLOCK
#undef HCR_FIRST
#undef HCR_COUNT
#undef HCR_DIAGONAL
#undef HCR_TRIANGLE
#undef HCR_SLOPE
/* (y[1] - y[2] - OFF)^2 <= 1, which is 0 at the origin */
#define HCR_BLOCK 4
#define HCR_FIRST 12u
#define HCR_COUNT 1u
#define HCR_SLOPE 0
#define HCR_DIAGONAL 0
#define HCR_TRIANGLE 0
TABLE row_start block_4_square_start[2] = {0, 2};
TABLE row_column block_4_square_columns[2] = {1, 2};
TABLE real block_4_square_values[2] = {R(1.0), R(-1.0)};
#include "device/template/quadratic.device.h"
#undef HCR_BLOCK
#undef HCR_FIRST
#undef HCR_COUNT

/* |(y[0], y[1])| <= 1 + y[2]/2; at the origin |.| = OFF against E. */
#define E (R(1.0) - (R(0.5) * OFF))
#define HCR_BLOCK 5
#define HCR_FIRST 13u
#define HCR_COUNT 2u
#define HCR_RISE 1
#define HCR_REST (R(1.0) - ((OFF / E) * (OFF / E)))
TABLE row_start block_5_cone_start[3] = {0, 1, 2};
TABLE row_column block_5_cone_columns[2] = {0, 1};
TABLE real block_5_cone_values[2] = {R(1.0) / E, R(1.0) / E};
TABLE real block_5_start[2] = {OFF / E, R(0.0)};
TABLE real block_5_rise[3] = {R(0.0), R(0.0), R(0.5) / E};
#include "device/template/cone.device.h"
#undef HCR_BLOCK
#undef HCR_FIRST
#undef HCR_COUNT
#define HCR_SMOOTH(DO)                                                                                                 \
    DO(block_0_gauge, block_0_check, block_0_gradient, 0u, 6u, 0)                                                      \
    DO(block_1_gauge, block_1_check, block_1_gradient, 6u, 10u, 0)                                                     \
    DO(block_2_gauge, block_2_check, block_2_gradient, 10u, 11u, 0)                                                    \
    DO(block_3_gauge, block_3_check, block_3_gradient, 11u, 12u, 0)                                                    \
    DO(block_4_gauge, block_4_check, block_4_gradient, 12u, 13u, 0)                                                    \
    DO(block_5_gauge, block_5_check, block_5_gradient, 13u, 14u, 0)
#if PART == 1
/* [[1, z_1], [z_1, 1]] >= 0 has the corners |z_1| <= 1, z_1 = (y[1] + y[2] + OFF)/1.2; exp(y[0] + y[2]) <= 2. */
#define HCR_BLOCK 6
#define HCR_FIRST 14u
#define HCR_COUNT 2u
#define HCR_TRACE_ERROR HCR_TWO_UNITS *R(10.0)
TABLE row_start block_6_entries_start[4] = {0, 0, 2, 2};
TABLE row_column block_6_entries_columns[2] = {1, 2};
TABLE real block_6_entries_values[2] = {R(1.0) / R(1.2), R(1.0) / R(1.2)};
#include "device/template/lmi.device.h"
#undef HCR_BLOCK
#undef HCR_FIRST
#undef HCR_COUNT
#define HCR_BLOCK 7
#define HCR_FIRST 15u
#define HCR_VALUE R(-1.0)
FN real block_7_value(const real *y) { return plain_add(plain_exp(plain_add(y[0], y[2])), plain_constant(R(-2.0))); }
FN bounded block_7_bounds(const real *y) {
    return bound_add(bound_exp(bound_add(bound_output(y[0]), bound_output(y[2]))), bound_constant(R(-2.0)));
}
#include "device/template/expression.device.h"
#define HCR_BLOCKS(DO)                                                                                                 \
    HCR_SMOOTH(DO)                                                                                                     \
    DO(block_6_gauge, block_6_check, block_6_gradient, 14u, 15u, 0)                                                    \
    DO(block_7_gauge, block_7_check, block_7_gradient, 15u, 16u, 1)
#else
#define HCR_BLOCKS(DO) HCR_SMOOTH(DO)
#endif
#endif
#endif

#include "device/template/maps.device.h"

#if HCR_CENTRED
#include "device/template/damping_derivatives.device.h"
#endif
#if HCR_GRADIENT
#include "device/template/gradients.device.h"
#endif

/* --------------------------------------------------------------------------------------------------------- the test */

static int failures;

static void expect(int holds, const char *what, int row) {
    if (!holds) {
        failures++;
        (void)printf("row %d: %s\n", row, what);
    }
}

/* By how much y breaks the inequalities, as they are written above; more than 0 outside. */
static double excess(const double *y, double x) {
    double most = -1.0;
    int j;
    for (j = 0; j < 3; j++) {
        most = fmax(most, fabs(y[j]) - 1.0);
    }
#if HCR_CENTRED
    most = fmax(most, fmax(y[2] + (0.25 * x) - 0.25, (y[0] - y[1]) - 1.0));
    most = fmax(most, ((y[0] + y[1]) + y[2]) - ((0.25 * x) + 0.5));
#elif HCR_PARAMETERS
    most = fmax(most, (y[0] + ((0.5 + (0.25 * x)) * y[1])) - ((1.0 + (0.125 * x)) - (0.125 * x * x)));
    most = fmax(most, (fabs(y[1] + y[2] + (0.125 * x)) / 1.2) - (1.0 + (0.05 * x)));
    most = fmax(most, exp(y[0] + y[2]) + (0.25 * x) - 2.0);
#else
    {
        const double off = (double)OFF, sum = y[0] + y[1] + y[2], gap = (y[1] - y[2]) - off;
        (void)x;
        most = fmax(most, fmax(sum - 0.9, -1.2 - sum));
        most = fmax(most, (y[0] - y[1]) - 1.0);
        most = fmax(most, ((y[0] * y[0]) + (y[1] * y[1]) + (y[2] * y[2])) - 1.21);
        most = fmax(most, ((y[0] * y[0]) + (y[0] * y[1]) + (y[1] * y[1])) - 1.0);
        most = fmax(most, (gap * gap) - 1.0);
        most = fmax(most, sqrt((y[0] * y[0]) + (y[1] * y[1])) - (1.0 + (0.5 * y[2])));
#if PART == 1
        most = fmax(most, (fabs(y[1] + y[2] + off) / 1.2) - 1.0);
        most = fmax(most, exp(y[0] + y[2]) - 2.0);
#endif
    }
#endif
    return most;
}

static uint32_t seed = 7u;
static real uniform(void) {
    seed = (seed * 1664525u) + 1013904223u;
    return ((real)(seed >> 8) / R(8388608.0)) - R(1.0);
}

#if HCR_PARAMETERS
#define HCR_GOT_X_BAR , &got[3]
#define HCR_GIVEN_IN &in[3],
#else
#define HCR_GOT_X_BAR
#define HCR_GIVEN_IN
#endif

int main(void) {
    const double close = HCR_SINGLE ? 2e-5 : 1e-9;
    int row;
    for (row = 0; row < 2000; row++) {
        real v[3], y[3], z[3], origin[3];
        real x[1];
        double low = 0.0, high = 40.0, off = 0.0, size = 0.0;
        int j, k, outcome;
        for (j = 0; j < 3; j++) {
            v[j] = uniform() * ((row % 7 == 0) ? R(0x1p-40) : R(1.0)) * ((row % 5 == j) ? R(0.0) : R(1.0));
        }
        x[0] = R(0.999) * uniform();
#if HCR_EQUALITIES
        v[2] = -v[0] - v[1];
#endif
        outcome = hcr_decode(v, R(1.0), HCR_PASS_X y);
        (void)hcr_contract(v, HCR_PASS_X z);
        hcr_origin(HCR_PASS_X origin);
        expect(hcr_check(HCR_PASS_X y) != HCR_OUTSIDE, "a result is called outside", row);
        expect(hcr_check(HCR_PASS_X origin) == HCR_INSIDE, "the origin isn't called inside", row);
        expect(outcome == HCR_FRONTIER, "the outcome", row);
#if HCR_EQUALITIES
        {
            const real wanted = -y[0] - y[1];
            expect((y[2] <= wanted) && (y[2] >= wanted), "an output that follows from the others", row);
        }
#endif
        for (j = 0; j < 3; j++) {
            size = fmax(size, (double)magnitude(v[j]));
        }
        for (k = 0; k < 100; k++) { /* how far the ray is inside */
            const double t = 0.5 * (low + high);
            double p[3];
            for (j = 0; j < 3; j++) {
                p[j] = (double)origin[j] + (t * (double)v[j] / size);
            }
            if (excess(p, (double)x[0]) <= 0.0) {
                low = t;
            } else {
                high = t;
            }
        }
        {
            double wanted[3], far[3], here[3];
            for (j = 0; j < 3; j++) {
                wanted[j] = (double)origin[j] + ((double)HCR_MOST * low * (double)v[j] / size);
                here[j] = (double)y[j];
                off = fmax(off, fabs(here[j] - wanted[j]));
                far[j] = (double)origin[j] + ((here[j] - (double)origin[j]) * 1.01);
            }
            expect(off <= close, "not where the ray ends", row);
            expect(excess(here, (double)x[0]) <= 0.0, "outside", row);
            for (j = 0; j < 3; j++) {
                y[j] = (real)far[j];
            }
        }
        expect(hcr_check(HCR_PASS_X y) == HCR_OUTSIDE, "what is outside isn't called so", row);
        for (j = 0; j < 3; j++) { /* O + v, or as far as that goes */
            const double wanted = (double)origin[j] + (fmin(1.0, (double)HCR_MOST * low / size) * (double)v[j]);
            expect(fabs((double)z[j] - wanted) <= close, "contract", row);
        }
#if HCR_GRADIENT && !HCR_SINGLE
        {
            const real bar[3] = {R(1.0), R(-2.0), R(0.5)};
            real got[4], radius, in[4], out[3][3];
            hcr_decode_gradient(v, R(0.5), HCR_PASS_X bar, got, &radius HCR_GOT_X_BAR);
            for (j = 0; j < 3 + HCR_PARAMETERS; j++) { /* the direction's numbers, then the parameter */
                const real unit = (j < 3) ? (real)size : R(1.0);
                real left = R(0.0), right_side = R(0.0);
                int side;
                for (side = 0; side < 3; side++) {
                    (void)memcpy(in, v, sizeof v);
                    in[3] = x[0];
                    in[j] += (real)(side - 1) * unit * R(1e-6);
                    (void)hcr_decode(in, R(0.5), HCR_GIVEN_IN out[side]);
                }
                for (k = 0; k < 3; k++) {
                    left += bar[k] * (out[1][k] - out[0][k]);
                    right_side += bar[k] * (out[2][k] - out[1][k]);
                }
                if (magnitude(left - right_side) < R(1e-9)) { /* no corner in between */
                    expect(fabs((double)(((left + right_side) / R(2e-6)) - (got[j] * unit))) <= 1e-4, "a derivative",
                           row);
                }
            }
        }
#endif
    }
    {
        real v[3] = {R(0.0), R(0.0), R(0.0)}, y[3];
        const real nothing = v[0];
#if !HCR_PARAMETERS
        expect(hcr_decode(v, R(0.5), y) == HCR_AT_ORIGIN, "no direction", 0);
        v[1] = R(1.0) / nothing;
        expect(hcr_contract(v, y) == HCR_BAD_VALUE, "an infinity", 0);
        v[1] = v[1] - v[1];
        expect(hcr_soften(v, y) == HCR_BAD_VALUE, "a NaN", 0);
        expect((y[1] <= R(0.0)) && (y[1] >= R(0.0)), "not the origin", 0);
#else
        real x[1] = {R(2.0)};
        (void)nothing;
        expect(hcr_decode(v, R(0.5), x, y) == HCR_OUT_OF_RANGE, "a parameter out of range", 0);
        x[0] = R(1.0);
        expect(hcr_decode(v, R(0.5), x, y) == HCR_AT_ORIGIN, "no direction", 0);
#endif
    }
    (void)printf(failures == 0 ? "as expected\n" : "not as expected\n");
    return failures == 0 ? 0 : 1;
}
