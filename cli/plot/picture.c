#include "picture.h"

#include "cli/report.h"
#include "gnuplot.h"

#include <math.h>
#include <stdlib.h>

/* Axes whose lengths differ by more aren't drawn in one measure: in the plane, and in space, where less fits. */
static const double steepest[] = {6, 2};

void picture_row(FILE *script, size_t count, const double *number) {
    for (size_t k = 0; k < count; k++)
        fprintf(script, "%s%.10g", k == 0 ? "" : " ", number[k]);
    fputc('\n', script);
}

int picture_measure(const struct slice *slice, double *measure) {
    double least = INFINITY, most = 0;
    for (size_t k = 0; k < slice->axes; k++) {
        least = fmin(least, slice->upper[k] - slice->lower[k]);
        most = fmax(most, slice->upper[k] - slice->lower[k]);
    }
    const int is_one = most <= steepest[slice->axes - 2] * least;
    for (size_t k = 0; k < slice->axes; k++)
        measure[k] = is_one ? 1 : 1 / (slice->upper[k] - slice->lower[k]);
    return is_one;
}

/* Evenly around the centre: by equal angles, or along a spiral over the sphere by the golden angle. */
static void write_rays(FILE *script, const struct picture *picture, const double *centre) {
    const struct slice *slice = &picture->slice;
    const double half_turn = acos(-1), golden = half_turn * (3 - sqrt(5.0)), count = (double)picture->rays;
    struct slice_ray *ray = allocate(picture->rays, sizeof *ray);
    for (size_t i = 0; i < picture->rays; i++) {
        const double height = slice->axes == 3 ? 1 - (2 * (double)i + 1) / count : 0;
        const double angle = slice->axes == 3 ? golden * (double)i : 2 * half_turn * (double)i / count;
        ray[i].direction[0] = sqrt(1 - height * height) * cos(angle);
        ray[i].direction[1] = sqrt(1 - height * height) * sin(angle);
        ray[i].direction[2] = height;
    }
    slice_cast(slice, picture->rays, ray);
    fputs("$rays << END\n", script);
    for (size_t i = 0; i < picture->rays; i++) {
        picture_row(script, slice->axes, centre);
        picture_row(script, slice->axes, ray[i].point);
        fputs("\n\n", script);
    }
    fputs("END\n", script);
    free(ray);
}

/* $inside or $outside: how many. */
static size_t write_points(FILE *script, const struct picture *picture, unsigned char inside) {
    const struct slice *slice = &picture->slice;
    size_t count = 0;
    fprintf(script, "$%s << END\n", inside ? "inside" : "outside");
    for (size_t i = 0; i < picture->points; i++) {
        double at[SLICE_MOST_AXES];
        for (size_t k = 0; k < slice->axes; k++)
            at[k] = picture->point[i * slice->n + slice->axis[k]];
        if (picture->inside[i] != inside)
            continue;
        picture_row(script, slice->axes, at);
        count++;
    }
    fputs("END\n", script);
    return count;
}

/* The window with some room about it; where it cuts the region off, just enough for rounding. */
static void write_axes(FILE *script, const struct slice *slice) {
    for (size_t k = 0; k < slice->axes; k++) {
        const double room = (slice->is_clipped ? 1e-4 : 0.06) * (slice->upper[k] - slice->lower[k]);
        char name[128];
        hcr_region_output_name(slice->region, slice->axis[k], name, sizeof name);
        fprintf(script, "set %clabel ", "xyz"[k]);
        gnuplot_text(script, name);
        fprintf(script, " noenhanced%s\nset %crange [%.10g:%.10g]\n", k == 2 ? " rotate by 90 offset -1" : "", "xyz"[k],
                slice -> lower[k] - room, slice -> upper[k] + room);
    }
}

static const char plane[] = "set bmargin 6\nset tics nomirror out\nset border 3 linecolor '#606060'\n"
                            "set grid linecolor '#e4e4e4' linewidth 0.5 back\n";
static void write_plane_plot(FILE *script, const struct picture *picture) {
    static const char filled[] = "with filledcurves closed fillstyle solid noborder fillcolor";
    fputs("plot ", script);
    if (picture->has_shade)
        fprintf(script, "$shade %s '%s' title '%s', ", filled, picture->has_boundary ? "#d9d9d9" : "#d3e4f4",
                picture->has_boundary ? "hidden" : "region");
    if (picture->has_boundary)
        fprintf(script, "$region %s '#d3e4f4' title 'region', ", filled);
    fputs("$rays with lines linewidth 0.5 linecolor '#8fb0d0' notitle, "
          "$frontier with lines linewidth 1.5 linecolor '#1f5a92' notitle",
          script);
}

static const char space[] = "set xyplane relative 0\nset border 895 linecolor '#909090' linewidth 0.5\n"
                            "set grid x y z linecolor '#e4e4e4' linewidth 0.5\nset tics out\nset pm3d scansforward "
                            "corners2color c1 border retrace\n"
                            "set palette defined (0 '#16406b', 1 '#d6e8f8', 1.0001 '#808080', 2 '#f2f2f2')\nset "
                            "cbrange [0:2]\nunset colorbox\n";
static const char space_plot[] =
    "splot $surface using 1:2:3:4 with pm3d notitle, $edges with lines linewidth 0.7 linecolor '#16406b' notitle, "
    "$rays with lines linewidth 0.5 linecolor '#d08a2e' notitle";

void picture_write(FILE *script, struct picture *picture, int width, int *height) {
    struct slice *slice = &picture->slice;
    double centre[SLICE_MOST_AXES], measure[SLICE_MOST_AXES];
    for (size_t k = 0; k < slice->axes; k++)
        centre[k] = slice->centre[slice->axis[k]];
    (slice->axes == 2 ? plane_data : space_data)(script, picture);
    write_rays(script, picture, centre);
    fputs("$centre << END\n", script);
    picture_row(script, slice->axes, centre);
    fputs("END\n", script);
    const size_t inside = write_points(script, picture, 1), outside = write_points(script, picture, 0);
    write_axes(script, slice);
    const int is_one = picture_measure(slice, measure);
    fputs("set key at screen 0.5,character 1.2 center center horizontal maxrows 1\n", script);
    if (slice->axes == 2) {
        fprintf(script, "%s%s\n", plane, is_one ? "set size ratio -1" : "");
        write_plane_plot(script, picture);
    } else
        fprintf(script, "%sset view %d, %d\n%s\n%s", space, SPACE_TILT, SPACE_TURN, is_one ? "set view equal xyz" : "",
                space_plot);
    if (inside > 0)
        fprintf(script, ", $inside with points pointtype 7 pointsize 1.1 linecolor '#2a8a4a' title 'inside (%zu)'",
                inside);
    if (outside > 0)
        fprintf(script, ", $outside with points pointtype 2 pointsize 1.3 linecolor '#c8321e' title 'outside (%zu)'",
                outside);
    fprintf(script, ", $centre with points pointtype 7 pointsize 1.4 linecolor '#101010' title '%s'\n",
            slice->through_origin ? "origin" : "the point given");
    /* 90 are beside the axes, 150 above and below: axes of one measure leave no empty space. */
    const double steep = (slice->upper[1] - slice->lower[1]) / (slice->upper[0] - slice->lower[0]);
    *height =
        slice->axes == 3 || !is_one ? width : (int)fmax(0.45 * width, fmin(1.3 * width, (width - 90) * steep + 150));
}
