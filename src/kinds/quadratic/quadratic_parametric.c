#include "kinds/quadratic/quadratic_parametric.h"

#include <math.h>

#include "base/vector.h"
#include "kernels/float_filter.h"
#include "kernels/kernels.h"
#include "kinds/block.h"
#include "kinds/parametric_rows.h"
#include "kinds/quadratic/quadratic_value.h"

/* c(y, x) = ½ Q + l, l = q·(y, x) + r − ½ R². With t = (y, x) − shift: Q = t'Pt, or |F (y, x) − shift|². */
typedef struct hcri_moving_quadratic {
    hcri_moving_rows rows;  /* FACTOR: F (y, x) − shift; else P t, one a column */
    hcri_moving_rows level; /* one row: l */
    double still_half;      /* ½ Q at O(x) where the rows don't depend on x */
    int linear_is_zero;     /* of the outputs */
    double *panels;         /* DENSE: as in quadratic.h, of the outputs alone */
    size_t width;           /* from one sample's rows to the next one's */
} hcri_moving_quadratic;

/* Samples that go through together. */
enum { AT_ONCE = 8 };

/* --------------------------------------------------------------------------------------------------------- follow */

static hcr_status append_matrix_row(const hcri_quadratic *quadratic, size_t i, const hcr_allocator *memory,
                                    hcri_rows *rows, hcr_error *error) {
    const size_t n = quadratic->base.n;
    const uint32_t column = (uint32_t)i;
    if (quadratic->form == HCRI_DENSE)
        return hcri_rows_append_dense(rows, memory, n, quadratic->matrix + i * n, error);
    return hcri_rows_append(rows, memory, quadratic->matrix[i] != 0, &column, quadratic->matrix + i, error);
}

static hcr_status make_rows(hcri_quadratic *quadratic, const hcri_origin_map *origin_map, hcr_error *error) {
    const hcr_allocator *memory = hcri_block_memory(&quadratic->base);
    hcri_moving_quadratic *moving = quadratic->moving;
    if (quadratic->form == HCRI_FACTOR)
        return hcri_moving_rows_make(&quadratic->factor, NULL, quadratic->shift, -1, origin_map, memory, &moving->rows,
                                     error);
    HCRI_SCRATCH(scratch, quadratic->base.allocator);
    hcri_rows rows = {0};
    for (size_t i = 0; i < quadratic->base.n; i++)
        HCRI_TRY(append_matrix_row(quadratic, i, scratch, &rows, error));
    return hcri_moving_rows_make(&rows, quadratic->shift, NULL, 0, origin_map, memory, &moving->rows, error);
}

/* q·(y, x) + r − ½ R², its constant to twice the working precision. */
static hcr_status make_level(hcri_quadratic *quadratic, const hcri_origin_map *origin_map, hcr_error *error) {
    HCRI_SCRATCH(scratch, quadratic->base.allocator);
    hcri_rows level = {0};
    const hcri_dd constant =
        hcri_dd_add_product((hcri_dd){quadratic->constant, 0}, -0.5 * quadratic->radius, quadratic->radius);
    const double rounded = hcri_dd_value(constant);
    HCRI_TRY(hcri_rows_append_dense(&level, scratch, quadratic->base.n, quadratic->linear, error));
    return hcri_moving_rows_make(&level, NULL, &rounded, 1, origin_map, hcri_block_memory(&quadratic->base),
                                 &quadratic->moving->level, error);
}

/* t_i = (O(x), x)_i − shift_i at the middle of the range, by how much it differs elsewhere, and its size at most. */
typedef struct place {
    double middle, spread, most;
} place;

static place place_of(const hcri_quadratic *quadratic, const hcri_origin_map *origin_map, size_t i) {
    const size_t outputs = origin_map->outputs, k = i - outputs;
    double least, most;
    if (i < outputs) {
        hcri_origin_map_extremes(origin_map, i, &least, &most);
    } else {
        least = origin_map->lower[k];
        most = origin_map->upper[k];
    }
    const double middle = 0.5 * least + 0.5 * most, shift = quadratic->shift[i];
    return (place){middle - shift, (1 + 0x1p-40) * 0.5 * (most - least), fmax(fabs(least - shift), fabs(most - shift))};
}

