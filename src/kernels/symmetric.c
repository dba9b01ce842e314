#include "kernels/symmetric.h"

#include <math.h>

#include "kernels/lanes.h"
#include "kernels/variant.h"

/* The lanes of a part of the eight start at `part` in each entry, so that one matrix pointer, moved on by it, stands
 * for the part. */
static const lanes zeros = {0};

/* ------------------------------------------------------------------------------------------------- combinations */

/* Column j of the directions of a part; `count` of them are left. */
static inline lanes column(size_t count, const double *const v[], size_t j) {
    double x[WIDTH] = {0};
    for (size_t l = 0; l < WIDTH && l < count; l++)
        x[l] = v[l][j];
    return load(x);
}

static void combine_part(size_t n, const double *panels, size_t entries, size_t count, const double *const v[],
                         double *matrix) {
    enum { COLUMNS = 64 };
    for (size_t first = 0; first < n; first += COLUMNS) {
        const size_t columns = n - first < COLUMNS ? n - first : COLUMNS;
        lanes x[COLUMNS];
        for (size_t j = 0; j < columns; j++)
            x[j] = column(count, v, first + j);
        for (size_t e = 0; e < entries; e += HCRI_PANEL) {
            const double *panel = panels + e * n + HCRI_PANEL * first;
            lanes total[HCRI_PANEL];
            for (size_t r = 0; r < HCRI_PANEL; r++)
                total[r] = first == 0 ? zeros : load(matrix + 8 * (e + r));
            for (size_t j = 0; j < columns; j++)
                for (size_t r = 0; r < HCRI_PANEL; r++)
                    total[r] += panel[HCRI_PANEL * j + r] * x[j];
            for (size_t r = 0; r < HCRI_PANEL; r++)
                store(matrix + 8 * (e + r), total[r]);
        }
    }
}

/* Of one direction, with a register for entries instead: the same sums. The other lanes become 0. */
static void combine_alone(size_t n, const double *panels, size_t entries, const double *v, double *matrix) {
    for (size_t e = 0; e < entries; e += HCRI_PANEL) {
        const double *panel = panels + e * n;
        lanes total[HCRI_PANEL / WIDTH];
        for (size_t p = 0; p < HCRI_PANEL / WIDTH; p++)
            total[p] = zeros;
        for (size_t j = 0; j < n; j++)
            for (size_t p = 0; p < HCRI_PANEL / WIDTH; p++)
                total[p] += load(panel + HCRI_PANEL * j + WIDTH * p) * spread(v[j]);
        for (size_t r = 0; r < HCRI_PANEL; r++) {
            store(matrix + 8 * (e + r), zeros);
            matrix[8 * (e + r)] = total[r / WIDTH][r % WIDTH];
        }
    }
}

static void combine_negative_part(const hcri_rows *rows, size_t count, const double *const v[], double *matrix) {
    for (size_t e = 0; e < rows->count; e++) {
        lanes total = zeros;
        for (size_t k = rows->start[e]; k < rows->start[e + 1]; k++)
            total -= rows->values[k] * column(count, v, rows->columns[k]);
        store(matrix + 8 * e, total);
    }
}

/* Entry e of L: the lanes', or one for all of them. */
static inline __attribute__((always_inline)) lanes lower_at(const double *lower, size_t e, int each) {
    return each ? load(lower + 8 * e) : spread(lower[e]);
}

