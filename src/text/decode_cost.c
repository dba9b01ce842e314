#include "text/decode_cost.h"

#include "kinds/block.h"
#include "region/sample_centre.h"

static void add_block(const hcri_constraint *block, hcri_work *sum) {
    if (block->kind->add_work != NULL)
        block->kind->add_work(block, sum);
    for (size_t k = 0; hcri_block_part(block, k) != NULL; k++)
        add_block(hcri_block_part(block, k), sum);
}

hcri_work hcri_decode_cost(const hcr_region *region) {
    const double n = (double)region->set.outputs;
    hcri_work sum = {2 * n, 16 * n}; /* the length of v, and the step */
    for (size_t b = 0; b < region->set.blocks; b++) {
        const hcri_constraint *block = region->set.block[b];
        const hcri_work before = sum;
        add_block(block, &sum);
        /* A curved block is evaluated on the ray from the origin of the sample, and at the result. */
        if (region->origin_map.parameters != 0 && !block->kind->is_affine) {
            sum.multiply_adds += 2 * (sum.multiply_adds - before.multiply_adds);
            sum.bytes += 2 * (sum.bytes - before.bytes);
        }
    }
    if (region->origin_map.parameters != 0)
        hcri_work_add(&sum, (double)hcri_rows_entries(&region->origin_map.map),
                      1.5 * (double)hcri_rows_entries(&region->origin_map.map));
    if (region->affine.count != 0) { /* projection, twice, and completion */
        const double basis = (double)hcri_rows_entries(&region->affine.basis),
                     map = (double)hcri_rows_entries(&region->affine.map);
        hcri_work_add(&sum, 4 * basis + map, 1.5 * (basis + map));
    }
    return sum;
}

double hcri_centre_step_cost(const hcr_region *region) {
    if (region->centres == NULL)
        return 0;
    const hcri_ldl *ldl = &region->centres->barrier.ldl;
    double factor = 0;
    for (size_t k = 0; k < ldl->size; k++) {
        const double below = (double)(ldl->column[k + 1] - ldl->column[k]);
        factor += below * (below + 3) / 2;
    }
    return factor +
           2 * (double)(ldl->column[ldl->size] + region->centres->barrier.start[region->centres->barrier.rows]);
}
