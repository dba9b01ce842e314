/* An octahedron's faces, each cut into SIDE² triangles, are blown up to the frontier. Where the corners of a triangle
 * are stopped by different constraints, its sides are cut where the constraint changes, so that edges are sharp; where
 * three meet, their planes do. */
#include "surface.h"

#include "command.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 44, ON_FACE = (SIDE + 1) * (SIDE + 2) / 2, FACES = 8, BISECTIONS = 26 };

struct corner {
    double direction[3], point[3]; /* the point from the centre, in units of scale */
    uint32_t which;
};
struct change { /* the side of a triangle on which the constraint changes */
    struct corner left, right;
};

void surface_free(struct surface *surface) {
    free(surface->polygon);
    free(surface->edge);
    *surface = (struct surface){0};
}

/* ---------------------------------------------------------------------------------------------------------- corners */

static int cast(const struct slice *slice, size_t count, struct corner *const *corner) {
    double *direction = calloc(4 * count + 1, sizeof *direction), *reach = direction + 3 * count;
    uint32_t *which = calloc(count + 1, sizeof *which);
    int code = EXIT_DONE;
    if (direction == NULL || which == NULL) {
        code = report_memory();
    } else {
        for (size_t i = 0; i < count; i++)
            memcpy(direction + 3 * i, corner[i]->direction, 3 * sizeof *direction);
        code = slice_reach(slice, count, direction, reach, which);
    }
    for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
        corner[i]->which = which[i];
        for (size_t k = 0; k < 3; k++)
            corner[i]->point[k] = reach[i] * direction[3 * i + k];
    }
    free(direction);
    free(which);
    return code;
}

static void normalise(double *v) {
    const double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (size_t k = 0; k < 3; k++)
        v[k] /= size;
}

/* Corner (i, j) of a face, of barycentric coordinates i, j and SIDE − i − j. */
static size_t place(int face, int i, int j) {
    return (size_t)face * ON_FACE + (size_t)(i * (2 * (SIDE + 1) - i + 1) / 2 + j);
}

static void spread(struct corner *corner) {
    for (int face = 0; face < FACES; face++)
        for (int i = 0; i <= SIDE; i++)
            for (int j = 0; i + j <= SIDE; j++) {
                double *d = corner[place(face, i, j)].direction;
                d[0] = face & 1 ? -i : i;
                d[1] = face & 2 ? -j : j;
                d[2] = face & 4 ? -(SIDE - i - j) : SIDE - i - j;
                normalise(d);
            }
}

/* --------------------------------------------------------------------------------------------------------- polygons */

static int add_polygon(const struct slice *slice, struct surface *surface, int corners, const double *const *point,
                       uint32_t which) {
    if (surface->polygons == surface->polygon_capacity) {
        surface->polygon_capacity = 2 * surface->polygon_capacity + 4096;
        void *grown = realloc(surface->polygon, surface->polygon_capacity * sizeof *surface->polygon);
        if (grown == NULL)
            return report_memory();
        surface->polygon = grown;
    }
    struct surface_polygon *made = &surface->polygon[surface->polygons++];
    *made = (struct surface_polygon){.corners = corners, .which = which};
    for (int c = 0; c < corners; c++)
        for (size_t k = 0; k < 3; k++)
            made->corner[c][k] = slice->centre[slice->axis[k]] + point[c][k] * slice->scale[k];
    return EXIT_DONE;
}

/* Between the polygons `a` and `b`. */
static int add_edge(const struct slice *slice, struct surface *surface, const double *from, const double *to, size_t a,
                    size_t b) {
    if (surface->edges == surface->edge_capacity) {
        surface->edge_capacity = 2 * surface->edge_capacity + 1024;
        void *grown = realloc(surface->edge, surface->edge_capacity * sizeof *surface->edge);
        if (grown == NULL)
            return report_memory();
        surface->edge = grown;
    }
    struct surface_edge *made = &surface->edge[surface->edges++];
    made->polygon[0] = a;
    made->polygon[1] = b;
    for (size_t k = 0; k < 3; k++) {
        made->end[0][k] = slice->centre[slice->axis[k]] + from[k] * slice->scale[k];
        made->end[1][k] = slice->centre[slice->axis[k]] + to[k] * slice->scale[k];
    }
    return EXIT_DONE;
}