/* ½ t'Pt where P t doesn't depend on x: then nor does this. */
static double still_half(const hcri_quadratic *quadratic) {
    const hcri_moving_rows *rows = &quadratic->moving->rows;
    hcri_dd total = {0, 0};
    for (size_t i = 0; i < rows->map.count; i++) {
        const double t =
            quadratic->form == HCRI_FACTOR ? rows->constant[i] : place_of(quadratic, rows->origin_map, i).middle;
        total = hcri_dd_add_product(total, 0.5 * t, rows->constant[i]);
    }
    return hcri_dd_value(total);
}

hcr_status hcri_quadratic_follow(hcri_constraint *constraint, const hcri_origin_map *origin_map, hcr_error *error) {
    hcri_quadratic *quadratic = (hcri_quadratic *)constraint;
    hcri_moving_quadratic *moving = hcri_allocate(hcri_block_memory(constraint), 1, sizeof *moving);
    HCRI_ALLOCATED(moving);
    quadratic->moving = moving;
    HCRI_TRY(make_rows(quadratic, origin_map, error));
    HCRI_TRY(make_level(quadratic, origin_map, error));
    moving->still_half = moving->rows.is_still ? still_half(quadratic) : 0;
    moving->linear_is_zero = moving->level.slope.start[1] == 0;
    if (quadratic->form == HCRI_DENSE)
        moving->panels = hcri_quadratic_panels(quadratic, origin_map->outputs);
    moving->width = moving->rows.map.count + HCRI_PANEL;
    return hcri_block_has_memory(constraint, error);
}

/* ---------------------------------------------------------------------------------------------------------- rays */

size_t hcri_quadratic_scratch(const hcri_constraint *constraint) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
    const size_t moving = quadratic->moving == NULL ? 0 : (2 * AT_ONCE + 1) * quadratic->moving->width;
    return quadratic->single_panels != NULL && moving < HCRI_FLOAT_FILTER_SCRATCH ? HCRI_FLOAT_FILTER_SCRATCH : moving;
}

/* c(O + t v) = value + slope t + curvature t² */
typedef struct parabola {
    double value, slope, curvature;
} parabola;

/* At an origin with the rows' values; scratch: `width` numbers. */
static double half_at(const hcri_quadratic *quadratic, const double *origin, const double *at, double *scratch) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const hcri_moving_rows *rows = &quadratic->moving->rows;
    const size_t count = rows->map.count;
    if (rows->is_still)
        return quadratic->moving->still_half;
    if (quadratic->form == HCRI_FACTOR)
        return 0.5 * kernels->squares(count, at);
    kernels->combine(count, 1, origin, -1, quadratic->shift, scratch);
    return 0.5 * kernels->dot(count, scratch, at);
}

/* Of a quadratic that isn't dense; FACTOR: w = F v. */
static double curvature_of(const hcri_quadratic *quadratic, const double *v, const double *w) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t outputs = quadratic->moving->rows.origin_map->outputs;
    return 0.5 * (quadratic->form == HCRI_FACTOR ? kernels->squares(quadratic->factor.count, w)
                  : quadratic->unit              ? kernels->squares(outputs, v)
                                                 : kernels->weighted_squares(outputs, quadratic->matrix, v));
}

static double slope_of(const hcri_quadratic *quadratic, const double *v, const double *w, const double *at) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const hcri_moving_quadratic *moving = quadratic->moving;
    const size_t outputs = moving->rows.origin_map->outputs;
    const double linear = moving->linear_is_zero ? 0 : kernels->dot(outputs, quadratic->linear, v);
    if (moving->rows.is_zero)
        return linear;
    return linear + (quadratic->form == HCRI_FACTOR ? kernels->dot(quadratic->factor.count, at, w)
                                                    : kernels->dot(outputs, at, v));
}

