/* Files for the tests of tables, in a folder of their own that goes with the test program. */
#ifndef HCR_TESTS_FILES_H
#define HCR_TESTS_FILES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "posix_on_windows.h"

static char files_folder[] = "/tmp/hcr-tables-XXXXXX";

static inline const char *files_path(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", files_folder, name);
    return path;
}

static inline int files_setup(void **state) {
    (void)state;
    return mkdtemp(files_folder) == NULL;
}

static inline int files_teardown(void **state) {
    (void)state;
    DIR *directory = opendir(files_folder);
    if (directory == NULL)
        return 1;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (entry->d_name[0] != '.')
            unlink(files_path(entry->d_name));
    closedir(directory);
    return rmdir(files_folder);
}

static inline const char *files_put(const char *name, const void *bytes, size_t size) {
    const char *path = files_path(name);
    FILE *stream = fopen(path, "wb");
    if (stream == NULL || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0)
        abort();
    return path;
}

/* The bytes of a file, with a 0 behind them; free() them. */
static inline char *files_get(const char *path, size_t *size) {
    FILE *stream = fopen(path, "rb");
    char *bytes = malloc(1 << 16);
    if (stream == NULL || bytes == NULL)
        abort();
    *size = fread(bytes, 1, (1 << 16) - 1, stream);
    bytes[*size] = '\0';
    fclose(stream);
    return bytes;
}

#endif
