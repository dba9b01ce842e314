#define _POSIX_C_SOURCE 200809L
#include "region_argument.h"

#include "command.h"
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first bytes of a compiled region. */
static const char magic[] = "hcrregio";

/* The whole of a file, with a '\0' behind it that isn't counted. */
static int read_all(const char *path, char **bytes, size_t *size) {
    const int standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rb");
    if (stream == NULL)
        return report_file("open", path);
    size_t capacity = 1 << 16, got = 0;
    int code = EXIT_DONE;
    *size = 0;
    *bytes = malloc(capacity);
    do {
        if (*bytes != NULL && capacity - *size < 2) {
            char *grown = realloc(*bytes, 2 * capacity);
            if (grown == NULL)
                free(*bytes);
            *bytes = grown;
            capacity *= 2;
        }
        if (*bytes == NULL) {
            code = report_memory();
            break;
        }
        got = fread(*bytes + *size, 1, capacity - *size - 1, stream);
        *size += got;
    } while (got > 0);
    if (code == EXIT_DONE && ferror(stream))
        code = report_file("read", standard ? "standard input" : path);
    if (code == EXIT_DONE)
        (*bytes)[*size] = '\0';
    if (!standard)
        fclose(stream);
    return code;
}

/* The folder that `path` is in, NULL for the current one; *copy is to be freed. */
static int find_folder(const char *path, char **copy) {
    const char *slash = strrchr(path, '/');
    *copy = NULL;
    if (slash == NULL)
        return EXIT_DONE;
    *copy = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    return *copy == NULL ? report_memory() : EXIT_DONE;
}

static int build(const char *path, size_t size, const struct settings *settings, struct opened_region *opened) {
    hcr_error error = {0};
    char *folder;
    int code = find_folder(path, &folder);
    if (code != EXIT_DONE)
        return code;
    const hcr_status status =
        hcr_text_build(opened->text, size, strcmp(path, "-") == 0 ? "standard input" : path, folder, settings->count,
                       settings->constant, NULL, &opened->builder, &error);
    free(folder);
    if (status != HCR_OK)
        return report_error(&error);
    const int mean = hcr_builder_origin(opened->builder) == HCR_ORIGIN_MEAN;
    if (mean && hcr_builder_set_origin(opened->builder, HCR_ORIGIN_CHEBYSHEV, 0, NULL, &error) != HCR_OK)
        return report_error(&error);
    if (hcr_builder_finish(opened->builder, &opened->region, &error) != HCR_OK)
        return report_error(&error);
    if (!mean) {
        hcr_builder_free(opened->builder);
        opened->builder = NULL;
    }
    return EXIT_DONE;
}

int region_open(const char *path, const struct settings *settings, struct opened_region *opened) {
    char *bytes = NULL;
    size_t size = 0;
    int code = read_all(path, &bytes, &size);
    if (code != EXIT_DONE) {
        free(bytes);
        return code;
    }
    if (size < sizeof magic - 1 || memcmp(bytes, magic, sizeof magic - 1) != 0) {
        opened->text = bytes;
        return build(path, size, settings, opened);
    }
    hcr_error error = {0};
    if (settings->count > 0) {
        report("%s is a compiled region: --set can only change region text", path);
        code = EXIT_USAGE;
    } else if (hcr_region_read(bytes, size, NULL, &opened->region, &error) != HCR_OK) {
        if (error.file[0] == '\0')
            snprintf(error.file, sizeof error.file, "%s", path);
        code = report_error(&error);
    }
    free(bytes);
    return code;
}

int region_open_placed(const char *path, const struct settings *settings, struct opened_region *opened) {
    const int code = region_open(path, settings, opened);
    if (code == EXIT_DONE && opened->builder != NULL) {
        report("%s: `origin = mean` needs the targets: compile the region with `hcr compile --targets Y`", path);
        return EXIT_INPUT;
    }
    return code;
}

int region_recentre(struct opened_region *opened, size_t rows, const double *targets) {
    if (opened->builder == NULL)
        return EXIT_DONE;
    hcr_error error = {0};
    hcr_region *centred = NULL;
    if (hcr_builder_set_origin(opened->builder, HCR_ORIGIN_MEAN, rows, targets, &error) != HCR_OK ||
        hcr_builder_finish(opened->builder, &centred, &error) != HCR_OK)
        return report_error(&error);
    hcr_region_free(opened->region);
    opened->region = centred;
    hcr_builder_free(opened->builder);
    opened->builder = NULL;
    return EXIT_DONE;
}

void region_close(struct opened_region *opened) {
    hcr_region_free(opened->region);
    hcr_builder_free(opened->builder);
    free(opened->text);
    *opened = (struct opened_region){0};
}

char *region_path_with(const char *path, const char *extension) {
    const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1, *dot = strrchr(base, '.');
    const size_t length = dot == NULL || dot == base ? strlen(path) : (size_t)(dot - path);
    char *made = malloc(length + strlen(extension) + 1);
    if (made != NULL) {
        memcpy(made, path, length);
        strcpy(made + length, extension);
    }
    return made;
}
