#define _POSIX_C_SOURCE 200809L
#include "core/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static hcr_status fail_file(hcr_error *error, const char *what, const char *path) {
    return hcri_fail(error, HCR_ERROR_FILE, "can't %s \"%s\": %s", what, path, strerror(errno));
}

hcr_status hcri_file_read(const char *path, const hcr_allocator *allocator, char **bytes, size_t *size,
                          hcr_error *error) {
    const int standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rb");
    if (stream == NULL)
        return fail_file(error, "open", path);
    char *buffer = NULL;
    size_t capacity = 0, used = 0;
    hcr_status status = HCR_OK;
    for (;;) {
        char *grown = hcri_grow(allocator, buffer, &capacity, used + 65536 + 1, 1);
        if (grown == NULL) {
            status = hcri_fail_memory(error);
            break;
        }
        buffer = grown;
        const size_t got = fread(buffer + used, 1, capacity - used - 1, stream);
        used += got;
        if (got == 0) {
            if (ferror(stream))
                status = fail_file(error, "read", path);
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

hcr_status hcri_writer_open(hcri_writer *writer, const char *path, hcr_error *error) {
    *writer = (hcri_writer){0};
    if (strcmp(path, "-") == 0) {
        writer->stream = stdout;
        return HCR_OK;
    }
    const size_t length = strlen(path);
    writer->path = hcri_copy_string(&hcri_default_allocator, path);
    writer->temporary = malloc(length + sizeof ".XXXXXX");
    if (writer->path == NULL || writer->temporary == NULL) {
        hcri_writer_abandon(writer);
        return hcri_fail_memory(error);
    }
    memcpy(writer->temporary, path, length);
    memcpy(writer->temporary + length, ".XXXXXX", sizeof ".XXXXXX");
    const int descriptor = mkstemp(writer->temporary);
    if (descriptor >= 0) {
        /* mkstemp gives 0600; a file that others may read is what fopen would have given. */
        const mode_t mask = umask(0);
        umask(mask);
        if (fchmod(descriptor, 0666 & ~mask) == 0)
            writer->stream = fdopen(descriptor, "wb");
    }
    if (writer->stream == NULL) {
        const hcr_status status = fail_file(error, "write", path);
        if (descriptor >= 0) {
            close(descriptor);
            unlink(writer->temporary);
        }
        hcri_writer_abandon(writer);
        return status;
    }
    return HCR_OK;
}

hcr_status hcri_writer_commit(hcri_writer *writer, hcr_error *error) {
    if (writer->path == NULL) {
        if (fflush(stdout) != 0 || ferror(stdout))
            return fail_file(error, "write", "standard output");
        return HCR_OK;
    }
    int failed = fflush(writer->stream) != 0 || ferror(writer->stream) || fsync(fileno(writer->stream)) != 0;
    if (fclose(writer->stream) != 0)
        failed = 1;
    writer->stream = NULL;
    hcr_status status = HCR_OK;
    if (failed || rename(writer->temporary, writer->path) != 0) {
        status = fail_file(error, "write", writer->path);
        unlink(writer->temporary);
    }
    hcri_writer_abandon(writer);
    return status;
}

void hcri_writer_abandon(hcri_writer *writer) {
    if (writer->stream != NULL && writer->path != NULL) {
        fclose(writer->stream);
        unlink(writer->temporary);
    }
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
