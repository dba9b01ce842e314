/* Whole files: read in one go, written whole or not at all. */
#ifndef HCRI_FILE_H
#define HCRI_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/status.h"

/* All bytes of a file ("-": standard input), followed by a 0 that isn't counted; released with the allocator. */
hcr_status hcri_file_read(const char *path, const hcr_allocator *allocator, char **bytes, size_t *size,
                          hcr_error *error);

/* FORMAT when packed bytes of a file claim, or turn out, to be more than are taken: 1 GiB, or as many as the
 * environment variable HCR_INFLATE_LIMIT says. */
hcr_status hcri_check_inflated(const char *file, uint64_t size, hcr_error *error);

/* What a file is by its first bytes, "a model" or "a compiled region"; NULL for anything else. */
const char *hcri_file_kind(const void *bytes, size_t size);

/* A file that appears under its name only when all of it is written: a temporary file beside it, flushed to the disk,
 * then renamed; it keeps the mode of the file it replaces. If the file can't be replaced, because its folder isn't
 * writable or it is a mount point, it is overwritten in place once all bytes are there. Path "-" is standard output.
 * Standard output, devices and pipes get the bytes as they are written. */
typedef struct hcri_writer {
    FILE *stream;
    char *path;      /* NULL for standard output */
    char *temporary; /* NULL also for devices and pipes … */
    int in_place;    /* … and for a temporary file without a name, whose bytes go into a file that is there */
} hcri_writer;
hcr_status hcri_writer_open(hcri_writer *writer, const char *path, hcr_error *error);
/* Makes the file appear. On failure nothing is left behind. */
hcr_status hcri_writer_commit(hcri_writer *writer, hcr_error *error);
/* Gives up: nothing is left behind. After a failed open or a commit it does nothing. */
void hcri_writer_abandon(hcri_writer *writer);
/* open, write, commit. */
hcr_status hcri_file_write(const char *path, const void *bytes, size_t size, hcr_error *error);

#endif