static inline __attribute__((always_inline)) void reduce_lanes(size_t m, const double *lower, int each,
                                                               double *matrix) {
    for (size_t k = 0; k < m; k++) {
        const lanes inverse = lower_at(lower, HCRI_PACKED(k, k), each);
        const lanes diagonal = load(matrix + 8 * HCRI_PACKED(k, k)) * inverse * inverse;
        store(matrix + 8 * HCRI_PACKED(k, k), diagonal);
        /* The column below becomes a/l − ½ d l: with it the rest's update is symmetric. */
        for (size_t i = k + 1; i < m; i++) {
            double *entry = matrix + 8 * HCRI_PACKED(i, k);
            store(entry, load(entry) * inverse - 0.5 * diagonal * lower_at(lower, HCRI_PACKED(i, k), each));
        }
        for (size_t i = k + 1; i < m; i++) {
            const lanes a = load(matrix + 8 * HCRI_PACKED(i, k));
            const lanes l = lower_at(lower, HCRI_PACKED(i, k), each);
            for (size_t j = k + 1; j <= i; j++) {
                double *entry = matrix + 8 * HCRI_PACKED(i, j);
                store(entry, load(entry) - a * lower_at(lower, HCRI_PACKED(j, k), each) -
                                 l * load(matrix + 8 * HCRI_PACKED(j, k)));
            }
        }
        for (size_t i = k + 1; i < m; i++) {
            double *entry = matrix + 8 * HCRI_PACKED(i, k);
            lanes rest = load(entry) - 0.5 * diagonal * lower_at(lower, HCRI_PACKED(i, k), each);
            for (size_t j = k + 1; j < i; j++)
                rest -= lower_at(lower, HCRI_PACKED(i, j), each) * load(matrix + 8 * HCRI_PACKED(j, k));
            store(entry, rest * lower_at(lower, HCRI_PACKED(i, i), each));
        }
    }
}

static void reduce_part(size_t m, const double *lower, double *matrix) { reduce_lanes(m, lower, 0, matrix); }

static void reduce_each_part(size_t m, const double *lower, double *matrix) { reduce_lanes(m, lower, 1, matrix); }

static void norms_part(size_t m, const double *matrix, double *norm) {
    lanes squares = zeros;
    for (size_t a = 0; a < m; a++) {
        const double *row = matrix + 8 * HCRI_PACKED(a, 0);
        lanes off = zeros;
        for (size_t b = 0; b < a; b++)
            off += load(row + 8 * b) * load(row + 8 * b);
        squares += 2 * off + load(row + 8 * a) * load(row + 8 * a);
    }
    store(norm, lanes_sqrt(squares));
}

/* ------------------------------------------------------------------------------------------------------ Cholesky */

/* Row i of L for shift I − matrix but for its diagonal, from the rows before; returns the square of that. */
static inline lanes factor_row(size_t i, double *matrix, lanes shift) {
    double *row = matrix + 8 * HCRI_PACKED(i, 0);
    lanes pivot = shift - load(row + 8 * i);
    for (size_t j = 0; j < i; j++) {
        const double *other = matrix + 8 * HCRI_PACKED(j, 0);
        lanes rest = -load(row + 8 * j);
        for (size_t k = 0; k < j; k++)
            rest -= load(row + 8 * k) * load(other + 8 * k);
        rest *= load(other + 8 * j); /* the inverse of L's diagonal */
        store(row + 8 * j, rest);
        pivot -= rest * rest;
    }
    return pivot;
}

static void factors_part(size_t m, double *matrix, const double *shift, int *positive) {
    const lanes shifts = load(shift);
    lane_mask sound = shifts == shifts;
    for (size_t i = 0; i < m && any(sound); i++) {
        const lanes pivot = factor_row(i, matrix, shifts);
        sound &= pivot > zeros;
        store(matrix + 8 * HCRI_PACKED(i, i), 1 / lanes_sqrt(select(pivot > zeros, pivot, zeros + 1)));
    }
    for (size_t l = 0; l < WIDTH; l++)
        positive[l] = sound[l] != 0;
}

/* ---------------------------------------------------------------------------------------------------- eigenvalues */

/* Powers of two that bring a matrix, whose entries' sizes sum to `size`, near 1 where its squares could over- or
 * underflow. */
static double scale_for(double size) {
    return size > 1e-30 && size < 1e30 ? 1 : size > 0 && size < INFINITY ? exp2(-(double)ilogb(size)) : 0;
}

