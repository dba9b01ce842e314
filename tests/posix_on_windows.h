/* What tests of files and folders take from POSIX, on Windows. */
#ifndef HCR_TESTS_POSIX_ON_WINDOWS_H
#define HCR_TESTS_POSIX_ON_WINDOWS_H

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define pipe(ends) _pipe(ends, 1 << 16, _O_BINARY)
#define setenv(name, value, overwrite) _putenv_s(name, value)

static inline char *mkdtemp(char *path) { return _mktemp(path) != NULL && mkdir(path) == 0 ? path : NULL; }

static inline void *memmem(const void *bytes, size_t size, const void *wanted, size_t length) {
    for (const char *at = bytes, *end = at + size; at + length <= end; at++)
        if (memcmp(at, wanted, length) == 0)
            return (void *)(uintptr_t)at;
    return NULL;
}
#endif

#endif