/* At most AT_ONCE samples; `scratch`: hcri_quadratic_scratch numbers. */
static void put_parabolas(const hcri_quadratic *quadratic, size_t samples, hcri_samples origin, hcri_samples v,
                          double *scratch, parabola *found) {
    const hcri_moving_quadratic *moving = quadratic->moving;
    const hcri_moving_rows *rows = &moving->rows;
    const size_t outputs = rows->origin_map->outputs, width = moving->width;
    double *at = scratch, *w = scratch + AT_ONCE * width, *one = w + AT_ONCE * width, curvature[AT_ONCE];
    if (quadratic->form == HCRI_FACTOR)
        hcri_layout_products(&rows->slope_layout, &rows->slope, outputs, samples, v, w, width);
    if (quadratic->form == HCRI_DENSE)
        hcri_kernels_best()->triangle_form(outputs, moving->panels, samples, v.first, v.stride, curvature);
    if (!rows->is_still)
        hcri_moving_rows_at(rows, samples, (hcri_samples){origin.first + outputs, origin.stride}, at, width);
    for (size_t s = 0; s < samples; s++) {
        const double *point = origin.first + s * origin.stride, *direction = v.first + s * v.stride;
        const double *here = rows->is_still ? rows->constant : at + s * width, *product = w + s * width;
        found[s].value = half_at(quadratic, point, here, one) + hcri_moving_row_at(&moving->level, 0, point + outputs);
        found[s].slope = slope_of(quadratic, direction, product, here);
        found[s].curvature = quadratic->form == HCRI_DENSE ? curvature[s] : curvature_of(quadratic, direction, product);
    }
}

void hcri_quadratic_gauge_from(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
    for (size_t done = 0; done < batch->rows; done += AT_ONCE) {
        const hcri_batch now = hcri_batch_part(batch, constraint->n, done, AT_ONCE);
        parabola ray[AT_ONCE];
        put_parabolas(quadratic, now.rows, (hcri_samples){now.origins, constraint->n},
                      (hcri_samples){now.v, now.stride}, scratch, ray);
        for (size_t s = 0; s < now.rows; s++) {
            const double curvature = ray[s].curvature > 0 ? ray[s].curvature : 0;
            hcri_batch_raise(&now, s,
                             ray[s].value < 0 ? hcri_quadratic_root(ray[s].slope, curvature, ray[s].value) : INFINITY,
                             constraint, 0);
        }
    }
}

/* -------------------------------------------------------------------------------------------------------- margin */

/* ½ Q at the origins of the range. */
typedef struct energies {
    double middle, spread; /* Q^½ at the middle is at most this, and elsewhere it differs by at most that */
    double error;          /* of ½ Q as computed */
    double slope; /* bounds what rounding does to t'P z or (F O − shift)·F z for |z| = 1 and z'Pz = 1 each … */
    double slope_energy;
} energies;

/* With t_i and h_i = (P t)_i: Q^½ is a norm of t, so that it differs by at most the norm of t's changes. `slip` is that
 * of the origins' rounding. */
static energies measure_matrix(const hcri_quadratic *quadratic, const hcri_extent *extent) {
    const hcri_moving_rows *rows = &quadratic->moving->rows;
    const size_t count = rows->map.count, outputs = rows->origin_map->outputs;
    const double u = 0x1p-53, sums = (double)count / 32 + 10;
    double middle = 0, spread = 0, slip = 0, error = 0, gradient = 0, gradient_error = 0;
    for (size_t i = 0; i < count; i++) {
        const place t = place_of(quadratic, rows->origin_map, i);
        const hcri_row_range h = hcri_moving_row_range(rows, i, extent);
        const double most = fabs(h.middle) + h.spread;
        const double off = i >= outputs ? 0 : rows->rounding[i] + (extent->extra == NULL ? 0 : extent->extra[i]);
        middle += t.middle * h.middle + t.most * h.error + ((double)count + 10) * u * t.most * most;
        spread += t.spread * h.spread;
        slip += off * h.error;
        error += t.most * h.error + u * sums * t.most * most;
        if (i < outputs) {
            gradient = hypot(gradient, most);
            gradient_error = hypot(gradient_error, h.error);
        }
    }
    middle = sqrt(fmax(middle, 0));
    spread = sqrt(spread) + sqrt(slip);
    return (energies){middle, spread, error + (middle + spread) * sqrt(slip),
                      gradient_error + u * ((double)outputs / 32 + 8) * gradient, 0};
}

static energies measure_factor(const hcri_quadratic *quadratic, const hcri_extent *extent) {
    const hcri_moving_rows *rows = &quadratic->moving->rows;
    const double u = 0x1p-53, sums = (double)rows->map.count / 32 + 8;
    double middle = 0, spread = 0, error = 0;
    for (size_t i = 0; i < rows->map.count; i++) {
        const hcri_row_range row = hcri_moving_row_range(rows, i, extent);
        middle = hypot(middle, row.middle);
        spread = hypot(spread, row.spread);
        error = hypot(error, row.error);
    }
    const double most = middle + spread;
    return (energies){middle, spread, most * (error + u * sums * most), 0, error + u * sums * most};
}