/* 0 where all entries are. */
static int rescale(size_t entries, double *matrix, double *scale) {
    lanes size = zeros;
    for (size_t e = 0; e < entries; e++)
        size += lanes_abs(load(matrix + 8 * e));
    int all_sound = 1;
    for (size_t l = 0; l < WIDTH; l++) {
        scale[l] = size[l] == 0 ? 1 : scale_for(size[l]);
        all_sound &= scale[l] == 1;
    }
    const int is_other = any(size != zeros); /* NaN, too */
    if (all_sound)
        return is_other;
    const lanes factor = load(scale);
    for (size_t e = 0; e < entries; e++) /* what isn't finite is left out: its lane has no result */
        store(matrix + 8 * e, select(factor > zeros, load(matrix + 8 * e) * factor, zeros));
    return is_other;
}

/* A Householder reflection for each row from the last on (Martin, Reinsch and Wilkinson, 1968): row i becomes the
 * vector u of I − u u'/h, h = |u|²/2, which takes the row to its last entry below the diagonal. */
static void tridiagonalise(size_t m, double *matrix, double *diagonal, double *off, double *q) {
    for (size_t i = m - 1; i > 0; i--) {
        double *u = matrix + 8 * HCRI_PACKED(i, 0);
        if (i == 1) {
            store(off + 8, load(u));
            break;
        }
        lanes squares = zeros;
        for (size_t k = 0; k < i; k++)
            squares += load(u + 8 * k) * load(u + 8 * k);
        const lane_mask needed = squares > 1e-290;
        const lanes last = load(u + 8 * (i - 1)), length = select(needed, lanes_sqrt(squares), zeros);
        const lanes entry = select(last > zeros, -length, length);
        store(off + 8 * i, entry);
        store(u + 8 * (i - 1), last - entry);
        const lanes h = squares - last * entry, inverse = lanes_positive_inverse(select(needed, h, zeros));
        lanes product = zeros; /* u'A u */
        for (size_t j = 0; j < i; j++) {
            const double *row = matrix + 8 * HCRI_PACKED(j, 0);
            const lanes here = load(u + 8 * j);
            lanes total = load(row + 8 * j) * here;
            for (size_t k = 0; k < j; k++) {
                const lanes a = load(row + 8 * k);
                total += a * load(u + 8 * k);
                store(q + 8 * k, load(q + 8 * k) + a * here);
            }
            store(q + 8 * j, total);
        }
        for (size_t j = 0; j < i; j++) {
            const lanes p = load(q + 8 * j) * inverse;
            store(q + 8 * j, p);
            product += p * load(u + 8 * j);
        }
        const lanes half = 0.5 * product * inverse;
        for (size_t j = 0; j < i; j++) {
            double *row = matrix + 8 * HCRI_PACKED(j, 0);
            const lanes here = load(u + 8 * j), other = load(q + 8 * j) - half * here;
            store(q + 8 * j, other);
            for (size_t k = 0; k <= j; k++)
                store(row + 8 * k, load(row + 8 * k) - here * load(q + 8 * k) - other * load(u + 8 * k));
        }
    }
    store(off, zeros);
    for (size_t i = 0; i < m; i++)
        store(diagonal + 8 * i, load(matrix + 8 * HCRI_PACKED(i, i)));
}

/* p'/p and −(p'/p)' at x > d_0 for the characteristic polynomial p = Π δ_i, where δ_i = x − d_i − e_i²/δ_(i−1). Tells
 * where all δ are positive: there x is above every eigenvalue. Elsewhere neither means anything, and 0 in place of
 * 1/δ keeps them finite: the maps divide by no zero. */
