#include "text/decode_cost.h"

#include <math.h>

#include "region/sample_centre.h"

void hcri_cost_add_layout(const hcri_rows *rows, const hcri_layout *layout, size_t n, hcri_cost *sum) {
    for (size_t r = 0; r < layout->runs; r++) {
        const hcri_run *run = &layout->run[r];
        const double count = (double)run->count;
        switch (run->form) {
        case HCRI_RUN_STENCIL:
            sum->multiply_adds += count * (double)run->terms;
            sum->bytes += 12.0 * (double)run->terms;
            break;
        case HCRI_RUN_DENSE: {
            const double padded = ceil(count / HCRI_PANEL) * HCRI_PANEL * (double)n;
            sum->multiply_adds += padded;
            sum->bytes += 8 * padded;
            break;
        }
        case HCRI_RUN_SPARSE: {
            const double used = (double)(rows->start[run->first + run->count] - rows->start[run->first]);
            sum->multiply_adds += used;
            sum->bytes += 12 * used + 8 * count;
            break;
        }
        }
    }
}

void hcri_cost_add(hcri_cost *sum, double multiply_adds, double numbers) {
    sum->multiply_adds += multiply_adds;
    sum->bytes += 8 * numbers;
}

void hcri_cost_add_moving(const hcri_moving *moving, hcri_cost *sum) {
    const size_t parameters = moving->origin_map->parameters;
    if (moving->map_is_cheaper) {
        hcri_cost_add_layout(&moving->map, &moving->map_layout, parameters, sum);
        return;
    }
    hcri_cost_add_layout(&moving->slope, &moving->slope_layout, moving->width, sum);
    hcri_cost_add_layout(&moving->shift, &moving->shift_layout, parameters, sum);
}

static void add_block(const hcri_constraint *block, hcri_cost *sum) {
    const hcri_text_kind *kind = hcri_text_kind_of(block);
    if (kind != NULL)
        kind->add_cost(block, sum);
    for (size_t k = 0; hcri_block_part(block, k) != NULL; k++)
        add_block(hcri_block_part(block, k), sum);
}

hcri_cost hcri_decode_cost(const hcr_region *region) {
    const double n = (double)region->set.outputs;
    hcri_cost sum = {2 * n, 16 * n}; /* the length of v, and the step */
    for (size_t b = 0; b < region->set.blocks; b++) {
        const hcri_constraint *block = region->set.block[b];
        const hcri_cost before = sum;
        add_block(block, &sum);
        /* A curved block is evaluated on the ray from the origin of the sample, and at the result. */
        if (region->origin_map.parameters != 0 && !block->kind->is_affine) {
            sum.multiply_adds += 2 * (sum.multiply_adds - before.multiply_adds);
            sum.bytes += 2 * (sum.bytes - before.bytes);
        }
    }
    if (region->origin_map.parameters != 0)
        hcri_cost_add(&sum, (double)hcri_rows_entries(&region->origin_map.map),
                      1.5 * (double)hcri_rows_entries(&region->origin_map.map));
    if (region->affine.count != 0) { /* projection, twice, and completion */
        const double basis = (double)hcri_rows_entries(&region->affine.basis),
                     map = (double)hcri_rows_entries(&region->affine.map);
        hcri_cost_add(&sum, 4 * basis + map, 1.5 * (basis + map));
    }
    return sum;
}

double hcri_centre_step_cost(const hcr_region *region) {
    if (hcri_slice_centre_scratch(region) == 0)
        return 0;
    const double n = (double)(region->set.outputs - region->affine.count),
                 m = (double)(region->existing - 2 * region->origin_map.parameters);
    return m * n * n / 2 + n * n * n / 6;
}
