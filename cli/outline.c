#include "outline.h"

#include "command.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 256, ROUNDS = 18 };
static const double visible = 1e-4; /* of the picture's size */

void outline_free(struct outline *outline) {
    free(outline->vertex);
    *outline = (struct outline){0};
}

/* Fills the vertices whose angles are given. */
static int cast(const struct slice *slice, size_t count, struct outline_vertex *vertex) {
    double *direction = calloc(3 * count + 1, sizeof *direction), *reach = direction + 2 * count;
    uint32_t *which = calloc(count + 1, sizeof *which);
    int code = EXIT_DONE;
    if (direction == NULL || which == NULL) {
        code = report_memory();
    } else {
        for (size_t i = 0; i < count; i++) {
            direction[2 * i] = cos(vertex[i].angle);
            direction[2 * i + 1] = sin(vertex[i].angle);
        }
        code = slice_reach(slice, count, direction, reach, which);
    }
    for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
        vertex[i].which = which[i];
        for (size_t k = 0; k < 2; k++)
            vertex[i].point[k] = slice->centre[slice->axis[k]] + reach[i] * direction[2 * i + k] * slice->scale[k];
    }
    free(direction);
    free(which);
    return code;
}

/* In units of the picture. */
static double length(const struct slice *slice, const double *a, const double *b) {
    return hypot((a[0] - b[0]) / slice->scale[0], (a[1] - b[1]) / slice->scale[1]);
}

/* How far m is from the line through a and b. */
static double bend(const struct slice *slice, const double *a, const double *m, const double *b) {
    const double x = (b[0] - a[0]) / slice->scale[0], y = (b[1] - a[1]) / slice->scale[1];
    const double u = (m[0] - a[0]) / slice->scale[0], v = (m[1] - a[1]) / slice->scale[1];
    const double chord = hypot(x, y);
    return chord == 0 ? hypot(u, v) : fabs(x * v - y * u) / chord;
}

/* One round: a ray in the middle of every interval that is at work; each half stays at work while the line bends or the
 * constraint changes in it, as far as that can be seen. `at_work` has a flag for the interval after each vertex. */
static int refine(const struct slice *slice, struct outline *outline, unsigned char **at_work) {
    const size_t count = outline->count;
    size_t more = 0, k = 0;
    for (size_t i = 0; i < count; i++)
        more += (*at_work)[i];
    struct outline_vertex *middle = calloc(more + 1, sizeof *middle), *all = calloc(count + more, sizeof *all);
    unsigned char *flags = calloc(count + more, 1);
    int code = middle == NULL || all == NULL || flags == NULL ? report_memory() : EXIT_DONE;
    const double turn = 2 * acos(-1);
    for (size_t i = 0; i < count && code == EXIT_DONE; i++)
        if ((*at_work)[i])
            middle[k++].angle = (outline->vertex[i].angle +
                                 (i + 1 < count ? outline->vertex[i + 1].angle : outline->vertex[0].angle + turn)) /
                                2;
    if (code == EXIT_DONE)
        code = cast(slice, more, middle);
    size_t put = 0;
    k = 0;
    for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
        const struct outline_vertex *a = &outline->vertex[i], *b = &outline->vertex[(i + 1) % count];
        all[put++] = *a;
        if (!(*at_work)[i])
            continue;
        const struct outline_vertex *m = &middle[k++];
        const int bends = bend(slice, a->point, m->point, b->point) > visible;
        flags[put - 1] = (bends || a->which != m->which) && length(slice, a->point, m->point) > visible;
        flags[put] = (bends || m->which != b->which) && length(slice, m->point, b->point) > visible;
        all[put++] = *m;
    }
    free(middle);
    if (code != EXIT_DONE) {
        free(all);
        free(flags);
        return code;
    }
    free(outline->vertex);
    free(*at_work);
    *outline = (struct outline){put, all};
    *at_work = flags;
    return EXIT_DONE;
}

int outline_make(const struct slice *slice, struct outline *outline) {
    *outline = (struct outline){FIRST, calloc(FIRST, sizeof *outline->vertex)};
    unsigned char *at_work = malloc(FIRST);
    int code = outline->vertex == NULL || at_work == NULL ? report_memory() : EXIT_DONE;
    for (size_t i = 0; i < FIRST && code == EXIT_DONE; i++)
        outline->vertex[i].angle = (double)i * 2 * acos(-1) / FIRST;
    if (code == EXIT_DONE) {
        memset(at_work, 1, FIRST);
        code = cast(slice, FIRST, outline->vertex);
    }
    for (int round = 0; round < ROUNDS && code == EXIT_DONE; round++)
        code = refine(slice, outline, &at_work);
    free(at_work);
    return code;
}
