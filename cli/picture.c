#include "picture.h"

#include "command.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128 };
/* Axes whose lengths differ by more aren't drawn in one measure: in the plane, and in space, where less fits. */
static const double steepest[] = {6, 2};
/* gnuplot's view angles: from above and from the side, in degrees. */
enum { TILT = 62, TURN = 32 };

/* The window with some room about it; where it cuts the region off, just enough for rounding. */
static void find_range(const struct slice *slice, double *lower, double *upper) {
    for (size_t k = 0; k < slice->axes; k++) {
        const double room = (slice->is_clipped ? 1e-4 : 0.06) * (slice->upper[k] - slice->lower[k]);
        lower[k] = slice->lower[k] - room;
        upper[k] = slice->upper[k] + room;
    }
}

static int has_one_measure(const struct slice *slice) {
    double least = INFINITY, most = 0;
    for (size_t k = 0; k < slice->axes; k++) {
        least = fmin(least, slice->upper[k] - slice->lower[k]);
        most = fmax(most, slice->upper[k] - slice->lower[k]);
    }
    return most <= steepest[slice->axes - 2] * least;
}

/* What a unit of each axis is drawn as. */
static void find_measure(const struct slice *slice, double *measure) {
    for (size_t k = 0; k < slice->axes; k++)
        measure[k] = has_one_measure(slice) ? 1 : 1 / (slice->upper[k] - slice->lower[k]);
}

int picture_height(const struct picture *picture, int width) {
    const struct slice *slice = &picture->slice;
    const double x = slice->upper[0] - slice->lower[0], y = slice->upper[1] - slice->lower[1];
    if (slice->axes == 3 || !has_one_measure(slice))
        return width;
    /* 90 are beside the axes, 150 above and below. */
    return (int)fmax(0.45 * width, fmin(1.3 * width, (width - 90) * y / x + 150));
}

/* As lines of data, where no text can be taken for gnuplot's language. */
static void write_titles(FILE *script, const struct picture *picture) {
    const char *const lines[] = {picture->title, picture->subtitle};
    fputs("$titles << THE_END_OF_THE_TITLES\n", script);
    for (size_t i = 0; i < 2; i++) {
        fputc(' ', script); /* never the mark of the end */
        for (const char *c = lines[i]; *c != '\0'; c++)
            fputc((unsigned char)*c < ' ' ? '?' : *c, script);
        fputc('\n', script);
    }
    fprintf(script, "THE_END_OF_THE_TITLES\nset title $titles[1]%s noenhanced\n",
            picture->subtitle[0] == '\0' ? "" : " . \"\\n\" . $titles[2]");
}

static void write_axes(FILE *script, const struct slice *slice) {
    static const char axis[] = "xyz";
    double lower[SLICE_MOST_AXES], upper[SLICE_MOST_AXES];
    char name[NAME];
    find_range(slice, lower, upper);
    for (size_t k = 0; k < slice->axes; k++) {
        hcr_region_output_name(slice->region, slice->axis[k], name, sizeof name);
        fprintf(script, "set %clabel '%s' noenhanced%s\nset %crange [%.10g:%.10g]\n", axis[k], name,
                k == 2 ? " rotate by 90 offset -1" : "", axis[k], lower[k], upper[k]);
    }
}

static size_t count_points(const struct picture *picture, unsigned char inside) {
    size_t count = 0;
    for (size_t i = 0; i < picture->points; i++)
        count += picture->inside[i] == inside;
    return count;
}

static void write_row(FILE *script, size_t count, const double *number) {
    for (size_t k = 0; k < count; k++)
        fprintf(script, "%s%.10g", k == 0 ? "" : " ", number[k]);
    fputc('\n', script);
}

/* $centre, $rays, $inside and $outside, for both kinds of picture. */
static void write_marks(FILE *script, const struct picture *picture) {
    const struct slice *slice = &picture->slice;
    const size_t axes = slice->axes;
    double at[SLICE_MOST_AXES];
    for (size_t k = 0; k < axes; k++)
        at[k] = slice->centre[slice->axis[k]];
    fputs("$centre << END\n", script);
    write_row(script, axes, at);
    fputs("END\n$rays << END\n", script);
    for (size_t i = 0; i < picture->rays; i++) {
        write_row(script, axes, at);
        write_row(script, axes, picture->ray + i * axes);
        fputs("\n\n", script);
    }
    fputs("END\n", script);
    for (unsigned char inside = 0; inside < 2; inside++) {
        fprintf(script, "$%s << END\n", inside ? "inside" : "outside");
        for (size_t i = 0; i < picture->points; i++) {
            for (size_t k = 0; k < axes; k++)
                at[k] = picture->point[i * slice->n + slice->axis[k]];
            if (picture->inside[i] == inside)
                write_row(script, axes, at);
        }
        fputs("END\n", script);
    }
}