static lane_mask logarithmic_slopes(size_t m, const double *diagonal, const double *off, lanes x, lanes *first,
                                    lanes *second) {
    lanes least = x - load(diagonal), inverse = 1 / least, a = inverse, b = zeros; /* a = δ'/δ, b = δ"/δ */
    *first = a;
    *second = a * a;
    for (size_t i = 1; i < m; i++) {
        const lanes e = load(off + 8 * i), t = e * e * inverse;
        const lanes delta = x - load(diagonal + 8 * i) - t;
        least = lanes_min(least, delta);
        inverse = lanes_positive_inverse(delta);
        const lanes slope = t * inverse;
        b = slope * (b - 2 * a * a);
        a = slope * a + inverse;
        *first += a;
        *second += a * a - b;
    }
    return least > zeros;
}

/* Laguerre's method from above falls onto the largest eigenvalue and never passes it but by rounding; three steps in
 * four have three times the digits. */
static lanes largest_of_tridiagonal(size_t m, const double *diagonal, const double *off) {
    enum { MOST_STEPS = 80, PATIENCE = 6 };
    lanes upper = load(diagonal), lower = upper, size = zeros;
    for (size_t i = 0; i < m; i++) { /* Gershgorin's discs */
        const lanes d = load(diagonal + 8 * i);
        const lanes reach = lanes_abs(load(off + 8 * i)) + (i + 1 < m ? lanes_abs(load(off + 8 * i + 8)) : zeros);
        upper = lanes_max(upper, d + reach);
        lower = lanes_max(lower, d);
        size = lanes_max(size, lanes_abs(d) + reach);
    }
    const lanes tolerance = 0x1p-51 * size, degree = zeros + (double)m;
    upper += 4 * tolerance;
    lane_mask busy = size > zeros;
    lanes trial = select(busy, upper, zeros + 1), safe = lower, nudge = tolerance;
    for (int step = 0; step < MOST_STEPS && any(busy); step++) {
        lanes first, second;
        const lane_mask above = logarithmic_slopes(m, diagonal, off, trial, &first, &second);
        upper = select(busy & above, trial, upper);
        lower = select(busy & ~above, lanes_max(trial, lower), lower);
        const lanes spread_of_roots = lanes_max(degree * second - first * first, zeros);
        const lanes plain = degree / (first + lanes_sqrt((degree - 1) * spread_of_roots));
        lanes taken = plain;
        if (step >= PATIENCE) { /* slow: a cluster of about first²/second eigenvalues */
            const lanes together = lanes_max(first * first / second - 0.5, zeros + 1);
            taken = degree / (first + lanes_sqrt(lanes_max(degree / together - 1, zeros) * spread_of_roots));
        }
        safe = select(busy & above, trial - plain, safe);
        const lanes after_failure = select(safe > lower, safe, lower + nudge);
        nudge = select(busy & ~above, 8 * nudge, nudge);
        busy &= ~((above & (plain <= tolerance)) | (upper - lower <= tolerance));
        trial = select(busy, select(above, trial - taken, after_failure), trial);
        trial = select(busy & ((trial > upper) | (trial <= lower)), 0.5 * (lower + upper), trial);
    }
    return upper;
}

static void largest_part(size_t m, double *matrix, double *work, double *eigenvalue) {
    double *diagonal = work, *off = work + 8 * m, *q = work + 16 * m, scale[WIDTH];
    if (!rescale(HCRI_PACKED(m, 0), matrix, scale)) { /* lanes without a sample */
        store(eigenvalue, zeros);
        return;
    }
    tridiagonalise(m, matrix, diagonal, off, q);
    const lanes found = largest_of_tridiagonal(m, diagonal, off);
    store(eigenvalue, found);
    for (size_t l = 0; l < WIDTH; l++)
        eigenvalue[l] = scale[l] > 0 ? eigenvalue[l] / scale[l] : INFINITY;
}

/* --------------------------------------------------------------------------------------------------- eigenvectors */

