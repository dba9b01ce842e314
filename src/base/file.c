#include "base/file.h"
#include "base/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static hcr_status fail_file(hcr_error *error, const char *what, const char *path) {
    if (errno == ENOMEM)
        return hcri_fail_memory(error);
    return hcri_fail(error, HCR_ERROR_FILE, "can't %s \"%s\": %s", what, path, strerror(errno));
}

hcr_status hcri_file_read(const char *path, const hcr_allocator *allocator, char **bytes, size_t *size,
                          hcr_error *error) {
    const int standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rb");
    if (stream == NULL)
        return fail_file(error, "open", path);
    const char *name = standard ? "standard input" : path;
    char *buffer = NULL;
    size_t capacity = 0, used = 0;
    hcr_status status = HCR_OK;
    for (;;) {
        if (!HCRI_GROW(allocator, buffer, &capacity, used + 65536 + 1)) {
            status = hcri_fail_memory(error);
            break;
        }
        const size_t got = fread(buffer + used, 1, capacity - used - 1, stream);
        used += got;
        if (got == 0) {
            if (ferror(stream))
                status = fail_file(error, "read", name);
            break;
        }
    }
    if (!standard)
        fclose(stream);
    if (status != HCR_OK) {
        hcri_release(allocator, buffer);
        return status;
    }
    buffer[used] = '\0';
    *bytes = buffer;
    *size = used;
    return HCR_OK;
}

hcr_status hcri_check_inflated(const char *file, uint64_t size, hcr_error *error) {
    const char *said = getenv("HCR_INFLATE_LIMIT");
    const uint64_t own = (uint64_t)1 << 30;
    char *end = NULL;
    const unsigned long long given = said == NULL || *said < '0' || *said > '9' ? 0 : strtoull(said, &end, 10);
    const uint64_t most = end != NULL && *end == '\0' ? given : own;
    if (size <= most)
        return HCR_OK;
    return hcri_fail_at(
        error, HCR_ERROR_FORMAT, file, 0, 0,
        "unpacked it is more than %llu bytes, the limit for what a small file may grow to: for one that "
        "is meant to, set the environment variable HCR_INFLATE_LIMIT to as many bytes as may be taken",
        (unsigned long long)most);
}

/* A compiled region has a magic word; a model begins with the length of its JSON, little-endian, and then that. */
const char *hcri_file_kind(const void *bytes, size_t size) {
    const unsigned char *head = bytes;
    if (size >= 8 && memcmp(head, "hcrregio", 8) == 0)
        return "a compiled region";
    return size > 8 && head[8] == '{' && head[7] == 0 && head[6] == 0 ? "a model" : NULL;
}

/* Opens a file of a new name beside `target`. The name is tried for, not taken from mkstemp, so that the process's
 * umask applies without being touched. */
