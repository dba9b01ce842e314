/* The frontier of a region in space as triangles: those of an octahedron's faces, blown up. One in which the constraint
 * changes is cut in four, again and again, until its sides can't be seen: edges and corners are sharp without being
 * looked for, and so are the walls along rays where a star domain's frontier leaps. */
#include "picture.h"

#include "cli/report.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 56, FACES = 8, CUTS = 5 };

struct triangle {
    struct slice_ray corner[3];
    double depth; /* towards the viewer */
};

/* What the drawing depends on: units of the axes, and directions in those. */
struct view {
    const struct slice *slice;
    double measure[3], viewer[3], light[3];
};

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void normalise(double *v) {
    const double size = sqrt(dot(v, v));
    for (size_t k = 0; k < 3; k++)
        v[k] = size > 0 ? v[k] / size : 0;
}

/* ------------------------------------------------------------------------------------------------------- triangles */

static size_t count_changes(const struct triangle *triangle) {
    const struct slice_ray *c = triangle->corner;
    return (size_t)(c[0].which != c[1].which) + (c[1].which != c[2].which) + (c[2].which != c[0].which);
}

/* Corner (i, j) of a face, turned a little: rays along the axes and their diagonals would run into edges that many
 * regions have there. */
static struct slice_ray corner_of(int face, int i, int j) {
    static const double by[2] = {0.3731, 0.2317};
    struct slice_ray ray = {{face & 1 ? -i : i, face & 2 ? -j : j, face & 4 ? i + j - SIDE : SIDE - i - j}, {0}, 0, 0};
    double *d = ray.direction;
    normalise(d);
    for (size_t k = 0; k < 2; k++) {
        const double x = d[k], y = d[k + 1];
        d[k] = cos(by[k]) * x - sin(by[k]) * y;
        d[k + 1] = sin(by[k]) * x + cos(by[k]) * y;
    }
    return ray;
}

/* Upright triangles on each face, and the others between them. */
static size_t make_triangles(const struct slice *slice, struct triangle **all) {
    const size_t most = FACES * SIDE * SIDE;
    struct slice_ray *ray = allocate(3 * most, sizeof *ray), *next = ray;
    for (int face = 0; face < FACES; face++)
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; i + j < SIDE; j++)
                for (int other = 0; other < 2 && i + j + other < SIDE; other++, next += 3) {
                    next[0] = corner_of(face, i + other, j + other);
                    next[1] = corner_of(face, i + 1, j);
                    next[2] = corner_of(face, i, j + 1);
                }
    slice_cast(slice, (size_t)(next - ray), ray);
    *all = allocate(most, sizeof **all);
    for (size_t i = 0; i < (size_t)(next - ray); i++)
        (*all)[i / 3].corner[i % 3] = ray[i];
    free(ray);
    return most;
}

/* Cuts those in which the constraint changes in four. */
static size_t cut(const struct slice *slice, size_t count, struct triangle **all) {
    const struct triangle *old = *all;
    size_t changing = 0, made = 0, m = 0;
    for (size_t t = 0; t < count; t++)
        changing += count_changes(&old[t]) > 0;
    struct slice_ray *middle = allocate(3 * changing, sizeof *middle);
    struct triangle *cut = allocate(count + 3 * changing, sizeof *cut);
    for (size_t t = 0; t < count; t++)
        for (size_t c = 0; c < 3 && count_changes(&old[t]) > 0; c++, m++) {
            for (size_t k = 0; k < 3; k++)
                middle[m].direction[k] = old[t].corner[c].direction[k] + old[t].corner[(c + 1) % 3].direction[k];
            normalise(middle[m].direction);
        }
    slice_cast(slice, 3 * changing, middle);
    m = 0;
    for (size_t t = 0; t < count; t++) {
        if (count_changes(&old[t]) == 0) {
            cut[made++] = old[t];
            continue;
        }
        cut[made++] = (struct triangle){{middle[m], middle[m + 1], middle[m + 2]}, 0};
        for (size_t c = 0; c < 3; c++)
            cut[made++] = (struct triangle){{old[t].corner[c], middle[m + c], middle[m + (c + 2) % 3]}, 0};
        m += 3;
    }
    free(middle);
    free(*all);
    *all = cut;
    return made;
}

