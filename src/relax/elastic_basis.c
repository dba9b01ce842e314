/* The basis of the active rows of an elastic search, which sides join and leave. */
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "relax/elastic_parts.h"

/* Among rows that are known to be dependent but for rounding. */
static const double nearly = 1e-8;
/* A row that varies by less has one value. */
static const double still = 1e-9;

void hcri_elastic_take_limits(hcri_elastic *e, size_t i) {
    const unsigned char upper = e->state[2 * i], lower = e->state[2 * i + 1];
    const double top = e->rows->upper[i], bottom = e->rows->lower[i];
    e->high[i] = upper == HCRI_SIDE_FREE ? top : INFINITY;
    e->low[i] = lower == HCRI_SIDE_FREE ? bottom : -INFINITY;
    if (upper == HCRI_SIDE_GIVEN_UP && top > e->low[i])
        e->low[i] = top;
    if (lower == HCRI_SIDE_GIVEN_UP && bottom < e->high[i])
        e->high[i] = bottom;
}

void hcri_elastic_set_state(hcri_elastic *e, uint32_t side, hcri_elastic_state state) {
    e->state[side] = (unsigned char)state;
    if (!hcri_is_equality(e->rows, side) && hcri_is_short(e->rows, side / 2))
        hcri_elastic_take_limits(e, side / 2);
}

void hcri_elastic_coordinates(hcri_elastic *e, uint32_t side) {
    const hcri_elastic_rows *rows = e->rows;
    const size_t i = side / 2, stride = e->stride;
    const double sign = hcri_sign_of(side);
    if (hcri_is_short(rows, i)) {
        const double *first = e->j + e->column[0][i], *second = e->j + e->column[1][i];
        const double of_first = sign * e->value[0][i], of_second = sign * e->value[1][i];
        for (size_t c = 0; c < e->n; c++)
            e->d[c] = of_first * first[c * stride];
        for (size_t c = 0; c < e->n && of_second != 0; c++)
            e->d[c] += of_second * second[c * stride];
        return;
    }
    memset(e->normal, 0, stride * sizeof *e->normal);
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        e->normal[rows->columns[k]] += sign * rows->values[k];
    hcri_kernels_best()->elastic->products(stride, e->n, e->j, e->normal, e->d);
}

double hcri_elastic_rest_square(const hcri_elastic *e) {
    double even = 0, odd = 0; /* two sums, which don't wait for one another */
    size_t c = e->active;
    for (; c + 1 < e->n; c += 2) {
        even += e->d[c] * e->d[c];
        odd += e->d[c + 1] * e->d[c + 1];
    }
    return (c < e->n ? even + e->d[c] * e->d[c] : even) + odd;
}

void hcri_elastic_resolve(hcri_elastic *e) {
    hcri_kernels_best()->elastic->sum(e->stride, e->active, e->u, e->d, e->step);
}

void hcri_elastic_rest(hcri_elastic *e) {
    const size_t k = e->active;
    hcri_kernels_best()->elastic->sum(e->stride, e->n - k, e->j + k * e->stride, e->d + k, e->w);
}

size_t hcri_elastic_lone(const hcri_elastic *e) {
    size_t lone = SIZE_MAX, count = 0;
    for (size_t c = e->active; c < e->n; c++)
        if (e->d[c] != 0) {
            lone = c;
            count++;
        }
    return count == 1 ? lone : SIZE_MAX;
}

/* A reflection takes the rest of d to column k, where it is `end`. */
static double reflect(hcri_elastic *e, double square) {
    const size_t stride = e->stride, k = e->active;
    const double size = sqrt(square), end = e->d[k] > 0 ? -size : size;
    double *v = e->d + k;
    v[0] -= end;
    const double factor = 1 / (size * (size + fabs(v[0] + end))); /* 2/v'v */
    for (size_t j = 0; j < stride; j++)
        e->w[j] -= end * e->j[k * stride + j];
    hcri_kernels_best()->elastic->add(stride, e->n - k, -factor, v, e->w, e->j + k * stride);
    return end;
}

static void exchange(hcri_elastic *e, size_t column) {
    const size_t stride = e->stride, k = e->active;
    double *to = e->j + k * stride, *from = e->j + column * stride;
    for (size_t j = 0; j < stride && column != k; j++) {
        const double kept = to[j];
        to[j] = from[j];
        from[j] = kept;
    }
}

