/* Directions within the equalities, and dependent outputs from the free ones. Tables: across, orthonormal rows; map, a
 * dependent output as a row of free ones and parameters; map_constants, three numbers each; map_parts, HCR_PARTS of
 * each number of map, of so few bits that no product with half of an output is rounded: fused or not, they are the
 * same; dependent, which outputs they are. equality and right: the equalities themselves; tolerance and alone: the
 * bound of what they may be off. */

/* The output that equality i determines: the dependent one, or where samples have centres what they choose, HCR_OUTPUTS
 * for none. */
#if HCR_CENTRED
#define COMPLETES(at, i) ((at)->completes[i])
#else
#define COMPLETES(at, i) (dependent[i])
#endif

/* The orthogonal projection onto the equalities; twice, so that what is left across is rounding. */
FN void project_along(real *v) {
    uint32_t k;
    for (uint32_t pass = 0u; pass < 2u; pass++) {
        for (uint32_t i = 0u; i < HCR_DEPENDENT; i++) {
            real along = R(0.0);
            k = across_start[i];
            ADD_ROW(along, across, i, k, v)
            for (k = across_start[i]; k < across_start[i + 1u]; k++) {
                v[across_columns[k]] -= along * across_values[k];
            }
        }
    }
}

/* What changes of dependent outputs follow from those of free ones, with what their sum loses; a parameter stays. */
FN void follow_free(real *v) {
    uint32_t k = 0u;
    for (uint32_t i = 0u; i < HCR_DEPENDENT; i++) {
        real change = R(0.0);
        real lost = R(0.0);
        real rest;
        for (; k < map_start[i + 1u]; k++) {
            const uint32_t j = map_columns[k];
#if HCR_PARAMETERS
            const real moved = (j < HCR_OUTPUTS) ? v[j] : R(0.0);
#else
            const real moved = v[j];
#endif
            change = sum_of(change, rounded(map_values[k] * moved), &rest);
            lost += rest;
        }
        v[dependent[i]] = change + lost;
    }
}

#if HCR_GRADIENT
/* Of changes of free outputs and of parameters those of dependent outputs; and of a gradient by all outputs that by the
 * free ones and the parameters. */
FN void follow_on(real *dot) {
    for (uint32_t i = 0u; i < HCR_DEPENDENT; i++) {
        uint32_t k = map_start[i];
        real change = R(0.0);
        ADD_ROW(change, map, i, k, dot)
        dot[dependent[i]] = change;
    }
}

FN void follow_direction_back(real *v) {
    for (uint32_t i = 0u; i < HCR_DEPENDENT; i++) {
        const real a = v[dependent[i]];
        v[dependent[i]] = R(0.0);
        for (uint32_t k = map_start[i]; k < map_start[i + 1u]; k++) {
            if (map_columns[k] < HCR_OUTPUTS) { v[map_columns[k]] += a * map_values[k]; }
        }
    }
}

FN void follow_back(real *g) {
    for (uint32_t i = 0u; i < HCR_DEPENDENT; i++) {
        const real a = g[dependent[i]];
        g[dependent[i]] = R(0.0);
        ADD_COLUMNS(g, map, i, a)
    }
}
#endif

/* A direction within the equalities. Returns its largest number's size. */
FN real project(real *v) {
    real most = R(0.0);
    project_along(v);
    follow_free(v);
    for (uint32_t i = 0u; i < HCR_OUTPUTS; i++) {
        const real size = magnitude(v[i]);
        most = (size > most) ? size : most;
    }
    return most;
}

#if HCR_GRID
/* To the grid on which sums of outputs are exact: numbers from grid[j] on are on it. */
FN real to_grid(real x, uint32_t j) {
    const real size = magnitude(x);
    const real near = rounded(rounded(size + grid[j]) - grid[j]);
    return (size < grid[j]) ? ((x < R(0.0)) ? -near : near) : x;
}
#endif

/* Adds x to a sum of three numbers, without loss but in the last. */
FN void add_exactly(real *sum, real x) {
    real rest;
    sum[0] = sum_of(sum[0], x, &rest);
    sum[1] = sum_of(sum[1], rest, &rest);
    sum[2] += rest;
}

