/* A file that the processes of a team write together, each at places of its own, and that appears under its name only
 * when all of it is written. */
#ifndef HCR_SHARED_FILE_H
#define HCR_SHARED_FILE_H

#include <stddef.h>
#include <stdint.h>

struct shared_file {
    int descriptor;
    char *path;           /* the name that it will have; of the first process */
    char temporary[4096]; /* the name that it has until then */
};

/* Whether `path` can be such a file: not where something stands that is no file, such as a device or a pipe. */
int shared_file_fits(const char *path);
/* Every process calls these, and gets the same exit code. */
int shared_file_open(struct shared_file *file, const char *path);
/* The file appears, unless the code isn't EXIT_DONE. */
int shared_file_close(struct shared_file *file, int code);
/* One process's part; its own exit code. */
int shared_file_write(const struct shared_file *file, uint64_t place, const char *bytes, size_t size);

#endif
