#define _XOPEN_SOURCE 700 /* realpath */
#include "output_file.h"

#include "command.h"
#include "ending.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_standard(const char *path) { return strcmp(path, "-") == 0; }

int output_file_is_whole(const char *path) {
    struct stat there;
    return !is_standard(path) && (stat(path, &there) != 0 || S_ISREG(there.st_mode));
}

/* Makes the file beside its name, with the mode of what it replaces; the one behind a symbolic link is replaced. */
static void create(struct output_file *file, const char *path) {
    struct stat old;
    const int exists = stat(path, &old) == 0;
    int descriptor = -1;
    file->path = exists ? realpath(path, NULL) : strdup(path);
    if (file->path == NULL)
        fail_file("write", path);
    for (unsigned attempt = 0; descriptor < 0 && attempt < 1000; attempt++) {
        const int length =
            snprintf(file->temporary, sizeof file->temporary, "%s.%ld-%u", file->path, (long)getpid(), attempt);
        if (length >= (int)sizeof file->temporary) {
            errno = ENAMETOOLONG;
            break;
        }
        descriptor = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    if (descriptor < 0) {
        file->in_place = exists && access(path, W_OK) == 0;
        file->stream = file->in_place ? tmpfile() : NULL;
        if (file->stream == NULL)
            fail_file("write", path);
        return;
    }
    if (exists)
        (void)!fchmod(descriptor, old.st_mode & 0777); /* on file systems without modes the default is fine */
    ending_removes(file->temporary);
    file->stream = fdopen(descriptor, "wb+");
    if (file->stream == NULL)
        fail_file("write", path);
}

void output_file_open(struct output_file *file, const char *path) {
    *file = (struct output_file){.name = is_standard(path) ? "standard output" : path};
    if (!output_file_is_whole(path)) {
        file->stream = is_standard(path) ? stdout : fopen(path, "wb");
        if (file->stream == NULL)
            fail_file("write", path);
        return;
    }
    ending_put_off(); /* until it is known what there is to remove */
    create(file, path);
    ending_obey();
}

void output_file_write(struct output_file *file, const char *bytes, size_t size) {
    if (fwrite(bytes, 1, size, file->stream) != size)
        fail_file("write", file->name);
}

void output_file_rewind(struct output_file *file) {
    if (fseek(file->stream, 0, SEEK_SET) != 0)
        fail_file("write", file->name);
}

/* The temporary file's bytes into the file that is there. */
static int copy_in_place(const struct output_file *file) {
    char bytes[1 << 14];
    FILE *target = fopen(file->path, "wb");
    size_t got = 0;
    rewind(file->stream);
    while (target != NULL && (got = fread(bytes, 1, sizeof bytes, file->stream)) > 0 &&
           fwrite(bytes, 1, got, target) == got) {
    }
    const int failed =
        target == NULL || got > 0 || ferror(file->stream) || fflush(target) != 0 || fsync(fileno(target)) != 0;
    return (target != NULL && fclose(target) != 0) || failed ? -1 : 0;
}

/* The file takes its name: a mount can't be replaced either. */
static int put_in_place(const struct output_file *file) {
    if (file->in_place)
        return copy_in_place(file);
    if (rename(file->temporary, file->path) == 0)
        return 0;
    if ((errno != EBUSY && errno != EXDEV) || copy_in_place(file) != 0)
        return -1;
    unlink(file->temporary);
    return 0;
}

void output_file_close(struct output_file *file) {
    FILE *stream = file->stream;
    if (stream == NULL)
        return;
    if (fflush(stream) != 0 || ferror(stream) ||
        (file->path != NULL && (fsync(fileno(stream)) != 0 || put_in_place(file) != 0)) ||
        (stream != stdout && fclose(stream) != 0))
        fail_file("write", file->name);
    ending_removes(NULL);
    free(file->path);
    *file = (struct output_file){0};
}