/* Of equality i its output j: the dependent one, or one whose number in map is 1 or -1. */
FN real completed(const real *y, uint32_t i, uint32_t j, const sample *at) {
    real sum[3] = {R(0.0), R(0.0), R(0.0)};
    real rest;
    real turn = R(1.0);
    for (uint32_t p = 0u; p < 3u; p++) { add_exactly(sum, map_constants[(3u * i) + p]); }
    for (uint32_t k = map_start[i]; k < map_start[i + 1u]; k++) {
        const real factor = (map_columns[k] != j) ? factor_of(y, at, map_columns[k]) : R(0.0);
        const real high = first_half(factor);
        const real low = factor - high;
        turn = (map_columns[k] != j) ? turn : -map_values[k];
        for (uint32_t p = 0u; p < HCR_PARTS; p++) {
            const real part = map_parts[(HCR_PARTS * k) + p];
            add_exactly(sum, rounded(part * high));
            add_exactly(sum, rounded(part * low));
        }
    }
    if (j != dependent[i]) { add_exactly(sum, -y[dependent[i]]); }
    sum[0] = sum_of(sum[0], sum[1], &rest);
    return turn * rounded(sum[0] + (rest + sum[2]));
}

/* The outputs that equalities determine, from the others as they are rounded: those that were chosen, then dependent
 * ones. */
FN void complete(real *y, const sample *at) {
    for (int own = 0; own < 2; own++) {
        for (uint32_t i = 0u; i < HCR_DEPENDENT; i++) {
            const uint32_t j = COMPLETES(at, i);
            if ((j < HCR_OUTPUTS) && ((j == dependent[i]) == (own != 0))) { y[j] = completed(y, i, j, at); }
        }
    }
}

/* An output as it was completed is within the tolerance, unless products of its sum underflowed: those of factors of at
 * least HCR_EXACT, or of 0, didn't, and what the others lose is nothing beside an output of at least HCR_TINY. */
FN int is_completed(const real *y, uint32_t i, const sample *at) {
    const real wanted = completed(y, i, dependent[i], at);
    int same = (y[dependent[i]] <= wanted) && (y[dependent[i]] >= wanted);
    for (uint32_t k = map_start[i]; (k < map_start[i + 1u]) && (magnitude(wanted) < HCR_TINY); k++) {
        const real size = magnitude(factor_of(y, at, map_columns[k]));
        same = ((size <= R(0.0)) || (size >= HCR_EXACT)) ? same : 0;
    }
    return same;
}

#if HCR_CENTRED
/* 1 when equalities hold that other outputs than the dependent ones were chosen for. In single precision the tolerance
 * is the rounding of the dependent output, which may be 0, not of the chosen one: sums have to be exact. */
FN int holds_chosen(const real *y, const sample *at) {
    int holds = 1;
#if HCR_SINGLE
    for (uint32_t i = 0u; i < HCR_DEPENDENT; i++) {
        const uint32_t j = at->completes[i];
        if ((j != dependent[i]) && (j < HCR_OUTPUTS)) {
#if HCR_GRID
            holds = (magnitude(completed(y, i, dependent[i], at) - y[dependent[i]]) > R(0.0)) ? 0 : holds;
#else
            holds = 0;
#endif
        }
    }
#endif
    (void)y;
    (void)at;
    return holds;
}
#endif

/* Sure of outputs as they are completed, broken where one is off by more than any tolerance. */
FN verdict check_equalities(const real *y, const sample *at) {
    verdict found = SURE;
    for (uint32_t i = 0u; i < HCR_DEPENDENT; i++) { found = (is_completed(y, i, at) != 0) ? found : UNCERTAIN; }
#if HCR_GRID
    for (uint32_t i = 0u; i < HCR_OUTPUTS; i++) {
        const real near = to_grid(y[i], i);
        found = ((near <= y[i]) && (near >= y[i])) ? found : UNCERTAIN;
    }
#endif
    for (uint32_t i = 0u; (i < HCR_EQUALITIES) && (found == UNCERTAIN); i++) {
        real off = -right[i];
        real most = alone[i];
        for (uint32_t k = equality_start[i]; k < equality_start[i + 1u]; k++) {
            off += equality_values[k] * factor_of(y, at, equality_columns[k]);
        }
        for (uint32_t k = tolerance_start[i]; k < tolerance_start[i + 1u]; k++) {
            most += tolerance_values[k] * magnitude(factor_of(y, at, tolerance_columns[k]));
        }
        found = ((magnitude(off) > most) && (is_finite(off) != 0)) ? BROKEN : found;
    }
    return found;
}
