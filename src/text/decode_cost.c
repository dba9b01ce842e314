#include "text/decode_cost.h"

#include <math.h>

#include "kinds/cone/cone.h"
#include "kinds/expression/expression.h"
#include "kinds/lmi/lmi.h"
#include "kinds/union/union.h"
#include "kinds/varying/varying.h"
#include "region/sample_centre.h"

/* Jets that it takes to find the frontier of an expression (docs/roots.md), and what the value and two derivatives of
 * one argument of a step take, with functions such as exp counted as a few products. */
#define JETS 8
#define JET_OF_ARGUMENT 6

/* Products with a matrix in the layout that the kernels use: multiply-adds, and the numbers that they read. */
static void add_layout(const hcri_rows *rows, const hcri_layout *layout, size_t n, hcri_cost *sum) {
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

static void add(hcri_cost *sum, double multiply_adds, double numbers) {
    sum->multiply_adds += multiply_adds;
    sum->bytes += 8 * numbers;
}

static void add_quadratic(const hcri_quadratic *quadratic, size_t outputs, hcri_cost *sum) {
    const double n = (double)outputs;
    if (quadratic->form == HCRI_FACTOR)
        add_layout(&quadratic->factor, &quadratic->layout, outputs, sum);
    const double own = quadratic->form == HCRI_DENSE      ? n * (n + 1) / 2
                       : quadratic->form == HCRI_DIAGONAL ? n
                                                          : (double)quadratic->factor.count;
    const double gradient = quadratic->gradient_is_zero ? 0 : n;
    add(sum, own + gradient, (quadratic->form == HCRI_FACTOR || quadratic->unit ? 0 : own) + gradient);
}

/* Slacks at the origin of the sample: from the parameters alone where that is cheaper, else from the origin too. */
static void add_moving(const hcri_moving *moving, hcri_cost *sum) {
    const size_t parameters = moving->origin_map->parameters;
    if (moving->map_is_cheaper) {
        add_layout(&moving->map, &moving->map_layout, parameters, sum);
        return;
    }
    add_layout(&moving->slope, &moving->slope_layout, moving->width, sum);
    add_layout(&moving->shift, &moving->shift_layout, parameters, sum);
}

static void add_varying(const hcri_varying *varying, hcri_cost *sum) {
    const double rows = (double)varying->rows.count;
    if (varying->moving == NULL)
        return;
    add_layout(&varying->moving->slope, &varying->moving->slope_layout, varying->moving->width, sum);
    add_moving(varying->moving, sum);
    add(sum, 2 * rows + 2 * (double)varying->pairs, 2 * rows);
}

static void add_block(const hcri_constraint *block, hcri_cost *sum);

static void add_bodies(const hcri_union *set, hcri_cost *sum) {
    for (size_t b = 0; b < set->bodies; b++)
        for (size_t k = 0; k < set->body[b].blocks; k++)
            add_block(set->body[b].block[k], sum);
}

static void add_block(const hcri_constraint *block, hcri_cost *sum) {
    const double n = (double)block->n;
    switch (block->kind->id) {
    case HCRI_KIND_BOX: add(sum, 2 * n, 2 * n); break;
    case HCRI_KIND_LINEAR: {
        const hcri_linear *linear = (const hcri_linear *)block;
        add_layout(&linear->rows, &linear->layout, block->n, sum);
        add(sum, 2 * (double)linear->rows.count, 2 * (double)linear->rows.count);
        if (linear->moving != NULL)
            add_moving(linear->moving, sum);
        break;
    }
    case HCRI_KIND_QUADRATIC: add_quadratic((const hcri_quadratic *)block, block->n, sum); break;
    case HCRI_KIND_CONE: {
        const hcri_cone *cone = (const hcri_cone *)block;
        const double rows = (double)cone->rows.count;
        add_layout(&cone->rows, &cone->layout, block->n, sum);
        add(sum, 2 * rows + n, rows + n);
        break;
    }
    case HCRI_KIND_LMI: { /* the matrix of the direction, and its largest eigenvalue by reduction to three diagonals */
        const hcri_lmi *lmi = (const hcri_lmi *)block;
        const double size = (double)lmi->size, used = (double)hcri_rows_entries(&lmi->terms);
        add(sum, used + 4 * size * size * size / 3, used);
        break;
    }
    case HCRI_KIND_EXPRESSION: {
        const hcri_tape *tape = &((const hcri_expression *)block)->tape;
        const double arguments = (double)(tape->arguments + tape->steps);
        add(sum, JETS * JET_OF_ARGUMENT * arguments, 2 * arguments);
        break;
    }
    case HCRI_KIND_UNION:
    case HCRI_KIND_EXCEPT: add_bodies((const hcri_union *)block, sum); break;
    case HCRI_KIND_VARYING: add_varying((const hcri_varying *)block, sum); break;
    case HCRI_KIND_CALLBACK: /* the caller's: not known */
    case HCRI_KINDS: break;
    }
}

hcri_cost hcri_decode_cost(const hcr_region *region) {
    const double n = (double)region->set.outputs;
    hcri_cost sum = {2 * n, 16 * n}; /* the length of v, and the step */
    for (size_t b = 0; b < region->set.blocks; b++) {
        const hcri_constraint *block = region->set.block[b];
        const hcri_cost before = sum;
        add_block(block, &sum);
        /* A curved block is evaluated on the ray from the origin of the sample, and at the result. */
        if (region->origin_map.parameters != 0 && b >= 2 && block->kind->id != HCRI_KIND_VARYING) {
            sum.multiply_adds += 2 * (sum.multiply_adds - before.multiply_adds);
            sum.bytes += 2 * (sum.bytes - before.bytes);
        }
    }
    if (region->origin_map.parameters != 0)
        add(&sum, (double)hcri_rows_entries(&region->origin_map.map),
            1.5 * (double)hcri_rows_entries(&region->origin_map.map));
    if (region->affine.count != 0) { /* projection, twice, and completion */
        const double basis = (double)hcri_rows_entries(&region->affine.basis),
                     map = (double)hcri_rows_entries(&region->affine.map);
        add(&sum, 4 * basis + map, 1.5 * (basis + map));
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
