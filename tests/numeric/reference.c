#include "numeric/reference.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "kinds/cone/cone.h"
#include "kinds/lmi/lmi.h"

enum { BITS = 200 };

/* The point O + t v and room for sums. */
typedef struct ray_point {
    size_t n;
    mpfr_t *y;
    mpfr_t sum, row, term;
} ray_point;

static void point_init(ray_point *point, size_t n) {
    point->n = n;
    point->y = malloc(n * sizeof *point->y);
    if (point->y == NULL)
        abort();
    for (size_t j = 0; j < n; j++)
        mpfr_init2(point->y[j], BITS);
    mpfr_inits2(BITS, point->sum, point->row, point->term, (mpfr_ptr)NULL);
}

static void point_clear(ray_point *point) {
    for (size_t j = 0; j < point->n; j++)
        mpfr_clear(point->y[j]);
    free(point->y);
    mpfr_clears(point->sum, point->row, point->term, (mpfr_ptr)NULL);
}

static void point_set(ray_point *point, const double *origin, const double *v, mpfr_t t) {
    for (size_t j = 0; j < point->n; j++) {
        mpfr_mul_d(point->y[j], t, v[j], MPFR_RNDN);
        mpfr_add_d(point->y[j], point->y[j], origin[j], MPFR_RNDN);
    }
}

static int in_box(const hcri_box *box, const ray_point *point) {
    for (size_t j = 0; j < point->n; j++)
        if (mpfr_cmp_d(point->y[j], box->upper[j]) > 0 || mpfr_cmp_d(point->y[j], box->lower[j]) < 0)
            return 0;
    return 1;
}

/* out = a_i·y */
static void row_product(const hcri_rows *rows, size_t i, ray_point *point, mpfr_t out) {
    mpfr_set_zero(out, 1);
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        mpfr_mul_d(point->term, point->y[rows->columns[k]], rows->values[k], MPFR_RNDN);
        mpfr_add(out, out, point->term, MPFR_RNDN);
    }
}

static int in_rows(const hcri_linear *linear, ray_point *point) {
    for (size_t i = 0; i < linear->rows.count; i++) {
        row_product(&linear->rows, i, point, point->sum);
        if (mpfr_cmp_d(point->sum, linear->upper[i]) > 0 || mpfr_cmp_d(point->sum, linear->lower[i]) < 0)
            return 0;
    }
    return 1;
}

/* sum += weight (y_i − s_i)(y_j − s_j) */
static void add_pair(const hcri_quadratic *quadratic, ray_point *point, double weight, size_t i, size_t j) {
    mpfr_sub_d(point->term, point->y[i], quadratic->shift[i], MPFR_RNDN);
    mpfr_mul_d(point->term, point->term, weight, MPFR_RNDN);
    mpfr_sub_d(point->row, point->y[j], quadratic->shift[j], MPFR_RNDN);
    mpfr_mul(point->term, point->term, point->row, MPFR_RNDN);
    mpfr_add(point->sum, point->sum, point->term, MPFR_RNDN);
}

static int in_quadratic(const hcri_quadratic *quadratic, ray_point *point) {
    const size_t n = point->n;
    mpfr_set_zero(point->sum, 1);
    if (quadratic->form == HCRI_FACTOR)
        for (size_t i = 0; i < quadratic->factor.count; i++) {
            row_product(&quadratic->factor, i, point, point->row);
            mpfr_sub_d(point->row, point->row, quadratic->shift[i], MPFR_RNDN);
            mpfr_sqr(point->row, point->row, MPFR_RNDN);
            mpfr_add(point->sum, point->sum, point->row, MPFR_RNDN);
        }
    else if (quadratic->form == HCRI_DIAGONAL)
        for (size_t j = 0; j < n; j++)
            add_pair(quadratic, point, quadratic->matrix[j], j, j);
    else
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                add_pair(quadratic, point, quadratic->matrix[i * n + j], i, j);
    mpfr_div_ui(point->sum, point->sum, 2, MPFR_RNDN);
    for (size_t j = 0; j < n; j++) {
        mpfr_mul_d(point->term, point->y[j], quadratic->linear[j], MPFR_RNDN);
        mpfr_add(point->sum, point->sum, point->term, MPFR_RNDN);
    }
    mpfr_add_d(point->sum, point->sum, quadratic->constant, MPFR_RNDN);
    mpfr_set_d(point->term, quadratic->radius, MPFR_RNDN);
    mpfr_sqr(point->term, point->term, MPFR_RNDN);
    mpfr_div_ui(point->term, point->term, 2, MPFR_RNDN);
    return mpfr_cmp(point->sum, point->term) <= 0;
}

/* |M y + s|² <= (c·y + e)², and c·y + e >= 0. */
static int in_cone(const hcri_cone *cone, ray_point *point) {
    mpfr_set_d(point->sum, cone->constant, MPFR_RNDN);
    for (size_t j = 0; j < point->n; j++) {
        mpfr_mul_d(point->term, point->y[j], cone->linear[j], MPFR_RNDN);
        mpfr_add(point->sum, point->sum, point->term, MPFR_RNDN);
    }
    if (mpfr_sgn(point->sum) < 0)
        return 0;
    mpfr_sqr(point->sum, point->sum, MPFR_RNDN);
    for (size_t i = 0; i < cone->rows.count; i++) {
        row_product(&cone->rows, i, point, point->row);
        mpfr_add_d(point->row, point->row, cone->shift[i], MPFR_RNDN);
        mpfr_sqr(point->row, point->row, MPFR_RNDN);
        mpfr_sub(point->sum, point->sum, point->row, MPFR_RNDN);
    }
    return mpfr_sgn(point->sum) >= 0;
}

