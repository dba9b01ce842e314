#include "gnuplot.h"
#include "picture.h"

#include "cli/command.h"
#include "cli/options.h"
#include "cli/parameters.h"
#include "cli/region_argument.h"
#include "cli/tables.h"

#include <stdlib.h>
#include <string.h>

enum { RAYS = 16, WIDTH = 720, LINE = 18, CHARACTERS = 96 }; /* a line of the title: its height, and what goes in */

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
    struct picture picture;
};

static void find_output(struct job *job) {
    if (job->output_path == NULL)
        job->output_path = region_output("plot", job->region_path, ".png");
    if (!gnuplot_can_write(job->output_path))
        fail_usage("plot", "-o takes a file that ends in .svg or .png, not \"%s\"", job->output_path);
}

/* A region with parameters is drawn as it is at one choice of them. */
static void fix_parameters(struct job *job) {
    const hcr_region *region = job->region = job->opened.region;
    const size_t p = hcr_region_parameters(region);
    if (p == 0)
        return;
    job->x = allocate(p, sizeof *job->x);
    parameters_take(region, job->at, job->x);
    must(hcr_region_at(region, job->x, NULL, &job->fixed, &failure));
    job->region = job->fixed;
}

static void read_points(struct job *job) {
    table_read_points(job->points_path, job->region, "the table of points", &job->points);
    job->inside = allocate(job->points.rows, 1);
    must(hcr_check(job->region, job->points.rows, NULL, job->points.values, job->inside, NULL, &failure));
    job->picture.points = job->points.rows;
    job->picture.point = job->points.values;
    job->picture.inside = job->inside;
}

/* ---------------------------------------------------------------------------------------------------------- titles */

/* The lines of a title, as one sum of strings. */
struct titles {
    FILE *script;
    size_t lines, used;
    char line[512];
};

static void end_line(struct titles *titles) {
    if (titles->used == 0)
        return;
    if (titles->lines++ > 0)
        fputs(" . \"\\n\" . ", titles->script);
    gnuplot_text(titles->script, titles->line);
    titles->used = 0;
}

/* Behind what the line has, if there is room. */
static void add_item(struct titles *titles, const char *separator, const char *item) {
    if (titles->used > 0 && titles->used + strlen(separator) + strlen(item) > CHARACTERS) {
        titles->used +=
            (size_t)snprintf(titles->line + titles->used, sizeof titles->line - titles->used, "%s", separator);
        end_line(titles);
    }
    titles->used += (size_t)snprintf(titles->line + titles->used, sizeof titles->line - titles->used, "%s%s",
                                     titles->used > 0 ? separator : "", item);
}

/* "cap[0] = 3, cap[1] … cap[23] = 4" */
static void add_parameters(struct titles *titles, const struct job *job) {
    const size_t p = hcr_region_parameters(job->opened.region);
    for (size_t k = 0, last; k < p; k = last + 1) {
        char first[128], end[128], item[320];
        for (last = k; last + 1 < p && job->x[last + 1] == job->x[k]; last++) {
        }
        if (last < k + 2)
            last = k;
        hcr_region_parameter_name(job->opened.region, k, first, sizeof first);
        hcr_region_parameter_name(job->opened.region, last, end, sizeof end);
        snprintf(item, sizeof item, "%s%s%s = %.4g", first, last > k ? " … " : "", last > k ? end : "", job->x[k]);
        add_item(titles, ", ", item);
    }
}

/* The title, and what the picture can't show of itself. Returns the lines. */
static size_t write_titles(FILE *script, const struct job *job) {
    const struct slice *slice = &job->picture.slice;
    const char *slash = strrchr(job->region_path, '/');
    struct titles titles = {.script = script};
    fputs("set title ", script);
    snprintf(titles.line, sizeof titles.line, "%s",
             job->title != NULL                   ? job->title
             : strcmp(job->region_path, "-") == 0 ? "Region"
             : slash == NULL                      ? job->region_path
                                                  : slash + 1);
    titles.used = 1;
    end_line(&titles);
    add_parameters(&titles, job);
    if (slice->n > slice->axes)
        add_item(&titles, "; ",
                 slice->is_lifted        ? "the other outputs go along as the equalities demand"
                 : slice->through_origin ? "a slice: the other outputs are the origin's"
                                         : "a slice: the other outputs are those given");
    if (slice->is_clipped)
        add_item(&titles, "; ", "it reaches to infinity and is cut off");
    end_line(&titles);
    fputs(" noenhanced\n", script);
    return titles.lines;
}

/* --------------------------------------------------------------------------------------------------------- command */

static void draw(struct job *job) {
    struct picture *picture = &job->picture;
    struct slice *slice = &picture->slice;
    slice_open(slice, job->region, job->axes, job->at == NULL || job->at[0] == '\0' ? NULL : job->at);
    const int has_rays = hcr_region_is_convex(job->region) || slice->through_origin;
    if (!has_rays && slice->axes == 3)
        fail(EXIT_INPUT,
             "a star domain is drawn in three dimensions only about its origin: leave --at out, or give two --axes");
    slice_frame(slice, job->points.rows, job->points.values);
    picture->rays = !has_rays ? 0 : job->rays != SIZE_MAX ? job->rays : slice->axes == 2 ? RAYS : 0;
    int height;
    FILE *script = gnuplot_begin();
    const size_t lines = write_titles(script, job);
    picture_write(script, picture, WIDTH, &height);
    gnuplot_draw(script, job->output_path, WIDTH, height + LINE * (int)(lines < 2 ? 0 : lines - 2));
}

static int run(struct job *job) {
    find_output(job);
    region_open(job->region_path, &job->settings, &job->opened);
    if (job->opened.builder != NULL)
        report("the text says `origin = mean`, and there are no targets here: the Chebyshev centre is drawn");
    fix_parameters(job);
    if (job->points_path != NULL)
        read_points(job);
    draw(job);
    printf("%s\n", job->output_path);
    return EXIT_DONE;
}

int command_plot(int argc, char **argv) {
    static struct job job = {.rays = SIZE_MAX};
    const struct option_row rows[] = {
        {OPTION_TEXT, 'o', "output", "FILE", "draw into FILE.png or FILE.svg; REGION with the extension .png otherwise",
         &job.output_path, 0, 0},
        OPTION(TEXT, "axes", "A,B[,C]", "two or three outputs; the first two, or all of three, otherwise", &job.axes),
        OPTION(
            JOINED, "at", "POINT",
            "where the other outputs are: origin, a number for each output, or NAME=NUMBER for some; origin otherwise. "
            "Parameters by NAME=NUMBER too; the middle of their range otherwise. May be given more than once",
            &job.at),
        OPTION(READ, "points", "FILE", "draw the rows of a table, those inside and those outside apart",
               &job.points_path),
        {OPTION_COUNT, '\0', "rays", "N", "draw so many rays to the frontier (16 in two dimensions, 0 in three)",
         &job.rays, 0, 10000},
        OPTION(TEXT, "title", "TEXT", "the title; the name of the region otherwise", &job.title),
        OPTION_ROW_SET(&job.settings),
    };
    const struct usage usage = {
        .name = "plot",
        .operands = "REGION",
        .summary = "Draws a region of two or three dimensions, or a slice of one along the outputs that --axes names: "
                   "its frontier, the origin, rays and points (gnuplot). Of a star domain it shows what the origin "
                   "sees, and the rest in grey. An unbounded region is cut off.",
        .example = "hcr plot load.region --axes load[0],load[1] --points forecast.csv -o load.png",
        OPTION_ROWS(rows),
    };
    options_parse(argc, argv, &usage, &job.region_path);
    return run(&job);
}
