/* The REGION operand: region text or a compiled region; the first bytes say which. */
#ifndef HCR_REGION_ARGUMENT_H
#define HCR_REGION_ARGUMENT_H

#include "options.h"

struct opened_region {
    hcr_region *region;
    hcr_builder *builder; /* kept when the text says `origin = mean`: the points are still to come */
    char *text;           /* the region text; NULL when it came compiled */
};

/* Opens `path` ("-": standard input). With `origin = mean` the region is made around its Chebyshev centre, for
 * region_recentre to correct. */
void region_open(const char *path, const struct settings *settings, struct opened_region *opened);
/* The same for commands whose result depends on the origin and that have no targets: `origin = mean` is refused. */
void region_open_placed(const char *path, const struct settings *settings, struct opened_region *opened);
/* With `origin = mean`: makes the region anew around the mean of these rows. Does nothing otherwise. */
void region_recentre(struct opened_region *opened, size_t rows, const double *targets);
/* Writes the compiled region. */
void region_save(const hcr_region *region, const char *path);

/* What is made of load.region where no output is named: load.hcr for the extension ".hcr", allocated. */
char *region_output(const char *command, const char *path, const char *extension);

#endif
