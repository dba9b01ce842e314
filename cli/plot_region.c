#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "options.h"
#include "parameters.h"
#include "picture.h"
#include "plot.h"
#include "region.h"
#include "report.h"
#include "tables.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RAYS = 16, WIDTH = 720 };

struct job {
    const char *region_path, *output_path, *points_path, *axes, *title;
    char *at;
    size_t rays;
    struct settings settings;
    struct opened_region opened;
    double *x;         /* with parameters: where they are … */
    hcr_region *fixed; /* … and the region there */
    const hcr_region *region;
    hcr_table points;
    uint8_t *inside;
    char *made_path, *subtitle;
    struct picture picture;
};

static void release(struct job *job) {
    settings_clear(&job->settings);
    hcr_region_free(job->fixed);
    region_close(&job->opened);
    free(job->at);
    free(job->x);
    hcr_table_clear(&job->points);
    outline_free(&job->picture.outline);
    surface_free(&job->picture.surface);
    slice_close(&job->picture.slice);
    shade_free(&job->picture.shade);
    free(job->picture.order);
    free(job->picture.ray);
    free(job->inside);
    free(job->made_path);
    free(job->subtitle);
}

static int find_output(struct job *job) {
    if (job->output_path == NULL) {
        if (strcmp(job->region_path, "-") == 0)
            return report_usage("plot", "a region from standard input needs -o FILE");
        job->output_path = job->made_path = region_path_with(job->region_path, ".png");
        if (job->made_path == NULL)
            return report_memory();
    }
    if (!plot_path_is_fine(job->output_path))
        return report_usage("plot", "-o takes a file that ends in .svg or .png, not \"%s\"", job->output_path);
    return EXIT_DONE;
}

/* A region with parameters is drawn as it is at one choice of them. */
static int fix_parameters(struct job *job) {
    const hcr_region *region = job->region = job->opened.region;
    const size_t p = hcr_region_parameters(region);
    if (p == 0)
        return EXIT_DONE;
    hcr_error error = {0};
    job->x = values_make(1, p);
    if (job->x == NULL)
        return report_memory();
    const int code = parameters_take(region, job->at, job->x);
    if (code != EXIT_DONE)
        return code;
    if (hcr_region_at(region, job->x, NULL, &job->fixed, &error) != HCR_OK)
        return report_error(&error);
    job->region = job->fixed;
    return EXIT_DONE;
}

static int read_points(struct job *job) {
    if (job->points_path == NULL)
        return EXIT_DONE;
    hcr_error error = {0};
    const int code = table_read_points(job->points_path, job->region, "the table of points", &job->points);
    if (code != EXIT_DONE)
        return code;
    job->inside = calloc(job->points.rows + 1, 1);
    if (job->inside == NULL)
        return report_memory();
    if (hcr_check(job->region, job->points.rows, NULL, job->points.values, job->inside, NULL, &error) != HCR_OK)
        return report_error(&error);
    job->picture.points = job->points.rows;
    job->picture.point = job->points.values;
    job->picture.inside = job->inside;
    return EXIT_DONE;
}

/* Evenly around the centre: by equal angles, or along a spiral over the sphere by the golden angle. */
static int cast_rays(struct picture *picture, size_t count) {
    const struct slice *slice = &picture->slice;
    const size_t axes = slice->axes;
    const double half_turn = acos(-1), golden = half_turn * (3 - sqrt(5.0));
    picture->ray = values_make(count, axes);
    double *reach = values_make(count, 1);
    uint32_t *which = calloc(count + 1, sizeof *which);
    int code = picture->ray == NULL || reach == NULL || which == NULL ? report_memory() : EXIT_DONE;
    for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
        double *d = picture->ray + i * axes;
        const double height = axes == 3 ? 1 - (2 * (double)i + 1) / (double)count : 0, ring = sqrt(1 - height * height);
        const double angle = axes == 3 ? golden * (double)i : 2 * half_turn * (double)i / (double)count;
        d[0] = ring * cos(angle);
        d[1] = ring * sin(angle);
        if (axes == 3)
            d[2] = height;
    }
    if (code == EXIT_DONE)
        code = slice_reach(slice, count, picture->ray, reach, which);
    for (size_t i = 0; i < count * axes && code == EXIT_DONE; i++)
        picture->ray[i] =
            slice->centre[slice->axis[i % axes]] + reach[i / axes] * picture->ray[i] * slice->scale[i % axes];
    picture->rays = code == EXIT_DONE ? count : 0;
    free(reach);
    free(which);
    return code;
}

/* The outline, or the surface, and a window that holds it. */
static int find_frontier(struct picture *picture) {
    struct slice *slice = &picture->slice;
    int code;
    if (slice->axes == 2) {
        code = outline_make(slice, &picture->outline);
        for (size_t i = 0; i < picture->outline.count && code == EXIT_DONE; i++)
            slice_grow(slice, 1, picture->outline.vertex[i].point);
        return code;
    }
    code = surface_make(slice, &picture->surface);
    for (size_t i = 0; i < picture->surface.polygons && code == EXIT_DONE; i++)
        slice_grow(slice, (size_t)picture->surface.polygon[i].corners, picture->surface.polygon[i].corner[0]);
    return code == EXIT_DONE ? picture_sort(picture) : code;
}

