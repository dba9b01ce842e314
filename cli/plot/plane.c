/* The frontier of a region in a plane, and all of a star domain that is in the window, seen from the origin or not. */
#include "picture.h"

#include "cli/report.h"

#include <math.h>
#include <stdlib.h>

/* -------------------------------------------------------------------------------------------------------- frontier */

enum { RAYS = 4096, BETWEEN = 64 };

static void aim(struct slice_ray *ray, double angle) {
    ray->direction[0] = cos(angle);
    ray->direction[1] = sin(angle);
}

/* RAYS rays around the centre, and BETWEEN more where the constraint changes between two of them: corners are as sharp
 * as can be seen. Returns how many; *all is to be freed. */
static size_t find_boundary(const struct slice *slice, struct slice_ray **all) {
    const double step = 2 * acos(-1) / RAYS;
    size_t changes = 0, count = 0;
    struct slice_ray *ray = allocate(RAYS + 1, sizeof *ray);
    for (size_t i = 0; i <= RAYS; i++)
        aim(&ray[i], (double)(i % RAYS) * step);
    slice_cast(slice, RAYS + 1, ray);
    for (size_t i = 0; i < RAYS; i++)
        changes += ray[i].which != ray[i + 1].which;
    *all = allocate(RAYS + BETWEEN * changes, sizeof **all);
    for (size_t i = 0; i < RAYS; i++) {
        const size_t parts = ray[i].which != ray[i + 1].which ? BETWEEN + 1 : 1;
        for (size_t k = 0; k < parts; k++)
            aim(&(*all)[count++], ((double)i + (double)k / (double)parts) * step);
    }
    free(ray);
    slice_cast(slice, count, *all);
    return count;
}

/* Whether b is on the line from a to c, as far as that can be seen. */
static int is_between(const struct slice *slice, const double *a, const double *b, const double *c) {
    const double x = (c[0] - a[0]) / slice->scale[0], y = (c[1] - a[1]) / slice->scale[1];
    const double u = (b[0] - a[0]) / slice->scale[0], v = (b[1] - a[1]) / slice->scale[1];
    return fabs(x * v - y * u) <= 1e-6 * hypot(x, y);
}

static void write_boundary(FILE *script, size_t count, const struct slice_ray *ray) {
    fputs("$region << END\n", script);
    for (size_t i = 0; i < count; i++)
        picture_row(script, 2, ray[i].point);
    fputs("END\n$frontier << END\n", script);
    /* Along the window there is none: the line is broken there. */
    for (size_t i = 0; i <= count && count > 0; i++) {
        if (slice_is_window(ray[i % count].which))
            fputc('\n', script);
        else
            picture_row(script, 2, ray[i % count].point);
    }
    fputs("END\n", script);
}

/* ---------------------------------------------------------------------------------------------------------- shade */

enum { LINES = 401, COLUMNS = 401, MOST_PIECES = COLUMNS / 2 + 1 };

struct line {
    double height;
    size_t pieces;
    double piece[MOST_PIECES][2]; /* of the line: where it is inside, from, to */
};

static double column_at(const struct slice *slice, size_t j) {
    return slice->lower[0] + (slice->upper[0] - slice->lower[0]) * (double)j / (COLUMNS - 1);
}

/* Where between two columns of a line the region begins or ends: the value is nearly linear there. */
static double crossing(const struct slice *slice, const double *value, size_t out, size_t in) {
    const double a = column_at(slice, out), b = column_at(slice, in), share = value[out] / (value[out] - value[in]);
    return isfinite(share) ? a + share * (b - a) : b;
}

static void find_pieces(const struct slice *slice, const double *value, struct line *line) {
    line->pieces = 0;
    for (size_t j = 0, end; j < COLUMNS; j = end + 1) {
        for (end = j; end < COLUMNS && value[end] <= 0; end++) {
        }
        if (end == j)
            continue;
        double *piece = line->piece[line->pieces++];
        piece[0] = j == 0 ? column_at(slice, j) : crossing(slice, value, j - 1, j);
        piece[1] = end == COLUMNS ? column_at(slice, end - 1) : crossing(slice, value, end, end - 1);
    }
}

static int overlap(const double *a, const double *b) { return fmax(a[0], b[0]) <= fmin(a[1], b[1]); }

static size_t count_over(const double *piece, const struct line *line) {
    size_t count = 0;
    for (size_t p = 0; p < line->pieces; p++)
        count += (size_t)overlap(piece, line->piece[p]);
    return count;
}

/* A strip between two lines wherever a piece of one is over a piece of the other. Where they have no other neighbour
 * their ends are its corners; where pieces split or join it is what both have. */
static void write_strips(FILE *script, const struct line *low, const struct line *high) {
    for (size_t p = 0; p < low->pieces; p++)
        for (size_t q = 0; q < high->pieces; q++) {
            const double *a = low->piece[p], *b = high->piece[q];
            if (!overlap(a, b))
                continue;
            const int alone = count_over(a, high) == 1 && count_over(b, low) == 1;
            const double left = fmax(a[0], b[0]), right = fmin(a[1], b[1]);
            picture_row(script, 2, (double[]){alone ? a[0] : left, low->height});
            picture_row(script, 2, (double[]){alone ? b[0] : left, high->height});
            picture_row(script, 2, (double[]){alone ? b[1] : right, high->height});
            picture_row(script, 2, (double[]){alone ? a[1] : right, low->height});
            fputc('\n', script);
        }
}

static void write_shade(FILE *script, const struct slice *slice) {
    double *point = allocate(2 * LINES * COLUMNS, sizeof *point);
    double *value = allocate(LINES * COLUMNS, sizeof *value);
    struct line *line = allocate(2, sizeof *line);
    for (size_t i = 0; i < LINES * COLUMNS; i++) {
        point[2 * i] = column_at(slice, i % COLUMNS);
        point[2 * i + 1] = slice->lower[1] + (slice->upper[1] - slice->lower[1]) * (double)(i / COLUMNS) / (LINES - 1);
    }
    slice_violation(slice, LINES * COLUMNS, point, value);
    for (size_t i = 0; i < LINES; i++) {
        line[i % 2].height = point[2 * i * COLUMNS + 1];
        find_pieces(slice, value + i * COLUMNS, &line[i % 2]);
        if (i > 0)
            write_strips(script, &line[(i + 1) % 2], &line[i % 2]);
    }
    free(point);
    free(value);
    free(line);
}

void plane_data(FILE *script, struct picture *picture) {
    struct slice *slice = &picture->slice;
    struct slice_ray *ray = NULL;
    size_t count = 0, kept = 0;
    picture->has_shade = !hcr_region_is_convex(slice->region);
    picture->has_boundary = !picture->has_shade || slice->through_origin;
    if (picture->has_boundary)
        count = find_boundary(slice, &ray);
    slice_grow(slice, count, ray);
    for (size_t i = 0; i < count; i++) /* what is on a straight line between others isn't needed */
        if (kept == 0 || i + 1 == count || ray[i].which != ray[i + 1].which || ray[i].which != ray[kept - 1].which ||
            !is_between(slice, ray[kept - 1].point, ray[i].point, ray[i + 1].point))
            ray[kept++] = ray[i];
    write_boundary(script, kept, ray);
    fputs("$shade << END\n", script);
    if (picture->has_shade)
        write_shade(script, slice);
    fputs("END\n", script);
    free(ray);
}
