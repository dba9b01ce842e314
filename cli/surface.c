/* An octahedron's faces, each cut into SIDE² triangles, are blown up to the frontier. Where the corners of a triangle
 * are stopped by different constraints, its sides are cut where the constraint changes, so that edges are sharp; where
 * three meet, their planes do. */
#include "surface.h"

#include "command.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 56, ON_FACE = (SIDE + 1) * (SIDE + 2) / 2, FACES = 8, BISECTIONS = 26, CUTS = 6 };

static const double LEAP = 1e-3; /* of the picture's size */

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

/* Turned a little: rays along the axes and their diagonals would run into edges that many regions have there. */
static void turn(double *d) {
    static const double by[2] = {0.3731, 0.2317};
    for (size_t k = 0; k < 2; k++) {
        const double x = d[k], y = d[k + 1];
        d[k] = cos(by[k]) * x - sin(by[k]) * y;
        d[k + 1] = sin(by[k]) * x + cos(by[k]) * y;
    }
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
                turn(d);
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
static void meet(const struct corner *corner, const double *const *cut, double *point) {
    double row[3][4], middle[3], size = 0;
    for (size_t c = 0; c < 3; c++) { /* cut[c] is on the side from corner c to the next */
        cross(corner[c].point, cut[c], cut[(c + 2) % 3], row[c]);
        normalise(row[c]);
        row[c][3] = row[c][0] * corner[c].point[0] + row[c][1] * corner[c].point[1] + row[c][2] * corner[c].point[2];
    }
    for (size_t k = 0; k < 3; k++) {
        middle[k] = (cut[0][k] + cut[1][k] + cut[2][k]) / 3;
        size = fmax(size,
                    fmax(fabs(corner[0].point[k] - corner[1].point[k]), fabs(corner[0].point[k] - corner[2].point[k])));
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
    if (!(fabs(determinant) > 1e-3) || !(away <= 3 * size))
        memcpy(point, middle, sizeof middle);
}

static double distance(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* A tip at corner a, and the rest. Side c goes from corner c to the next; near[c] and far[c] are where the first one's
 * constraint ends and the next one's begins: the same place, unless the frontier leaps. */
static int cut_in_two(const struct slice *slice, struct surface *surface, const struct corner *corner, size_t a,
                      const double *const *near, const double *const *far) {
    const size_t b = (a + 1) % 3, c = (a + 2) % 3, first = surface->polygons;
    const double *const tip[] = {corner[a].point, near[a], far[c]};
    const double *const rest[] = {far[a], corner[b].point, corner[c].point, near[c]};
    const double *const wall[] = {near[a], far[a], near[c], far[c]};
    int code = add_polygon(slice, surface, 3, tip, corner[a].which);
    if (code == EXIT_DONE)
        code = add_polygon(slice, surface, 4, rest, corner[b].which);
    if (code == EXIT_DONE)
        code = add_edge(slice, surface, near[a], far[c], first, first + 1);
    if (code != EXIT_DONE || distance(near[a], far[a]) + distance(near[c], far[c]) < LEAP)
        return code;
    code = add_edge(slice, surface, far[a], near[c], first, first + 1);
    if (code == EXIT_DONE)
        code = add_polygon(slice, surface, 4, wall, corner[a].which);
    surface->polygon[surface->polygons - 1].is_wall = code == EXIT_DONE;
    return code;
}

static int cut_in_three(const struct slice *slice, struct surface *surface, const struct corner *corner,
                        const double *const *near, const double *const *far) {
    const size_t first = surface->polygons;
    double point[3];
    int code = EXIT_DONE;
    meet(corner, near, point);
    for (size_t c = 0; c < 3 && code == EXIT_DONE; c++) {
        const double *const part[] = {corner[c].point, near[c], point, far[(c + 2) % 3]};
        code = add_polygon(slice, surface, 4, part, corner[c].which);
    }
    for (size_t c = 0; c < 3 && code == EXIT_DONE; c++)
        code = add_edge(slice, surface, near[c], point, first + c, first + (c + 1) % 3);
    return code;
}

static int add_triangle(const struct slice *slice, struct surface *surface, const struct corner *corner,
                        const double *const *near, const double *const *far) {
    const double *const whole[] = {corner[0].point, corner[1].point, corner[2].point};
    if (near[0] != NULL && near[1] != NULL && near[2] != NULL)
        return cut_in_three(slice, surface, corner, near, far);
    for (size_t a = 0; a < 3; a++)
        if (near[a] != NULL && near[(a + 2) % 3] != NULL)
            return cut_in_two(slice, surface, corner, a, near, far);
    return add_polygon(slice, surface, 3, whole, corner[0].which);
}

/* -------------------------------------------------------------------------------------------------------- triangles */

struct triangle {
    struct corner corner[3];
};
struct work {
    const struct slice *slice;
    size_t triangles, triangle_capacity;
    struct triangle *triangle;
    size_t changes;
    struct change *change; /* in the order of the triangles and their sides */
};

static int reserve(struct work *work, size_t more) {
    if (work->triangles + more <= work->triangle_capacity)
        return EXIT_DONE;
    work->triangle_capacity = 2 * work->triangle_capacity + more;
    void *grown = realloc(work->triangle, work->triangle_capacity * sizeof *work->triangle);
    if (grown == NULL)
        return report_memory();
    work->triangle = grown;
    return EXIT_DONE;
}

/* The triangles of the octahedron: upright ones on each face, and the others between them. */
static int make_triangles(struct work *work) {
    struct corner *corner = calloc(FACES * ON_FACE, sizeof *corner), **all = calloc(FACES * ON_FACE, sizeof *all);
    int code = corner == NULL || all == NULL ? report_memory() : reserve(work, FACES * SIDE * SIDE);
    if (code == EXIT_DONE) {
        spread(corner);
        for (size_t i = 0; i < FACES * ON_FACE; i++)
            all[i] = &corner[i];
        code = cast(work->slice, FACES * ON_FACE, all);
    }
    for (int face = 0; face < FACES && code == EXIT_DONE; face++)
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; i + j < SIDE; j++) {
                const struct corner left = corner[place(face, i + 1, j)], right = corner[place(face, i, j + 1)];
                work->triangle[work->triangles++] = (struct triangle){{corner[place(face, i, j)], left, right}};
                if (i + j + 1 < SIDE)
                    work->triangle[work->triangles++] =
                        (struct triangle){{left, corner[place(face, i + 1, j + 1)], right}};
            }
    free(corner);
    free(all);
    return code;
}

static size_t count_changes(const struct triangle *triangle) {
    size_t changes = 0;
    for (size_t c = 0; c < 3; c++)
        changes += triangle->corner[c].which != triangle->corner[(c + 1) % 3].which;
    return changes;
}

static void set_middle(struct corner *middle, const struct corner *a, const struct corner *b) {
    for (size_t k = 0; k < 3; k++)
        middle->direction[k] = a->direction[k] + b->direction[k];
    normalise(middle->direction);
}

/* Whether three constraints or more meet in a triangle: at its corners, or in the middles of its sides too. */
static int is_corner(const struct triangle *triangle, const struct corner *middle) {
    if (count_changes(triangle) == 3)
        return 1;
    for (size_t m = 0; m < 3; m++) {
        size_t known = 0;
        for (size_t c = 0; c < 3; c++)
            known += triangle->corner[c].which == middle[m].which;
        if (known == 0)
            return 1;
    }
    return 0;
}

/* Cuts those in four. */
static int cut_corners(struct work *work) {
    size_t count = 0;
    for (size_t t = 0; t < work->triangles; t++)
        count += count_changes(&work->triangle[t]) > 0;
    struct corner *middle = calloc(3 * count + 1, sizeof *middle), **all = calloc(3 * count + 1, sizeof *all);
    int code = middle == NULL || all == NULL ? report_memory() : reserve(work, 3 * count);
    const size_t triangles = work->triangles;
    for (size_t t = 0, m = 0; t < triangles && code == EXIT_DONE; t++)
        for (size_t c = 0; c < 3 && count_changes(&work->triangle[t]) > 0; c++, m++) {
            set_middle(&middle[m], &work->triangle[t].corner[c], &work->triangle[t].corner[(c + 1) % 3]);
            all[m] = &middle[m];
        }
    if (code == EXIT_DONE)
        code = cast(work->slice, 3 * count, all);
    for (size_t t = 0, m = 0; t < triangles && code == EXIT_DONE; t++) {
        const struct triangle old = work->triangle[t];
        if (count_changes(&old) == 0)
            continue;
        if (is_corner(&old, middle + m)) {
            work->triangle[t] = (struct triangle){{middle[m], middle[m + 1], middle[m + 2]}};
            for (size_t c = 0; c < 3; c++)
                work->triangle[work->triangles++] =
                    (struct triangle){{old.corner[c], middle[m + c], middle[m + (c + 2) % 3]}};
        }
        m += 3;
    }
    free(middle);
    free(all);
    return code;
}

/* Halves every side that has a change until its place can't be seen to move. */
static int locate_changes(struct work *work) {
    size_t count = 0;
    for (size_t t = 0; t < work->triangles; t++)
        count += count_changes(&work->triangle[t]);
    work->change = calloc(count + 1, sizeof *work->change);
    struct corner *middle = calloc(count + 1, sizeof *middle), **all = calloc(count + 1, sizeof *all);
    int code = work->change == NULL || middle == NULL || all == NULL ? report_memory() : EXIT_DONE;
    for (size_t t = 0; t < work->triangles && code == EXIT_DONE; t++)
        for (size_t c = 0; c < 3; c++) {
            const struct corner *corner = work->triangle[t].corner;
            if (corner[c].which != corner[(c + 1) % 3].which)
                work->change[work->changes++] = (struct change){corner[c], corner[(c + 1) % 3]};
        }
    for (int round = 0; round < BISECTIONS && code == EXIT_DONE; round++) {
        for (size_t i = 0; i < count; i++) {
            set_middle(&middle[i], &work->change[i].left, &work->change[i].right);
            all[i] = &middle[i];
        }
        code = cast(work->slice, count, all);
        for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
            struct change *change = &work->change[i];
            *(middle[i].which == change->left.which ? &change->left : &change->right) = middle[i];
        }
    }
    free(middle);
    free(all);
    return code;
}

int surface_make(const struct slice *slice, struct surface *surface) {
    struct work work = {.slice = slice};
    int code = make_triangles(&work);
    for (int round = 0; round < CUTS && code == EXIT_DONE; round++)
        code = cut_corners(&work);
    if (code == EXIT_DONE)
        code = locate_changes(&work);
    for (size_t t = 0, used = 0; t < work.triangles && code == EXIT_DONE; t++) {
        const struct corner *corner = work.triangle[t].corner;
        const double *near[3] = {NULL, NULL, NULL}, *far[3] = {NULL, NULL, NULL};
        for (size_t c = 0; c < 3; c++)
            if (corner[c].which != corner[(c + 1) % 3].which) {
                near[c] = work.change[used].left.point;
                far[c] = work.change[used++].right.point;
            }
        code = add_triangle(slice, surface, corner, near, far);
    }
    free(work.change);
    free(work.triangle);
    return code;
}
