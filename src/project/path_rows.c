/* Affine inequalities on the central path: s_i = 1 + g_i·w > 0 with g_i the gradient over the slack at the origin. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "project/path_kind.h"

typedef struct path_rows {
    hcri_path_part part;
    hcri_rows g;
    double *s, *z, *ds, *dz, *product; /* one a row */
} path_rows;

static void release(hcri_path_part *part) {
    path_rows *rows = (path_rows *)part;
    hcri_rows_release(&rows->g, &hcri_default_allocator);
    free(rows->s);
    free(rows);
}

static int place(hcri_path_part *part, const double *w) {
    path_rows *rows = (path_rows *)part;
    int inside = 1;
    for (size_t i = 0; i < part->degree; i++) {
        rows->s[i] = 1 + hcri_rows_dot(&rows->g, i, w, NULL);
        inside &= rows->s[i] > 0;
    }
    return inside;
}

static void start(hcri_path_part *part, double mu) {
    path_rows *rows = (path_rows *)part;
    for (size_t i = 0; i < part->degree; i++)
        rows->z[i] = mu / rows->s[i];
}

static int renew(hcri_path_part *part) {
    path_rows *rows = (path_rows *)part;
    int inside = 1;
    for (size_t i = 0; i < part->degree; i++)
        inside &= rows->z[i] > 0;
    return inside;
}

static double gap(const hcri_path_part *part, double length) {
    const path_rows *rows = (const path_rows *)part;
    double sum = 0;
    for (size_t i = 0; i < part->degree; i++)
        sum += (rows->s[i] + length * rows->ds[i]) * (rows->z[i] + length * rows->dz[i]);
    return sum;
}

static double weight(const hcri_path_part *part) {
    const path_rows *rows = (const path_rows *)part;
    double sum = 0;
    for (size_t i = 0; i < part->degree; i++)
        sum += rows->z[i];
    return sum;
}

static void add_hessian(hcri_path_part *part, double *hessian) {
    const path_rows *rows = (const path_rows *)part;
    for (size_t i = 0; i < part->degree; i++) {
        const hcri_row g = hcri_rows_row(&rows->g, i);
        for (size_t k = 0; k < g.count; k++)
            for (size_t l = 0; l < g.count; l++)
                hessian[g.columns[k] * part->n + g.columns[l]] += rows->z[i] / rows->s[i] * g.values[k] * g.values[l];
    }
}

static void add_row(const path_rows *rows, size_t i, double times, double *force) {
    const hcri_row g = hcri_rows_row(&rows->g, i);
    for (size_t k = 0; k < g.count; k++)
        force[g.columns[k]] += times * g.values[k];
}

static void add_force(hcri_path_part *part, double mu, int corrected, double *force) {
    path_rows *rows = (path_rows *)part;
    for (size_t i = 0; i < part->degree; i++) {
        rows->product[i] = corrected ? rows->ds[i] * rows->dz[i] : 0;
        add_row(rows, i, (mu - rows->product[i]) / rows->s[i], force);
    }
}

static void add_pull(const hcri_path_part *part, double *force) {
    const path_rows *rows = (const path_rows *)part;
    for (size_t i = 0; i < part->degree; i++)
        add_row(rows, i, rows->z[i], force);
}

static void turn(hcri_path_part *part, const double *step, double mu, int corrected) {
    path_rows *rows = (path_rows *)part;
    for (size_t i = 0; i < part->degree; i++) {
        rows->ds[i] = hcri_rows_dot(&rows->g, i, step, NULL);
        rows->dz[i] = (mu - (corrected ? rows->product[i] : 0) - rows->z[i] * rows->ds[i]) / rows->s[i] - rows->z[i];
    }
}

static double reach(hcri_path_part *part, double most) {
    const path_rows *rows = (const path_rows *)part;
    for (size_t i = 0; i < part->degree; i++) {
        most = rows->s[i] + most * rows->ds[i] < 0 ? -rows->s[i] / rows->ds[i] : most;
        most = rows->z[i] + most * rows->dz[i] < 0 ? -rows->z[i] / rows->dz[i] : most;
    }
    return most;
}

static void move(hcri_path_part *part, double length) {
    path_rows *rows = (path_rows *)part;
    for (size_t i = 0; i < part->degree; i++)
        rows->z[i] += length * rows->dz[i];
}

static const hcri_path_kind of_rows = {
    .release = release,
    .place = place,
    .start = start,
    .renew = renew,
    .gap = gap,
    .weight = weight,
    .add_hessian = add_hessian,
    .add_force = add_force,
    .add_pull = add_pull,
    .turn = turn,
    .reach = reach,
    .move = move,
};

hcr_status hcri_path_rows_create(const hcr_region *region, hcri_path_part **part, hcr_error *error) {
    const size_t n = region->set.n;
    HCRI_SCOPED double *room = hcri_allocate(&hcri_default_allocator, n + region->scratch + 1, sizeof *room);
    path_rows *rows = calloc(1, sizeof *rows);
    hcr_status status = room == NULL || rows == NULL ? hcri_fail_memory(error) : HCR_OK;
    for (size_t b = 0; b < region->set.blocks; b++) {
        const hcri_constraint *block = region->set.block[b];
        for (size_t i = 0; block->kind->is_affine && i < block->count && status == HCR_OK; i++) {
            if (!block->kind->exists(block, i))
                continue;
            const double slack = block->kind->value(block, i, region->origin, NULL, room + n);
            memset(room, 0, n * sizeof *room);
            block->kind->add_gradient(block, i, region->origin, 1 / slack, room, room + n);
            status = hcri_rows_append_dense(&rows->g, &hcri_default_allocator, n, room, error);
        }
    }
    const size_t count = rows == NULL ? 0 : rows->g.count;
    if (status == HCR_OK && count != 0 && (rows->s = calloc(5 * count, sizeof *rows->s)) == NULL)
        status = hcri_fail_memory(error);
    if (status != HCR_OK || count == 0) {
        if (rows != NULL)
            release(&rows->part);
        return status;
    }
    double **numbers[] = {&rows->z, &rows->ds, &rows->dz, &rows->product};
    for (size_t k = 0; k < 4; k++)
        *numbers[k] = rows->s + (k + 1) * count;
    rows->part = (hcri_path_part){.kind = &of_rows, .n = n, .degree = count};
    *part = &rows->part;
    return HCR_OK;
}