static void cross(const double *a, const double *b, const double *c, double *normal) {
    const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    normal[0] = u[1] * v[2] - u[2] * v[1];
    normal[1] = u[2] * v[0] - u[0] * v[2];
    normal[2] = u[0] * v[1] - u[1] * v[0];
}

/* Where the three planes meet that pass through a corner and the two cuts beside it; the middle of the cuts when that
 * isn't near them (flat, or curved too much). */
static void meet(const struct corner *const *corner, const double *const *cut, double *point) {
    double row[3][4], middle[3], size = 0;
    for (size_t c = 0; c < 3; c++) { /* cut[c] is on the side from corner c to the next */
        cross(corner[c]->point, cut[c], cut[(c + 2) % 3], row[c]);
        normalise(row[c]);
        row[c][3] = row[c][0] * corner[c]->point[0] + row[c][1] * corner[c]->point[1] + row[c][2] * corner[c]->point[2];
    }
    for (size_t k = 0; k < 3; k++) {
        middle[k] = (cut[0][k] + cut[1][k] + cut[2][k]) / 3;
        size = fmax(size, fmax(fabs(corner[0]->point[k] - corner[1]->point[k]),
                               fabs(corner[0]->point[k] - corner[2]->point[k])));
    }
    /* Cramer's rule. */
    double normal[3], zero[3] = {0, 0, 0};
    cross(zero, row[1], row[2], normal);
    const double determinant = row[0][0] * normal[0] + row[0][1] * normal[1] + row[0][2] * normal[2];
    memset(point, 0, 3 * sizeof *point);
    for (size_t c = 0; c < 3; c++) {
        cross(zero, row[(c + 1) % 3], row[(c + 2) % 3], normal);
        for (size_t k = 0; k < 3; k++)
            point[k] += row[c][3] * normal[k] / determinant;
    }
    double away = 0;
    for (size_t k = 0; k < 3; k++)
        away = fmax(away, fabs(point[k] - middle[k]));
    if (!(fabs(determinant) > 1e-3) || !(away <= size))
        memcpy(point, middle, sizeof middle);
}

/* One triangle: whole, cut in two, or in three. */
static int add_triangle(const struct slice *slice, struct surface *surface, const struct corner *const *corner,
                        const double *const *cut) {
    int code = EXIT_DONE;
    const size_t first = surface->polygons;
    const int cuts = (cut[0] != NULL) + (cut[1] != NULL) + (cut[2] != NULL);
    if (cuts == 0) {
        const double *const whole[] = {corner[0]->point, corner[1]->point, corner[2]->point};
        return add_polygon(slice, surface, 3, whole, corner[0]->which);
    }
    if (cuts == 2) {
        size_t a = 0; /* the corner whose two sides are cut */
        while (cut[a] == NULL || cut[(a + 2) % 3] == NULL)
            a++;
        const size_t b = (a + 1) % 3, c = (a + 2) % 3;
        const double *const tip[] = {corner[a]->point, cut[a], cut[c]};
        const double *const rest[] = {cut[a], corner[b]->point, corner[c]->point, cut[c]};
        code = add_polygon(slice, surface, 3, tip, corner[a]->which);
        if (code == EXIT_DONE)
            code = add_polygon(slice, surface, 4, rest, corner[b]->which);
        return code == EXIT_DONE ? add_edge(slice, surface, cut[a], cut[c], first, first + 1) : code;
    }
    double point[3];
    meet(corner, cut, point);
    for (size_t c = 0; c < 3 && code == EXIT_DONE; c++) {
        const double *const part[] = {corner[c]->point, cut[c], point, cut[(c + 2) % 3]};
        code = add_polygon(slice, surface, 4, part, corner[c]->which);
    }
    for (size_t c = 0; c < 3 && code == EXIT_DONE; c++)
        code = add_edge(slice, surface, cut[c], point, first + c, first + (c + 1) % 3);
    return code;
}

