/* A file that is written in pieces and appears under its name only when all of it is written; or standard output, a
 * device or a pipe, which take the pieces as they come. */
#ifndef HCR_OUTPUT_FILE_H
#define HCR_OUTPUT_FILE_H

#include <stddef.h>
#include <stdio.h>

struct output_file {
    const char *name; /* as messages have it */
    FILE *stream;     /* NULL: not open */
    char *path;       /* the name that the file will have; NULL where the pieces go out at once */
    char temporary[4096];
    int in_place; /* the file can't be replaced: its bytes are, from a temporary one without a name */
};

/* Whether `path` ("-": standard output) is, or will be, a file on a disk, which appears whole. */
int output_file_is_whole(const char *path);

/* `path` must stay until the end. */
void output_file_open(struct output_file *file, const char *path);
void output_file_write(struct output_file *file, const char *bytes, size_t size);
/* From here on pieces replace those at the beginning: of a file that appears whole. */
void output_file_rewind(struct output_file *file);
/* The file appears. Does nothing with one that isn't open. */
void output_file_close(struct output_file *file);

#endif