/* Told apart by shape too. */
static void write_mark_plots(FILE *script, const struct picture *picture) {
    const size_t inside = count_points(picture, 1), outside = count_points(picture, 0);
    if (inside > 0)
        fprintf(script, ", $inside with points pointtype 7 pointsize 1.1 linecolor '#2a8a4a' title 'inside (%zu)'",
                inside);
    if (outside > 0)
        fprintf(script, ", $outside with points pointtype 2 pointsize 1.3 linecolor '#c8321e' title 'outside (%zu)'",
                outside);
    fprintf(script, ", $centre with points pointtype 7 pointsize 1.4 linecolor '#101010' title '%s'\n",
            picture->slice.through_origin ? "origin" : "the point given");
}

/* ------------------------------------------------------------------------------------------------------- two axes */

static void write_frontier(FILE *script, const struct outline *outline) {
    fputs("$region << END\n", script);
    for (size_t i = 0; i < outline->count; i++)
        write_row(script, 2, outline->vertex[i].point);
    fputs("END\n$frontier << END\n", script);
    /* Along the window there is none: the line is broken there. */
    for (size_t i = 0; i <= outline->count && outline->count > 0; i++) {
        const struct outline_vertex *vertex = &outline->vertex[i % outline->count];
        if (slice_is_window(vertex->which))
            fputc('\n', script);
        else
            write_row(script, 2, vertex->point);
    }
    fputs("END\n", script);
}

static void write_plane(FILE *script, const struct picture *picture) {
    const struct shade *shade = &picture->shade;
    fprintf(script,
            "set key at screen 0.5,character 1.2 center center horizontal maxrows 1\nset bmargin 6\nset tics nomirror "
            "out\nset border 3 "
            "linecolor '#606060'\n"
            "set grid linecolor '#e4e4e4' linewidth 0.5 back\n%s\n",
            has_one_measure(&picture->slice) ? "set size ratio -1" : "");
    write_marks(script, picture);
    write_frontier(script, &picture->outline);
    fputs("$shade << END\n", script);
    for (size_t p = 0; p < shade->polygons; p++) {
        const size_t end = p + 1 < shade->polygons ? shade->start[p + 1] : shade->corners;
        for (size_t c = shade->start[p]; c < end; c++)
            write_row(script, 2, shade->corner + 2 * c);
        fputs("\n", script);
    }
    fputs("END\nplot ", script);
    if (shade->polygons > 0)
        fprintf(script, "$shade with filledcurves closed fillstyle solid noborder fillcolor '%s' title '%s', ",
                picture->outline.count > 0 ? "#d9d9d9" : "#d3e4f4", picture->outline.count > 0 ? "hidden" : "region");
    if (picture->outline.count > 0)
        fputs("$region with filledcurves closed fillstyle solid noborder fillcolor '#d3e4f4' title 'region', ", script);
    fputs("$rays with lines linewidth 0.5 linecolor '#8fb0d0' notitle", script);
    if (picture->outline.count > 0)
        fputs(", $frontier with lines linewidth 1.5 linecolor '#1f5a92' notitle", script);
    write_mark_plots(script, picture);
}

/* ------------------------------------------------------------------------------------------------------ three axes */

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The outward normal of a polygon as it is drawn, of length 1. 0 for a splinter, which has no course to speak of. */
static int find_normal(const struct slice *slice, const double *measure, const struct surface_polygon *polygon,
                       double *normal) {
    double u[3], v[3], out = 0, size = 0, longest = 0;
    const double *last = polygon->corner[polygon->corners - 1], *third = polygon->corner[2];
    /* The diagonals of a quadrangle; two sides of a triangle. */
    for (size_t k = 0; k < 3; k++) {
        u[k] = (third[k] - polygon->corner[0][k]) * measure[k];
        v[k] = (last[k] - polygon->corner[1][k]) * measure[k];
    }
    longest = fmax(dot(u, u), dot(v, v));
    normal[0] = u[1] * v[2] - u[2] * v[1];
    normal[1] = u[2] * v[0] - u[0] * v[2];
    normal[2] = u[0] * v[1] - u[1] * v[0];
    for (size_t k = 0; k < 3; k++) {
        out += normal[k] * (polygon->corner[0][k] - slice->centre[slice->axis[k]]) * measure[k];
        size += normal[k] * normal[k];
    }
    for (size_t k = 0; k < 3; k++)
        normal[k] = size == 0 ? 0 : normal[k] / copysign(sqrt(size), out);
    return sqrt(size) > 0.01 * longest;
}

/* Each polygon is a mesh of 2 × 2 corners of one colour: 0 … 1 for a frontier's shades, 1 … 2 where the window cuts. */
static void write_polygon(FILE *script, const struct surface_polygon *polygon, double shade) {
    static const int order[] = {0, 1, 3, 2};
    for (int i = 0; i < 4; i++) {
        const int c = order[i] < polygon->corners ? order[i] : 2;
        fprintf(script, "%.7g %.7g %.7g %.3f\n%s", polygon->corner[c][0], polygon->corner[c][1], polygon->corner[c][2],
                shade,
                i == 1   ? "\n"
                : i == 3 ? "\n\n"
                         : "");
    }
}