static int draw(struct job *job) {
    struct picture *picture = &job->picture;
    struct slice *slice = &picture->slice;
    const int convex = hcr_region_is_convex(slice->region);
    if (!convex && !slice->through_origin && slice->axes == 3) {
        report("a star domain is drawn in three dimensions only about its origin: leave --at out, or give two --axes");
        return EXIT_INPUT;
    }
    int code = slice_frame(slice, job->points.rows, job->points.values);
    if (code == EXIT_DONE && (convex || slice->through_origin))
        code = find_frontier(picture);
    if (code == EXIT_DONE && !convex && slice->axes == 2)
        code = shade_make(slice, &picture->shade);
    const size_t rays = job->rays == SIZE_MAX ? (slice->axes == 2 ? RAYS : 0) : job->rays;
    if (code == EXIT_DONE && rays > 0 && (convex || slice->through_origin))
        code = cast_rays(picture, rays);
    return code;
}

/* "cap[0] = 3, cap[1] = 4" as far as there is room; "" without parameters. */
static void describe_parameters(const struct job *job, char *text, size_t capacity) {
    const size_t p = hcr_region_parameters(job->opened.region);
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; k < p; k++) {
        char name[128], item[160];
        hcr_region_parameter_name(job->opened.region, k, name, sizeof name);
        const int length = snprintf(item, sizeof item, "%s%s = %.4g", k == 0 ? "" : ", ", name, job->x[k]);
        if (used + (size_t)length + 8 > capacity) {
            snprintf(text + used, capacity - used, " …");
            return;
        }
        memcpy(text + used, item, (size_t)length + 1);
        used += (size_t)length;
    }
}

/* What the picture can't show of itself. */
static int describe(struct job *job) {
    const struct slice *slice = &job->picture.slice;
    const char *slash = strrchr(job->region_path, '/');
    job->subtitle = calloc(256, 1);
    if (job->subtitle == NULL)
        return report_memory();
    const char *others = slice->n == slice->axes ? ""
                         : slice->is_lifted      ? "the other outputs go along as the equalities demand"
                         : slice->through_origin ? "a slice: the other outputs are the origin's"
                                                 : "a slice: the other outputs are those given";
    char at[100];
    describe_parameters(job, at, sizeof at);
    const char *clipped = slice->is_clipped ? "it reaches to infinity and is cut off" : "";
    snprintf(job->subtitle, 256, "%s%s%s%s%s", at,
             at[0] != '\0' && (others[0] != '\0' || clipped[0] != '\0') ? "; " : "", others,
             others[0] != '\0' && clipped[0] != '\0' ? "; " : "", clipped);
    job->picture.subtitle = job->subtitle;
    job->picture.title = job->title != NULL                   ? job->title
                         : strcmp(job->region_path, "-") == 0 ? "Region"
                         : slash == NULL                      ? job->region_path
                                                              : slash + 1;
    return EXIT_DONE;
}

static int run(struct job *job) {
    int code = find_output(job);
    if (code == EXIT_DONE)
        code = region_open(job->region_path, &job->settings, &job->opened);
    if (code == EXIT_DONE && job->opened.builder != NULL)
        report("the text says `origin = mean`, and there are no targets here: the Chebyshev centre is drawn");
    if (code == EXIT_DONE)
        code = fix_parameters(job);
    if (code == EXIT_DONE)
        code = read_points(job);
    if (code == EXIT_DONE)
        code = slice_open(&job->picture.slice, job->region, job->axes,
                          job->at == NULL || job->at[0] == '\0' ? NULL : job->at);
    if (code == EXIT_DONE)
        code = draw(job);
    if (code == EXIT_DONE)
        code = describe(job);
    if (code == EXIT_DONE)
        code = plot_run(job->output_path, WIDTH, picture_height(&job->picture, WIDTH), picture_write, &job->picture);
    if (code == EXIT_DONE)
        printf("%s\n", job->output_path);
    return code;
}

int command_plot(int argc, char **argv) {
    struct job job = {.rays = SIZE_MAX};
    const struct option_row rows[] = {
        {OPTION_TEXT, 'o', "output", "FILE", "draw into FILE.png or FILE.svg; REGION with the extension .png otherwise",
         &job.output_path, 0, 0},
        {OPTION_TEXT, '\0', "axes", "A,B[,C]", "two or three outputs; the first two, or all of three, otherwise",
         &job.axes, 0, 0},
        {OPTION_JOINED, '\0', "at", "POINT",
         "where the other outputs are: origin, a number for each output, or NAME=NUMBER for some; origin otherwise. "
         "Parameters by NAME=NUMBER too; the middle of their range otherwise. May be given more than once",
         &job.at, 0, 0},
        {OPTION_READ, '\0', "points", "FILE", "draw the rows of a table, those inside and those outside apart",
         &job.points_path, 0, 0},
        {OPTION_COUNT, '\0', "rays", "N", "draw so many rays to the frontier (16 in two dimensions, 0 in three)",
         &job.rays, 0, 10000},
        {OPTION_TEXT, '\0', "title", "TEXT", "the title; the name of the region otherwise", &job.title, 0, 0},
        OPTION_ROW_SET(&job.settings),
    };
    const struct usage usage = {
        .name = "plot",
        .operands = "REGION",
        .summary =
            "Draws a region of two or three dimensions, or a slice of one along the outputs that --axes names: "
            "its frontier, the origin, rays and points (gnuplot). Of a star domain it shows what the origin sees, "
            "and the rest in grey. An unbounded region is cut off.",
        .example = "hcr plot load.region --axes load[0],load[1] --points forecast.csv -o load.png",
        OPTION_ROWS(rows),
    };
    int code = options_parse(argc, argv, &usage, &job.region_path);
    if (code == OPTIONS_PARSED)
        code = run(&job);
    release(&job);
    return code;
}
