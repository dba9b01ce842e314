/* The limits of eight samples, which of them meet, and how far from them nodes are. */
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

void centre_limits(size_t count, const uint32_t *row, const double *constant, const double *factor,
                   const hcri_rows *shift, const double *x, double *moved, double *limit) {
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
    for (size_t k = 0; k < count; k++)
        EACH_PART {
            const lanes whole = spread(constant[k]);
            const lanes at = row[k] < shift->count ? whole - load(moved + 8 * (size_t)row[k] + WIDTH * p) : whole;
            store(limit + 8 * k + WIDTH * p, spread(factor[k]) * at);
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