static void find_viewer(double *viewer) {
    const double degree = acos(-1) / 180;
    viewer[0] = sin(TURN * degree) * sin(TILT * degree);
    viewer[1] = -cos(TURN * degree) * sin(TILT * degree);
    viewer[2] = cos(TILT * degree);
}

struct depth {
    double depth;
    size_t polygon;
};

static int by_depth(const void *left, const void *right) {
    const struct depth *a = left, *b = right;
    return (a->depth > b->depth) - (a->depth < b->depth);
}

int picture_sort(struct picture *picture) {
    const struct surface *surface = &picture->surface;
    double viewer[3], measure[3];
    struct depth *depth = calloc(surface->polygons + 1, sizeof *depth);
    picture->order = calloc(surface->polygons + 1, sizeof *picture->order);
    if (depth == NULL || picture->order == NULL) {
        free(depth);
        return report_memory();
    }
    find_viewer(viewer);
    find_measure(&picture->slice, measure);
    for (size_t i = 0; i < surface->polygons; i++) {
        depth[i].polygon = i;
        for (int c = 0; c < surface->polygon[i].corners; c++)
            for (size_t k = 0; k < 3; k++)
                depth[i].depth +=
                    surface->polygon[i].corner[c][k] * measure[k] * viewer[k] / surface->polygon[i].corners;
    }
    qsort(depth, surface->polygons, sizeof *depth, by_depth);
    for (size_t i = 0; i < surface->polygons; i++)
        picture->order[i] = depth[i].polygon;
    free(depth);
    return EXIT_DONE;
}

static void write_surface(FILE *script, const struct picture *picture) {
    const struct slice *slice = &picture->slice;
    const struct surface *surface = &picture->surface;
    const double degree = acos(-1) / 180;
    double viewer[3], measure[3];
    find_viewer(viewer);
    find_measure(slice, measure);
    /* From the viewer's left, above. */
    double light[3] = {viewer[0] - 0.7 * cos(TURN * degree), viewer[1] - 0.7 * sin(TURN * degree), viewer[2] + 0.7};
    const double length = sqrt(dot(light, light));
    for (size_t k = 0; k < 3; k++)
        light[k] /= length;
    const int convex = hcr_region_is_convex(slice->region);
    fputs("$surface << END\n", script);
    for (size_t i = 0; i < surface->polygons; i++) {
        const struct surface_polygon *polygon = &surface->polygon[picture->order[i]];
        double normal[3];
        find_normal(slice, measure, polygon, normal);
        if (convex && dot(normal, viewer) < 0)
            continue;
        const double slope = dot(normal, light),
                     shade = 0.25 + 0.75 * (polygon->is_wall ? fabs(slope) : fmax(0, slope));
        write_polygon(script, polygon, slice_is_window(polygon->which) ? 1 + shade : shade);
    }
    fputs("END\n$edges << END\n", script);
    for (size_t i = 0; i < surface->edges; i++) {
        const struct surface_edge *edge = &surface->edge[i];
        double left[3], right[3];
        const int is_left = find_normal(slice, measure, &surface->polygon[edge->polygon[0]], left);
        const int is_right = find_normal(slice, measure, &surface->polygon[edge->polygon[1]], right);
        const int in_sight = (is_left && dot(left, viewer) > 0) || (is_right && dot(right, viewer) > 0);
        if (!in_sight || (is_left && is_right && dot(left, right) > cos(6 * degree)))
            continue;
        write_row(script, 3, edge->end[0]);
        write_row(script, 3, edge->end[1]);
        fputs("\n\n", script);
    }
    fputs("END\n", script);
}

static void write_space(FILE *script, const struct picture *picture) {
    fprintf(script,
            "set key at screen 0.5,character 1.2 center center horizontal maxrows 1\nset view %d, %d\n%s\nset xyplane "
            "relative 0\n"
            "set border 895 linecolor '#909090' linewidth 0.5\nset grid x y z linecolor '#e4e4e4' linewidth 0.5\n"
            "set tics out\nset pm3d scansforward corners2color c1 border retrace\n"
            "set palette defined (0 '#16406b', 1 '#d6e8f8', 1.0001 '#808080', 2 '#f2f2f2')\nset cbrange [0:2]\n"
            "unset colorbox\n",
            TILT, TURN, has_one_measure(&picture->slice) ? "set view equal xyz" : "");
    write_marks(script, picture);
    write_surface(script, picture);
    fputs("splot $surface using 1:2:3:4 with pm3d notitle, $edges with lines linewidth 0.7 linecolor '#16406b' notitle",
          script);
    if (picture->rays > 0)
        fputs(", $rays with lines linewidth 0.5 linecolor '#d08a2e' notitle", script);
    write_mark_plots(script, picture);
}

void picture_write(FILE *script, const void *drawing) {
    const struct picture *picture = drawing;
    write_titles(script, picture);
    write_axes(script, &picture->slice);
    if (picture->slice.axes == 2)
        write_plane(script, picture);
    else
        write_space(script, picture);
}