/* Gaussian elimination without pivoting: F(y) is positive definite when every pivot is positive. */
static int in_lmi(const hcri_lmi *lmi, ray_point *point) {
    const size_t m = lmi->size;
    mpfr_t *matrix = malloc(lmi->terms.count * sizeof *matrix);
    if (matrix == NULL)
        abort();
    for (size_t e = 0; e < lmi->terms.count; e++) {
        mpfr_init2(matrix[e], BITS);
        row_product(&lmi->terms, e, point, matrix[e]);
        mpfr_add_d(matrix[e], matrix[e], lmi->constant[e], MPFR_RNDN);
    }
    int definite = 1;
    for (size_t k = 0; k < m && definite; k++) {
        definite = mpfr_sgn(matrix[HCRI_PACKED(k, k)]) > 0;
        for (size_t a = k + 1; a < m && definite; a++) {
            mpfr_div(point->row, matrix[HCRI_PACKED(a, k)], matrix[HCRI_PACKED(k, k)], MPFR_RNDN);
            for (size_t b = k + 1; b <= a; b++) {
                mpfr_mul(point->term, point->row, matrix[HCRI_PACKED(b, k)], MPFR_RNDN);
                mpfr_sub(matrix[HCRI_PACKED(a, b)], matrix[HCRI_PACKED(a, b)], point->term, MPFR_RNDN);
            }
        }
    }
    for (size_t e = 0; e < lmi->terms.count; e++)
        mpfr_clear(matrix[e]);
    free(matrix);
    return definite;
}

static int in_block(const hcri_constraint *block, ray_point *point) {
    switch (block->kind->id) {
    case HCRI_KIND_BOX: return in_box((const hcri_box *)block, point);
    case HCRI_KIND_LINEAR: return in_rows((const hcri_linear *)block, point);
    case HCRI_KIND_QUADRATIC: return in_quadratic((const hcri_quadratic *)block, point);
    case HCRI_KIND_CONE: return in_cone((const hcri_cone *)block, point);
    case HCRI_KIND_LMI: return in_lmi((const hcri_lmi *)block, point);
    default: abort();
    }
}

static int inside(const hcri_set *set, ray_point *point) {
    for (size_t b = 0; b < set->blocks; b++)
        if (!in_block(set->block[b], point))
            return 0;
    return 1;
}

double reference_gauge(const hcri_set *set, const double *origin, const double *v) {
    double norm = 0, gauge = 0;
    for (size_t j = 0; j < set->n; j++)
        norm = hypot(norm, v[j]);
    ray_point at;
    mpfr_t low, high, middle;
    point_init(&at, set->n);
    mpfr_inits2(BITS, low, high, middle, (mpfr_ptr)NULL);
    mpfr_set_zero(low, 1);
    mpfr_set_d(high, 0.01 / norm, MPFR_RNDN);
    int outside = 0;
    for (int k = 0; k < 37 && !outside; k++) { /* up to 1e9/|v| */
        point_set(&at, origin, v, high);
        outside = !inside(set, &at);
        if (!outside) {
            mpfr_set(low, high, MPFR_RNDN);
            mpfr_mul_ui(high, high, 2, MPFR_RNDN);
        }
    }
    for (int k = 0; k < 52 && outside; k++) {
        mpfr_add(middle, low, high, MPFR_RNDN);
        mpfr_div_ui(middle, middle, 2, MPFR_RNDN);
        point_set(&at, origin, v, middle);
        mpfr_set(inside(set, &at) ? low : high, middle, MPFR_RNDN);
    }
    if (outside) {
        mpfr_ui_div(middle, 1, high, MPFR_RNDN);
        gauge = mpfr_get_d(middle, MPFR_RNDN);
    }
    mpfr_clears(low, high, middle, (mpfr_ptr)NULL);
    point_clear(&at);
    return gauge;
}

/* 1 when y without `share` of the way from O is inside. */
static int inside_without(const hcri_set *set, ray_point *at, const double *origin, const double *y, double share) {
    for (size_t j = 0; j < set->n; j++) {
        mpfr_set_d(at->y[j], y[j], MPFR_RNDN);
        mpfr_sub_d(at->y[j], at->y[j], origin[j], MPFR_RNDN);
        mpfr_set_d(at->term, share, MPFR_RNDN);
        mpfr_ui_sub(at->term, 1, at->term, MPFR_RNDN);
        mpfr_mul(at->y[j], at->y[j], at->term, MPFR_RNDN);
        mpfr_add_d(at->y[j], at->y[j], origin[j], MPFR_RNDN);
    }
    return inside(set, at);
}

double reference_excess(const hcri_set *set, const double *origin, const double *y, double most) {
    enum { HALVINGS = 12 };
    double low = 0, high = most;
    ray_point at;
    point_init(&at, set->n);
    const int is_inside = inside_without(set, &at, origin, y, 0), is_far = !inside_without(set, &at, origin, y, most);
    for (int k = 0; k < HALVINGS && !is_inside && !is_far; k++) {
        const double middle = (low + high) / 2;
        if (inside_without(set, &at, origin, y, middle))
            high = middle;
        else
            low = middle;
    }
    point_clear(&at);
    return is_inside ? 0 : is_far ? 2 * most : high;
}