static int open_temporary(hcri_writer *writer, const char *target, const struct stat *old) {
    const size_t capacity = strlen(target) + 48;
    writer->temporary = malloc(capacity);
    if (writer->temporary == NULL) {
        errno = ENOMEM;
        return -1;
    }
    errno = 0;
    int descriptor = -1;
    for (unsigned attempt = 0; descriptor < 0 && attempt < 1000; attempt++) {
        snprintf(writer->temporary, capacity, "%s.%ld-%u", target, (long)getpid(), attempt);
        descriptor = open(writer->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    if (descriptor < 0) {
        free(writer->temporary); /* nothing to unlink */
        writer->temporary = NULL;
    } else if (old != NULL) {
        (void)!fchmod(descriptor, old->st_mode & 0777); /* on file systems without modes the default is fine */
    }
    return descriptor;
}

hcr_status hcri_writer_open(hcri_writer *writer, const char *path, hcr_error *error) {
    *writer = (hcri_writer){0};
    if (strcmp(path, "-") == 0) {
        writer->stream = stdout;
        return HCR_OK;
    }
    struct stat old;
    const int exists = hcri_stat(path, &old) == 0;
    /* The file behind a symbolic link is replaced, not the link. */
    writer->path = exists ? realpath(path, NULL) : hcri_copy_string(&hcri_default_allocator, path);
    if (writer->path == NULL && (!exists || errno == ENOMEM))
        return hcri_fail_memory(error);
    if (writer->path != NULL && exists && !S_ISREG(old.st_mode)) {
        writer->stream = fopen(path, "wb"); /* a device or a pipe can't be replaced */
    } else if (writer->path != NULL) {
        const int descriptor = open_temporary(writer, writer->path, exists ? &old : NULL);
        if (descriptor >= 0)
            writer->stream = fdopen(descriptor, "wb+");
        else if (errno != ENOMEM && exists && access(path, W_OK) == 0) {
            writer->stream = tmpfile();
            writer->in_place = writer->stream != NULL;
        }
        if (descriptor >= 0 && writer->stream == NULL)
            close(descriptor);
    }
    if (writer->stream == NULL) {
        const hcr_status status = errno == ENOMEM ? hcri_fail_memory(error) : fail_file(error, "write", path);
        hcri_writer_abandon(writer);
        return status;
    }
    return HCR_OK;
}

/* The temporary file's bytes into the file that is there. */
static int copy_in_place(const hcri_writer *writer) {
    char bytes[1 << 14];
    const int target = open(writer->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    int failed = target < 0;
    ssize_t got = 0;
    for (off_t at = 0; !failed && (got = pread(fileno(writer->stream), bytes, sizeof bytes, at)) > 0; at += got)
        for (ssize_t done = 0, wrote; done < got && !failed; done += wrote) {
            wrote = write(target, bytes + done, (size_t)(got - done));
            failed = wrote < 0;
        }
    failed |= got < 0 || (target >= 0 && fsync(target) != 0);
    if (target >= 0 && close(target) != 0)
        failed = 1;
    return failed ? -1 : 0;
}

/* The file takes its name. */
static int put_in_place(const hcri_writer *writer) {
    if (writer->in_place)
        return copy_in_place(writer);
    if (writer->temporary == NULL || rename(writer->temporary, writer->path) == 0)
        return 0;
    if (errno != EBUSY && errno != EXDEV) /* what a mount says */
        return -1;
    if (copy_in_place(writer) != 0)
        return -1;
    unlink(writer->temporary);
    return 0;
}

hcr_status hcri_writer_commit(hcri_writer *writer, hcr_error *error) {
    if (writer->path == NULL) {
        if (fflush(stdout) != 0 || ferror(stdout))
            return fail_file(error, "write", "standard output");
        return HCR_OK;
    }
    int failed = fflush(writer->stream) != 0 || ferror(writer->stream) ||
                 (writer->temporary != NULL && fsync(fileno(writer->stream)) != 0);
    failed = failed || put_in_place(writer) != 0;
    if (fclose(writer->stream) != 0)
        failed = 1;
    writer->stream = NULL;
    hcr_status status = HCR_OK;
    if (failed)
        status = fail_file(error, "write", writer->path);
    else {
        free(writer->temporary); /* it is no more */
        writer->temporary = NULL;
    }
    hcri_writer_abandon(writer);
    return status;
}

void hcri_writer_abandon(hcri_writer *writer) {
    if (writer->stream != NULL && writer->stream != stdout)
        fclose(writer->stream);
    if (writer->temporary != NULL)
        unlink(writer->temporary);
    free(writer->path);
    free(writer->temporary);
    *writer = (hcri_writer){0};
}

hcr_status hcri_file_write(const char *path, const void *bytes, size_t size, hcr_error *error) {
    hcri_writer writer;
    HCRI_TRY(hcri_writer_open(&writer, path, error));
    if (size != 0 && fwrite(bytes, 1, size, writer.stream) != size) {
        const hcr_status status = fail_file(error, "write", path);
        hcri_writer_abandon(&writer);
        return status;
    }
    return hcri_writer_commit(&writer, error);
}