/* Rotations of neighbours take the rest of d to the last column, which goes to column k. Of a basis of single outputs
 * the others then are differences between an output and those before: rows of single outputs that join later, from the
 * last one on, have a column alone, where after a reflection they have all. */
static double sweep(hcri_elastic *e) {
    double *cosine = e->work, *sine = e->work + e->stride;
    size_t first = e->active;
    while (e->d[first] == 0)
        first++;
    double size = fabs(e->d[first]), square = size * size, last = e->d[first];
    for (size_t c = first; c + 1 < e->n; c++) {
        square += e->d[c + 1] * e->d[c + 1];
        size = sqrt(square);
        cosine[c] = e->d[c + 1] / size;
        sine[c] = -last / size;
        last = size;
    }
    hcri_kernels_best()->elastic->rotate(e->stride, e->n - 1 - first, cosine + first, sine + first,
                                         e->j + first * e->stride);
    exchange(e, e->n - 1);
    return last;
}

/* The rest of d gets to column k alone, where it is what is returned. */
static double take_to_one(hcri_elastic *e, uint32_t side, double square, size_t lone) {
    if (lone == SIZE_MAX)
        return hcri_is_short(e->rows, side / 2) ? reflect(e, square) : sweep(e);
    exchange(e, lone);
    return e->d[lone];
}

void hcri_elastic_join(hcri_elastic *e, uint32_t side, double square, size_t lone) {
    const size_t stride = e->stride, k = e->active;
    const double inverse = 1 / take_to_one(e, side, square, lone);
    double *column = e->u + k * stride;
    for (size_t j = 0; j < stride; j++)
        column[j] = -inverse * e->step[j];
    column[k] = inverse;
    e->side[k] = side;
    for (size_t part = 0; part < e->parts; part++) {
        e->multiplier[part * stride + k] = e->own[part];
        e->price[part * stride + k] = hcri_price_of(e->rows, side, part);
    }
    e->floor[k] = hcri_is_equality(e->rows, side) ? -INFINITY : 0;
    hcri_elastic_set_state(e, side, HCRI_SIDE_ACTIVE);
    e->active++;
}

/* Rotations of columns take the row of U of the side that leaves to the last one, and turn d with the basis. The last
 * side gets its place. */
void hcri_elastic_part_with(hcri_elastic *e, size_t at, hcri_elastic_state state) {
    const hcri_elastic_kernels *kernels = hcri_kernels_best()->elastic;
    const size_t stride = e->stride, left = --e->active;
    double *cosine = e->work, *sine = e->work + stride, *row = e->u + at;
    size_t first = 0;
    while (first < left && row[first * stride] == 0)
        first++;
    double last = row[first * stride], square = last * last;
    for (size_t c = first; c < left; c++) {
        const double other = row[(c + 1) * stride];
        square += other * other;
        const double size = sqrt(square), before = e->d[c], after = e->d[c + 1];
        cosine[c] = other / size;
        sine[c] = -last / size;
        e->d[c] = cosine[c] * before + sine[c] * after;
        e->d[c + 1] = cosine[c] * after - sine[c] * before;
        last = size;
    }
    kernels->rotate(stride, left - first, cosine + first, sine + first, e->j + first * stride);
    kernels->rotate(stride, left - first, cosine + first, sine + first, e->u + first * stride);
    for (size_t c = 0; c < left; c++) {
        row[c * stride] = e->u[c * stride + left];
        e->u[c * stride + left] = 0;
    }
    hcri_elastic_set_state(e, e->side[at], state);
    e->side[at] = e->side[left];
    e->floor[at] = e->floor[left];
    for (size_t part = 0; part < e->parts; part++) {
        e->multiplier[part * stride + at] = e->multiplier[part * stride + left];
        e->price[part * stride + at] = e->price[part * stride + left];
    }
}

int hcri_elastic_join_beyond(hcri_elastic *e, uint32_t side, double least) {
    if (e->active == e->n)
        return 0;
    hcri_elastic_coordinates(e, side);
    const double left = hcri_elastic_rest_square(e);
    if (!(left > least * least))
        return 0;
    const size_t lone = hcri_elastic_lone(e);
    hcri_elastic_resolve(e);
    if (lone == SIZE_MAX)
        hcri_elastic_rest(e);
    hcri_elastic_join(e, side, left, lone);
    return 1;
}