/* x = (L L')⁻¹ x, normalised; L's diagonal is inverted. */
static void improve(size_t m, const double *lower, double *x) {
    lanes squares = zeros;
    for (size_t i = 0; i < m; i++) {
        const double *row = lower + 8 * HCRI_PACKED(i, 0);
        lanes rest = load(x + 8 * i);
        for (size_t k = 0; k < i; k++)
            rest -= load(row + 8 * k) * load(x + 8 * k);
        store(x + 8 * i, rest * load(row + 8 * i));
    }
    for (size_t i = m; i-- > 0;) {
        const double *row = lower + 8 * HCRI_PACKED(i, 0);
        const lanes here = load(x + 8 * i) * load(row + 8 * i);
        for (size_t k = 0; k < i; k++)
            store(x + 8 * k, load(x + 8 * k) - load(row + 8 * k) * here);
        store(x + 8 * i, here);
        squares += here * here;
    }
    const lanes inverse = 1 / lanes_sqrt(squares);
    for (size_t i = 0; i < m; i++)
        store(x + 8 * i, load(x + 8 * i) * inverse);
}

/* Inverse iteration, with a shift so far above the eigenvalue that rounding leaves all pivots positive (Rump, 2006):
 * one below 0 could stand for more than the rounding of the matrix. */
static void eigenvectors_part(size_t m, double *matrix, const double *eigenvalue, double *x) {
    enum { TURNS = 3 };
    double scale[WIDTH];
    (void)rescale(HCRI_PACKED(m, 0), matrix, scale);
    lanes shift = load(eigenvalue) * load(scale), trace = zeros;
    for (size_t i = 0; i < m; i++)
        trace += lanes_abs(shift - load(matrix + 8 * HCRI_PACKED(i, i)));
    const lanes least = lanes_max(0x1p-53 * trace, zeros + 0x1p-200);
    shift += ((double)m + 8) * least;
    for (size_t i = 0; i < m; i++) {
        const double turn = 0.6180339887498949 * (double)i;
        const lanes pivot = lanes_max(factor_row(i, matrix, shift), least);
        store(matrix + 8 * HCRI_PACKED(i, i), 1 / lanes_sqrt(pivot));
        store(x + 8 * i, zeros + (0.5 + turn - floor(turn))); /* nothing an eigenvector is likely to be normal to */
    }
    for (int turn = 0; turn < TURNS; turn++)
        improve(m, matrix, x);
}

static void solve_transposed_part(size_t m, const double *lower, double *x) {
    for (size_t i = m; i-- > 0;) {
        const lanes here = load(x + 8 * i) * lower[HCRI_PACKED(i, i)];
        store(x + 8 * i, here);
        for (size_t k = 0; k < i; k++)
            store(x + 8 * k, load(x + 8 * k) - lower[HCRI_PACKED(i, k)] * here);
    }
}

static void outer_part(size_t m, const double *x, double *matrix) {
    for (size_t a = 0; a < m; a++) {
        const lanes here = load(x + 8 * a), twice = 2 * here;
        double *row = matrix + 8 * HCRI_PACKED(a, 0);
        for (size_t b = 0; b < a; b++)
            store(row + 8 * b, twice * load(x + 8 * b));
        store(row + 8 * a, here * here);
    }
    for (size_t e = HCRI_PACKED(m, 0); e % HCRI_PANEL != 0; e++)
        store(matrix + 8 * e, zeros);
}

static void forms_part(size_t n, const double *panels, size_t entries, const double *matrix, size_t count,
                       double *const out[]) {
    enum { COLUMNS = 64 };
    for (size_t first = 0; first < n; first += COLUMNS) {
        const size_t columns = n - first < COLUMNS ? n - first : COLUMNS;
        lanes total[COLUMNS];
        for (size_t j = 0; j < columns; j++)
            total[j] = zeros;
        for (size_t e = 0; e < entries; e += HCRI_PANEL) {
            const double *panel = panels + e * n + HCRI_PANEL * first;
            lanes share[HCRI_PANEL];
            for (size_t r = 0; r < HCRI_PANEL; r++)
                share[r] = load(matrix + 8 * (e + r));
            for (size_t j = 0; j < columns; j++)
                for (size_t r = 0; r < HCRI_PANEL; r++)
                    total[j] += panel[HCRI_PANEL * j + r] * share[r];
        }
        for (size_t j = 0; j < columns; j++)
            for (size_t l = 0; l < WIDTH && l < count; l++)
                out[l][first + j] = total[j][l];
    }
}