/* --------------------------------------------------------------------------------------------------------- shading */

/* Towards the outside, of the plane through the corners. */
static void find_normal(const struct view *view, const struct triangle *triangle, double *normal) {
    double u[3], v[3], out[3];
    for (size_t k = 0; k < 3; k++) {
        const double first = triangle->corner[0].point[k];
        u[k] = (triangle->corner[1].point[k] - first) * view->measure[k];
        v[k] = (triangle->corner[2].point[k] - first) * view->measure[k];
        out[k] = (first - view->slice->centre[view->slice->axis[k]]) * view->measure[k];
    }
    for (size_t k = 0; k < 3; k++)
        normal[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    const double side = dot(normal, out) < 0 ? -1 : 1;
    normalise(normal);
    for (size_t k = 0; k < 3; k++)
        normal[k] *= side;
}

/* Of the frontier at the end of a ray: by differences of what breaks the constraint, or the window's side. */
static void find_slope(const struct view *view, const struct slice_ray *ray, double *normal) {
    const struct slice *slice = view->slice;
    double point[4][3], value[4];
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++)
            point[i][k] = ray->point[k] + (i == k + 1 ? 1e-6 * slice->scale[k] : 0);
    slice_violation(slice, 4, point[0], value);
    for (size_t k = 0; k < 3; k++) {
        const uint32_t side = UINT32_MAX - 1 - (uint32_t)(2 * k);
        normal[k] = !slice_is_window(ray->which) ? (value[k + 1] - value[0]) / slice->scale[k] / view->measure[k]
                    : ray->which == side         ? -1
                    : ray->which == side - 1     ? 1
                                                 : 0;
    }
    normalise(normal);
}

static void find_view(const struct slice *slice, struct view *view) {
    const double degree = acos(-1) / 180, tilt = SPACE_TILT * degree, turn = SPACE_TURN * degree;
    const double viewer[3] = {sin(turn) * sin(tilt), -cos(turn) * sin(tilt), cos(tilt)};
    const double light[3] = {viewer[0] - 0.7 * cos(turn), viewer[1] - 0.7 * sin(turn), viewer[2] + 0.7};
    view->slice = slice;
    picture_measure(slice, view->measure);
    for (size_t k = 0; k < 3; k++) {
        view->viewer[k] = viewer[k];
        view->light[k] = light[k]; /* from the viewer's left, above */
    }
    normalise(view->light);
}

static int by_depth(const void *left, const void *right) {
    const struct triangle *a = left, *b = right;
    return (a->depth > b->depth) - (a->depth < b->depth);
}

/* From the back to the front. */
static void sort(const struct view *view, size_t count, struct triangle *all) {
    for (size_t t = 0; t < count; t++)
        for (size_t c = 0; c < 3; c++)
            for (size_t k = 0; k < 3; k++)
                all[t].depth += all[t].corner[c].point[k] * view->measure[k] * view->viewer[k];
    qsort(all, count, sizeof *all, by_depth);
}

/* Sides that are much longer than those of other triangles are along a ray. */
static int is_wall(const struct triangle *triangle) {
    const double a = triangle->corner[0].length, b = triangle->corner[1].length, c = triangle->corner[2].length;
    return fmax(a, fmax(b, c)) - fmin(a, fmin(b, c)) > 0.05 * fmax(a, fmax(b, c));
}

static const struct slice_ray *nearest(const struct triangle *triangle) {
    const struct slice_ray *c = triangle->corner;
    return c[0].length <= c[1].length && c[0].length <= c[2].length ? &c[0]
           : c[1].length <= c[2].length                             ? &c[1]
                                                                    : &c[2];
}

