#include "region_argument.h"

#include "command.h"
#include "progress.h"
#include "report.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The folder that `path` is in, NULL for the current one. */
static char *find_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return NULL;
    const size_t length = slash == path ? 1 : (size_t)(slash - path);
    return memcpy(allocate(length, 1), path, length);
}

static void build(const char *path, size_t size, const struct settings *settings, struct opened_region *opened) {
    char *folder = find_folder(path);
    progress_wait("making the region");
    must(hcr_text_build(opened->text, size, strcmp(path, "-") == 0 ? "standard input" : path, folder, settings->count,
                        settings->constant, NULL, &opened->builder, &failure));
    free(folder);
    const int mean = hcr_builder_origin(opened->builder) == HCR_ORIGIN_MEAN;
    if (mean)
        must(hcr_builder_set_origin(opened->builder, HCR_ORIGIN_CHEBYSHEV, 0, NULL, &failure));
    must(hcr_builder_finish(opened->builder, &opened->region, &failure));
    progress_wait_end();
    if (!mean) {
        hcr_builder_free(opened->builder);
        opened->builder = NULL;
    }
}

void region_open(const char *path, const struct settings *settings, struct opened_region *opened) {
    size_t size = 0;
    char *bytes = NULL;
    must(hcri_file_read(path, &hcri_default_allocator, &bytes, &size, &failure));
    const char *kind = hcri_file_kind(bytes, size);
    if (kind == NULL || strcmp(kind, "a compiled region") != 0) {
        opened->text = bytes;
        build(path, size, settings, opened);
        return;
    }
    if (settings->count > 0)
        fail(EXIT_USAGE, "%s is a compiled region: --set can only change region text", path);
    must_of(path, hcr_region_read(bytes, size, NULL, &opened->region, &failure));
    free(bytes);
}

void region_open_placed(const char *path, const struct settings *settings, struct opened_region *opened) {
    region_open(path, settings, opened);
    if (opened->builder != NULL)
        fail(EXIT_INPUT, "%s: `origin = mean` needs the targets: compile the region with `hcr compile --targets Y`",
             path);
}

void region_recentre(struct opened_region *opened, size_t rows, const double *targets) {
    if (opened->builder == NULL)
        return;
    hcr_region_free(opened->region);
    opened->region = NULL;
    must(hcr_builder_set_origin(opened->builder, HCR_ORIGIN_MEAN, rows, targets, &failure));
    progress_wait("making the region");
    must(hcr_builder_finish(opened->builder, &opened->region, &failure));
    progress_wait_end();
    hcr_builder_free(opened->builder);
    opened->builder = NULL;
}

void region_save(const hcr_region *region, const char *path) { MUST_WRITE(hcr_region_save(region, path, &failure)); }

char *region_output(const char *command, const char *path, const char *extension) {
    if (strcmp(path, "-") == 0)
        fail_usage(command, "a region from standard input needs -o FILE");
    const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1, *dot = strrchr(base, '.');
    const size_t length = dot == NULL || dot == base ? strlen(path) : (size_t)(dot - path);
    char *made = allocate(length + strlen(extension), 1);
    memcpy(made, path, length);
    strcpy(made + length, extension);
    options_check_output(command, made, path);
    return made;
}