/* ------------------------------------------------------------------------------------------- all eight, by parts */

static void combine(size_t n, const double *panels, size_t entries, size_t count, const double *const v[],
                    double *matrix) {
    for (size_t part = 0; part < HCRI_LANES; part += WIDTH)
        if (count == part + 1)
            combine_alone(n, panels, entries, v[part], matrix + part);
        else if (count > part)
            combine_part(n, panels, entries, count - part, v + part, matrix + part);
        else
            for (size_t e = 0; e < entries + (HCRI_PANEL - entries % HCRI_PANEL) % HCRI_PANEL; e++)
                store(matrix + part + 8 * e, zeros);
}

static void combine_negative(const hcri_rows *rows, size_t count, const double *const v[], double *matrix) {
    for (size_t part = 0; part < HCRI_LANES; part += WIDTH)
        combine_negative_part(rows, part < count ? count - part : 0, v + part, matrix + part);
}

static void reduce(size_t m, const double *lower, double *matrix) {
    for (size_t part = 0; part < HCRI_LANES; part += WIDTH)
        reduce_part(m, lower, matrix + part);
}

static void reduce_each(size_t m, const double *lower, double *matrix) {
    for (size_t part = 0; part < HCRI_LANES; part += WIDTH)
        reduce_each_part(m, lower + part, matrix + part);
}

static void norms(size_t m, const double *matrix, double norm[HCRI_LANES]) {
    for (size_t part = 0; part < HCRI_LANES; part += WIDTH)
        norms_part(m, matrix + part, norm + part);
}

static void factors(size_t m, double *matrix, const double shift[HCRI_LANES], int positive[HCRI_LANES]) {
    for (size_t part = 0; part < HCRI_LANES; part += WIDTH)
        factors_part(m, matrix + part, shift + part, positive + part);
}

static void largest(size_t m, double *matrix, double *work, double eigenvalue[HCRI_LANES]) {
    for (size_t part = 0; part < HCRI_LANES; part += WIDTH)
        largest_part(m, matrix + part, work + part, eigenvalue + part);
}

static void eigenvectors(size_t m, double *matrix, const double eigenvalue[HCRI_LANES], double *x) {
    for (size_t part = 0; part < HCRI_LANES; part += WIDTH)
        eigenvectors_part(m, matrix + part, eigenvalue + part, x + part);
}

static void solve_transposed(size_t m, const double *lower, double *x) {
    for (size_t part = 0; part < HCRI_LANES; part += WIDTH)
        solve_transposed_part(m, lower, x + part);
}

static void outer(size_t m, const double *x, double *matrix) {
    for (size_t part = 0; part < HCRI_LANES; part += WIDTH)
        outer_part(m, x + part, matrix + part);
}

static void forms(size_t n, const double *panels, size_t entries, const double *matrix, size_t count,
                  double *const out[]) {
    for (size_t part = 0; part < count; part += WIDTH)
        forms_part(n, panels, entries, matrix + part, count - part, out + part);
}

extern const hcri_symmetric_kernels HCRI_JOIN(hcri_symmetric_, HCRI_VARIANT);
const hcri_symmetric_kernels HCRI_JOIN(hcri_symmetric_, HCRI_VARIANT) = {
    .combine = combine,
    .combine_negative = combine_negative,
    .reduce = reduce,
    .reduce_each = reduce_each,
    .norms = norms,
    .factors = factors,
    .largest = largest,
    .eigenvectors = eigenvectors,
    .solve_transposed = solve_transposed,
    .outer = outer,
    .forms = forms,
};