/* A mesh of 2 × 2 corners, two of them the same, of one colour: 0 … 1 for a frontier's shades, 1 … 2 where the window
 * cuts. */
static void write_triangle(FILE *script, const struct triangle *triangle, double shade) {
    static const int order[] = {0, 1, 2, 2};
    for (int i = 0; i < 4; i++) {
        const double *p = triangle->corner[order[i]].point;
        fprintf(script, "%.7g %.7g %.7g %.3f\n%s", p[0], p[1], p[2], shade, i % 2 == 1 ? "\n" : "");
    }
    fputc('\n', script);
}

/* The colour of the plane through the corners; more than any where it is turned away. */
static double shade_of(const struct view *view, const struct triangle *triangle) {
    const struct slice_ray *c = triangle->corner;
    double normal[3];
    if (count_changes(triangle) > 0 && is_wall(triangle)) { /* it goes on from where its rays touch the frontier */
        find_slope(view, nearest(triangle), normal);
        return 0.25 + 0.75 * fabs(dot(normal, view->light));
    }
    find_normal(view, triangle, normal);
    if (hcr_region_is_convex(view->slice->region) && dot(normal, view->viewer) < 0)
        return INFINITY;
    const int is_window = slice_is_window(c[0].which) && slice_is_window(c[1].which) && slice_is_window(c[2].which);
    return 0.25 + 0.75 * fmax(0, dot(normal, view->light)) + is_window;
}

static void write_surface(FILE *script, const struct view *view, size_t count, const struct triangle *all) {
    fputs("$surface << END\n", script);
    for (size_t t = 0; t < count; t++) {
        const double shade = shade_of(view, &all[t]);
        if (isfinite(shade))
            write_triangle(script, &all[t], shade);
    }
    fputs("END\n", script);
}

/* Of a side on which the constraint changes: its middle, or the end of a wall that is farther out. */
static void find_edge(const struct slice_ray *a, const struct slice_ray *b, int wall, double *edge) {
    for (size_t k = 0; k < 3; k++)
        edge[k] = !wall ? (a->point[k] + b->point[k]) / 2 : a->length > b->length ? a->point[k] : b->point[k];
}

/* Through the smallest triangles, where an edge is in visibility and isn't too blunt. */
static void write_edges(FILE *script, const struct view *view, size_t count, const struct triangle *all) {
    const double blunt = cos(6 * acos(-1) / 180);
    fputs("$edges << END\n", script);
    for (size_t t = 0; t < count; t++) {
        const struct slice_ray *c = all[t].corner;
        if (count_changes(&all[t]) != 2)
            continue;
        const size_t tip = c[1].which == c[2].which ? 0 : c[0].which == c[2].which ? 1 : 2;
        const struct slice_ray *a = &c[tip], *b = &c[(tip + 1) % 3], *d = &c[(tip + 2) % 3];
        double left[3], right[3], ends[2][3];
        find_slope(view, a, left);
        find_slope(view, b, right);
        if ((dot(left, view->viewer) <= 0 && dot(right, view->viewer) <= 0) || dot(left, right) > blunt)
            continue;
        find_edge(a, b, is_wall(&all[t]), ends[0]);
        find_edge(a, d, is_wall(&all[t]), ends[1]);
        picture_row(script, 3, ends[0]);
        picture_row(script, 3, ends[1]);
        fputs("\n\n", script);
    }
    fputs("END\n", script);
}

void space_data(FILE *script, struct picture *picture) {
    struct slice *slice = &picture->slice;
    struct triangle *all;
    struct view view;
    size_t count = make_triangles(slice, &all);
    for (int round = 0; round < CUTS; round++)
        count = cut(slice, count, &all);
    for (size_t t = 0; t < count; t++)
        slice_grow(slice, 3, all[t].corner);
    find_view(slice, &view);
    sort(&view, count, all);
    write_surface(script, &view, count, all);
    write_edges(script, &view, count, all);
    free(all);
}
