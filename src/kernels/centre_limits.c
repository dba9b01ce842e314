/* The limits of eight samples and how they follow parameters, which of them meet, and how far from them nodes are. */
#include "kernels/centre_lanes.h"

int centre_meet(const hcri_centre_system *of, double share, const double *limit, double *met, double *lower) {
    const hcri_centre_system system = *of;
    const lanes zero = spread(0), one = spread(1);
    int any_met = 0;
    for (size_t i = 0; i < system.nodes; i++)
        for (size_t l = 8 * i, p = 0; p < PARTS; p++, l += WIDTH) {
            lanes low, high;
            between(&system, limit + WIDTH * p, i, &low, &high);
            const lanes near = share * lanes_max(lanes_abs(low), lanes_abs(high)), gap = high - low;
            /* Without a limit both are infinite, and nothing is more than infinity. */
            const lanes apart = lanes_if_more(gap, near, one, zero),
                        open = lanes_if_more(gap, spread(1e300), one, apart);
            const lanes found = lanes_if_more(-near, gap, -one, one - open);
            store(met + l, found);
            store(lower + l, low);
            any_met |= any(found != zero);
        }
    return any_met;
}

/* What x adds to each row. */
static void add_up(const hcri_rows *shift, const double *x, double *moved) {
    for (size_t r = 0; r < shift->count; r++) {
        lanes sum[PARTS];
        EACH_PART
        sum[p] = spread(0);
        for (size_t k = shift->start[r]; k < shift->start[r + 1]; k++)
            EACH_PART
        sum[p] = lanes_fused(spread(shift->values[k]), load(x + 8 * (size_t)shift->columns[k] + WIDTH * p), sum[p]);
        EACH_PART
        store(moved + 8 * r + WIDTH * p, sum[p]);
    }
}

void centre_limits(size_t count, const hcri_centre_limits *of, const double *x, double *moved, double *limit) {
    const hcri_centre_limits limits = *of;
    add_up(limits.shift, x, moved);
    for (size_t k = 0; k < count; k++)
        EACH_PART {
            const lanes whole = spread(limits.constant[k]);
            const lanes at = limits.row[k] < limits.shift->count
                                 ? whole - load(moved + 8 * (size_t)limits.row[k] + WIDTH * p)
                                 : whole;
            store(limit + 8 * k + WIDTH * p, spread(limits.factor[k]) * at);
        }
}

/* φ_i'' by limit k: its factor over its squared distance. */
static inline lanes bent(const hcri_centre_limits *limits, const double *inverse, size_t k, size_t p) {
    const lanes own = load(inverse + 8 * k + WIDTH * p);
    return limits->factor[k] * own * own;
}

void centre_pull_limits(const hcri_centre_system *of, const hcri_centre_limits *by, const hcri_eight_centres *at,
                        double *moved, double *x) {
    const hcri_centre_system system = *of;
    const hcri_centre_limits limits = *by;
    const hcri_rows shift = *limits.shift;
    for (size_t r = 0; r < shift.count; r++)
        EACH_PART
    store(moved + 8 * r + WIDTH * p, spread(0));
    for (size_t i = 0; i < system.nodes; i++)
        for (size_t k = system.limit[2 * i]; k < system.limit[2 * i + 2]; k++)
            for (size_t p = 0, to = 8 * (size_t)limits.row[k]; p < PARTS && limits.row[k] < shift.count;
                 p++, to += WIDTH)
                store(moved + to, lanes_fused(-bent(&limits, at->scratch, k, p), load(at->value + 8 * i + WIDTH * p),
                                              load(moved + to)));
    for (size_t r = 0; r < shift.count; r++)
        for (size_t k = shift.start[r]; k < shift.start[r + 1]; k++)
            for (size_t p = 0, to = 8 * (size_t)shift.columns[k]; p < PARTS; p++, to += WIDTH)
                store(x + to, lanes_fused(spread(shift.values[k]), load(moved + 8 * r + WIDTH * p), load(x + to)));
}

void centre_push_limits(const hcri_centre_system *of, const hcri_centre_limits *by, const hcri_eight_centres *at,
                        double *moved, const double *x, double *right) {
    const hcri_centre_system system = *of;
    const hcri_centre_limits limits = *by;
    add_up(limits.shift, x, moved);
    for (size_t i = 0; i < system.nodes; i++) {
        lanes sum[PARTS];
        EACH_PART
        sum[p] = spread(0);
        for (size_t k = system.limit[2 * i]; k < system.limit[2 * i + 2]; k++)
            for (size_t p = 0; p < PARTS && limits.row[k] < limits.shift->count; p++)
                sum[p] = lanes_fused(-bent(&limits, at->scratch, k, p),
                                     load(moved + 8 * (size_t)limits.row[k] + WIDTH * p), sum[p]);
        const int is_row = i >= system.columns;
        for (size_t p = 0, to = is_row ? 0 : 8 * (size_t)system.place[i]; p < PARTS && !is_row; p++, to += WIDTH)
            store(right + to, load(right + to) + sum[p]);
        const size_t first = is_row ? system.start[i - system.columns] : 0,
                     last = is_row ? system.start[i - system.columns + 1] : 0;
        for (size_t k = first; k < last; k++)
            for (size_t p = 0, to = 8 * (size_t)system.at[k]; p < PARTS; p++, to += WIDTH)
                store(right + to, lanes_fused(spread(system.value[k]), sum[p], load(right + to)));
    }
}

void centre_measure(const hcri_centre_system *of, const double *safe, const hcri_eight_centres *at, double spare[8],
                    double room[8]) {
    const hcri_centre_system system = *of;
    lanes least_spare[PARTS], least_room[PARTS], none[PARTS];
    EACH_PART {
        least_spare[p] = least_room[p] = spread(__builtin_inf());
        none[p] = spread(0);
    }
    for (size_t i = 0; i < system.nodes; i++) {
        lanes value[PARTS], least[PARTS];
        EACH_PART {
            value[p] = load(at->value + 8 * i + WIDTH * p);
            none[p] += value[p] - value[p];
            least[p] = spread(__builtin_inf());
        }
        for (size_t k = system.limit[2 * i]; k < system.limit[2 * i + 2]; k++) {
            const int is_upper = k >= system.limit[2 * i + 1];
            EACH_PART {
                const lanes limit = load(at->limit + 8 * k + WIDTH * p);
                const lanes distance = is_upper ? limit - value[p] : value[p] - limit;
                least[p] = lanes_min(distance, least[p]);
                least_spare[p] = lanes_min(distance - spread(safe[k]), least_spare[p]);
            }
        }
        EACH_PART
        least_room[p] = lanes_min(spread(1 / system.length[i]) * least[p], least_room[p]);
    }
    EACH_PART {
        store(spare + WIDTH * p, least_spare[p] + none[p]);
        store(room + WIDTH * p, least_room[p] + none[p]);
    }
}