/* ------------------------------------------------------------------------------------------------------------ whole */

/* The triangles of a face: upright ones, and the others between them. */
typedef int (*with_triangle)(void *context, const struct corner *const *corner);
static int each_triangle(const struct corner *corner, with_triangle use, void *context) {
    int code = EXIT_DONE;
    for (int face = 0; face < FACES; face++)
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; i + j < SIDE && code == EXIT_DONE; j++) {
                const struct corner *up[] = {&corner[place(face, i, j)], &corner[place(face, i + 1, j)],
                                             &corner[place(face, i, j + 1)]};
                code = use(context, up);
                if (i + j + 1 < SIDE && code == EXIT_DONE) {
                    const struct corner *down[] = {up[1], &corner[place(face, i + 1, j + 1)], up[2]};
                    code = use(context, down);
                }
            }
    return code;
}

struct work {
    const struct slice *slice;
    struct surface *surface;
    size_t changes, change_capacity;
    struct change *change; /* in the order of the triangles and their sides */
    size_t used;
};

static int find_changes(void *context, const struct corner *const *corner) {
    struct work *work = context;
    for (size_t c = 0; c < 3; c++) {
        if (corner[c]->which == corner[(c + 1) % 3]->which)
            continue;
        if (work->changes == work->change_capacity) {
            work->change_capacity = 2 * work->change_capacity + 1024;
            void *grown = realloc(work->change, work->change_capacity * sizeof *work->change);
            if (grown == NULL)
                return report_memory();
            work->change = grown;
        }
        work->change[work->changes++] = (struct change){*corner[c], *corner[(c + 1) % 3]};
    }
    return EXIT_DONE;
}

/* Halves every side that has a change until its place can't be seen to move. */
static int locate_changes(struct work *work) {
    struct corner *middle = calloc(work->changes + 1, sizeof *middle), **all = calloc(work->changes + 1, sizeof *all);
    int code = middle == NULL || all == NULL ? report_memory() : EXIT_DONE;
    for (int round = 0; round < BISECTIONS && code == EXIT_DONE; round++) {
        for (size_t i = 0; i < work->changes; i++) {
            const struct change *change = &work->change[i];
            for (size_t k = 0; k < 3; k++)
                middle[i].direction[k] = change->left.direction[k] + change->right.direction[k];
            normalise(middle[i].direction);
            all[i] = &middle[i];
        }
        code = cast(work->slice, work->changes, all);
        for (size_t i = 0; i < work->changes && code == EXIT_DONE; i++) {
            struct change *change = &work->change[i];
            *(middle[i].which == change->left.which ? &change->left : &change->right) = middle[i];
        }
    }
    free(middle);
    free(all);
    return code;
}

static int put_triangle(void *context, const struct corner *const *corner) {
    struct work *work = context;
    const double *cut[3] = {NULL, NULL, NULL};
    for (size_t c = 0; c < 3; c++)
        if (corner[c]->which != corner[(c + 1) % 3]->which)
            cut[c] = work->change[work->used++].left.point;
    return add_triangle(work->slice, work->surface, corner, cut);
}

int surface_make(const struct slice *slice, struct surface *surface) {
    struct work work = {.slice = slice, .surface = surface};
    struct corner *corner = calloc(FACES * ON_FACE, sizeof *corner), **all = calloc(FACES * ON_FACE, sizeof *all);
    int code = corner == NULL || all == NULL ? report_memory() : EXIT_DONE;
    if (code == EXIT_DONE) {
        spread(corner);
        for (size_t i = 0; i < FACES * ON_FACE; i++)
            all[i] = &corner[i];
        code = cast(slice, FACES * ON_FACE, all);
    }
    if (code == EXIT_DONE)
        code = each_triangle(corner, find_changes, &work);
    if (code == EXIT_DONE)
        code = locate_changes(&work);
    if (code == EXIT_DONE)
        code = each_triangle(corner, put_triangle, &work);
    free(work.change);
    free(corner);
    free(all);
    return code;
}