int hcri_elastic_binds(const hcri_elastic *e, size_t i) {
    int binds = hcri_is_equality(e->rows, e->side[i]);
    for (size_t k = 0; k + 1 < e->parts; k++)
        binds |= e->multiplier[k * e->stride + i] != 0;
    return binds;
}

void hcri_elastic_keep_binding(hcri_elastic *e) {
    for (size_t i = e->active; i-- > 0;)
        if (!hcri_elastic_binds(e, i))
            hcri_elastic_part_with(e, i, HCRI_SIDE_FREE);
}

int hcri_elastic_bind(hcri_elastic *e, uint32_t side) {
    const hcri_elastic_state state = (hcri_elastic_state)e->state[side];
    for (size_t part = 0; part < e->parts; part++)
        e->own[part] = 0;
    const int binds = hcri_elastic_join_beyond(e, side, nearly);
    hcri_elastic_set_state(e, side, state);
    return binds;
}

void hcri_elastic_unbind_given_up(hcri_elastic *e) {
    for (size_t i = e->active; i-- > 0;)
        if (e->state[e->side[i]] == HCRI_SIDE_GIVEN_UP)
            hcri_elastic_part_with(e, i, HCRI_SIDE_GIVEN_UP);
}

/* Where few rows are active, what these leave of a row tells that it varies, if it is this share: no rounding. */
static const double surely = 1e-3;

static int is_mostly_free(const hcri_elastic *e) { return 2 * e->active < e->n; }

void hcri_elastic_outputs_vary(const hcri_elastic *e, double *varies) {
    for (size_t j = 0; j < e->n; j++)
        varies[j] = 1;
    for (size_t c = 0; c < e->active && is_mostly_free(e); c++)
        for (size_t j = 0; j < e->n; j++)
            varies[j] -= e->j[c * e->stride + j] * e->j[c * e->stride + j];
    for (size_t j = 0; j < e->n; j++) {
        double most = is_mostly_free(e) && varies[j] > surely ? 1 : 0;
        for (size_t c = e->active; c < e->n && !(most > still); c++)
            most = fabs(e->j[c * e->stride + j]);
        varies[j] = most > still;
    }
}

static double product(const hcri_elastic *e, size_t c, size_t count, const uint32_t *columns, const double *values) {
    const double *direction = e->j + c * e->stride;
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += values[k] * direction[columns[k]];
    return sum;
}

int hcri_elastic_varies(const hcri_elastic *e, size_t count, const uint32_t *columns, const double *values) {
    double square = 0, left = 0;
    for (size_t k = 0; k < count; k++)
        square += values[k] * values[k];
    if (is_mostly_free(e))
        left = square;
    for (size_t c = 0; c < e->active && left > 0; c++) {
        const double along = product(e, c, count, columns, values);
        left -= along * along;
    }
    int varies = left > surely * square;
    for (size_t c = e->active; c < e->n && !varies; c++)
        varies = fabs(product(e, c, count, columns, values)) > still;
    return varies;
}

void hcri_elastic_push(hcri_elastic *e, const double *by_row, double *y) {
    const hcri_elastic_kernels *kernels = hcri_kernels_best()->elastic;
    memset(e->normal, 0, e->stride * sizeof *by_row);
    memcpy(e->normal, by_row, e->active * sizeof *by_row);
    kernels->products(e->stride, e->active, e->u, e->normal, e->step);
    kernels->sum(e->stride, e->active, e->j, e->step, e->normal);
    for (size_t j = 0; j < e->n; j++)
        y[j] += e->normal[j];
}

/* J'v of `count` columns from one on. */
static void find_along(hcri_elastic *e, size_t from, size_t count, const double *v, double *out) {
    memcpy(e->normal, v, e->n * sizeof *v);
    memset(e->normal + e->n, 0, (e->stride - e->n) * sizeof *v);
    hcri_kernels_best()->elastic->products(e->stride, count, e->j + from * e->stride, e->normal, out);
}

void hcri_elastic_pull(hcri_elastic *e, const double *y_bar, double *by_row) {
    find_along(e, 0, e->active, y_bar, e->d);
    hcri_elastic_resolve(e);
    memcpy(by_row, e->step, e->active * sizeof *by_row);
}

void hcri_elastic_leave(hcri_elastic *e, double *direction) {
    find_along(e, e->active, e->n - e->active, direction, e->d + e->active);
    hcri_elastic_rest(e);
    memcpy(direction, e->w, e->n * sizeof *direction);
}
