#include "row_map.h"

#include "tables.h"

static void note_outcomes(struct row_map *map) {
    struct samples *samples = &map->samples;
    const size_t rows = samples->stream.table.rows, each = rows == 0 ? 1 : map->lines / rows;
    for (size_t i = 0; i < rows; i++) {
        const uint32_t outcome = map->outcomes[i * each];
        tally_add(&map->outcome[outcome], samples->stream.first_row + i);
        if (outcome == HCR_OUTCOME_OUT_OF_RANGE || outcome == HCR_OUTCOME_NO_ORIGIN || outcome == HCR_OUTCOME_DEPENDENT)
            samples_note_lost(samples, i);
    }
}

void row_map_run(struct row_map *map, const char *input, void (*apply)(struct row_map *map)) {
    map->results.precision = map->single ? HCR_SINGLE : HCR_DOUBLE;
    samples_open(&map->samples, input, &map->results);
    while (samples_next(&map->samples)) {
        const size_t columns = map->results.columns, each = map->results.lines == 0 ? 1 : map->results.lines;
        const size_t lines = map->lines = map->samples.stream.table.rows * each;
        map->values = renew(map->values, lines, columns * sizeof *map->values);
        map->outcomes = renew(map->outcomes, lines, sizeof *map->outcomes);
        if (map->single)
            map->singles = renew(map->singles, lines, columns * sizeof *map->singles);
        apply(map);
        if (map->single)
            values_from_single(map->singles, lines * columns, map->values);
        note_outcomes(map);
        stream_write(&map->samples.stream, map->values);
    }
    samples_close(&map->samples);
}

int row_map_tell(const struct row_map *map, unsigned outcome) {
    static const char *const what[ROW_OUTCOMES] = {
        [HCR_OUTCOME_OUTSIDE] = "outside the region: r > 1",
        [HCR_OUTCOME_HIDDEN] = "inside the region, but hidden from the origin: r > 1",
        [HCR_OUTCOME_BAD_VALUE] = "with values that aren't finite: the origin was written instead",
        [HCR_OUTCOME_NO_FRONTIER] = "in unbounded directions: the origin was written instead",
        [HCR_OUTCOME_NEARBY] = "of which the solver found a near point inside, but not the nearest",
        [HCR_OUTCOME_TO_ROUNDING] = "with rows that their parameters leave one value: they hold up to rounding",
        [HCR_OUTCOME_DEPENDENT] = "whose parameters leave equalities that aren't certainly independent",
        [HCR_OUTCOME_RELAXED] = "whose limits contradict each other, inside what soft limits give at least",
        [ROW_OFF] = "off the region's equalities by more than rounding: direction and radius are of the nearest point "
                    "on them"};
    const struct tally *tally = &map->outcome[outcome];
    report_rows(tally->count, what[outcome], tally->first);
    return tally->count > 0;
}