/* What doesn't depend on the origin: bounds of |P|'s (FACTOR: |F|'s) norm and of (|O|'|P||O|)^½, over the outputs. */
typedef struct sizes {
    double largest, origin_energy;
} sizes;

static sizes measure_sizes(const hcri_quadratic *quadratic, const hcri_extent *extent) {
    const hcri_rows *slope = &quadratic->moving->rows.slope;
    const size_t outputs = extent->origin_map->outputs;
    const int is_factor = quadratic->form == HCRI_FACTOR;
    double largest = 0, energy = 0, squares = 0;
    for (size_t i = 0; i < (is_factor ? slope->count : outputs); i++) {
        double row = 0, at_origin = 0;
        for (size_t k = slope->start[i]; k < slope->start[i + 1]; k++) {
            const double p = fabs(slope->values[k]);
            row += p;
            squares += p * p;
            at_origin += p * hcri_size_at_origin(extent, slope->columns[k]);
        }
        largest = fmax(largest, row);
        energy += at_origin * (is_factor ? at_origin : hcri_size_at_origin(extent, i));
    }
    return (sizes){is_factor ? sqrt(squares) : largest, sqrt(energy)};
}

/* As `margin` of quadratic.c, with the gradient at O taken apart into P t + q, of which |t'Pz| <= Q^½ (z'Pz)^½. */
double hcri_quadratic_moving_margin(const hcri_quadratic *quadratic, double unit, const hcri_extent *extent) {
    const hcri_moving_quadratic *moving = quadratic->moving;
    const size_t outputs = extent->origin_map->outputs;
    const double u = 0x1p-53, n = (double)outputs, rank = (double)quadratic->factor.count, radius = extent->radius;
    const int is_factor = quadratic->form == HCRI_FACTOR, is_dense = quadratic->form == HCRI_DENSE;
    const energies at = is_factor ? measure_factor(quadratic, extent) : measure_matrix(quadratic, extent);
    const sizes size = measure_sizes(quadratic, extent);
    const hcri_row_range level = hcri_moving_row_range(&moving->level, 0, extent);
    const double most = at.middle + at.spread, linear = hcri_norm(outputs, quadratic->linear);
    const double slack = -(level.middle + level.spread + 0.5 * (1 + 0x1p-40) * most * most);
    const double depth = level.spread - level.middle;
    if (!(slack > 0))
        return INFINITY;
    /* (z'Pz)^½ over the region, from ½ z'Pz + ∇c(O)·z + c(O) <= 0 */
    const double energy = most + sqrt(most * most + 2 * (linear * radius + depth));
    const double slope = most * energy + linear * radius;
    const double first = (n / 32 + 8) * u * linear * radius + at.slope * radius + at.slope_energy * energy +
                         (is_factor ? 2 * n * u * most * size.largest * radius : 0);
    const double second = is_dense ? (1.125 * n + 8) * u * size.largest * radius * radius
                          : is_factor
                              ? (rank / 8 + 8) * u * energy * energy + 2 * n * u * energy * size.largest * radius
                              : (n / 32 + 8) * u * energy * energy;
    const double root = 8 * u * (energy * energy + slope + depth + most * most);
    const double longest = is_factor ? size.largest : sqrt(size.largest);
    /* the step, and what equalities add */
    double origin_change = most * size.origin_energy, extra_change = 0, extra_squares = 0;
    for (size_t j = 0; j < outputs; j++) {
        origin_change += fabs(quadratic->linear[j]) * hcri_size_at_origin(extent, j);
        if (extent->extra != NULL) {
            extra_change += fabs(quadratic->linear[j]) * extent->extra[j];
            extra_squares += extent->extra[j] * extent->extra[j];
        }
    }
    const double step = 4 * unit, change = size.origin_energy + (is_dense || is_factor ? longest * radius : energy);
    const double extra = longest * sqrt(extra_squares);
    const double moved = step * (origin_change + slope) + energy * step * change + step * step * change * change +
                         extra_change + (most + energy) * extra + 0.5 * extra * extra;
    return 1.01 * (at.error + level.error + first + second + root + moved) / slack;
}
