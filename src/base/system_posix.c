#include "base/system.h"

#ifndef _WIN32
#include <locale.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

void hcri_system_begin(int *argc, char ***argv) { (void)argc, (void)argv; }

int hcri_stat(const char *path, struct stat *about) { return stat(path, about); }

void *hcri_aligned(size_t line, size_t bytes) { return aligned_alloc(line, bytes); }

void hcri_memory_file_begin(hcri_memory_file *file) { file->stream = open_memstream(&file->bytes, &file->size); }

int hcri_memory_file_end(hcri_memory_file *file) {
    const int failed = ferror(file->stream);
    if (fclose(file->stream) == 0 && !failed)
        return 0;
    free(file->bytes);
    file->bytes = NULL;
    return -1;
}

/* The C locale; made once and kept for the life of the process. */
static locale_t c_locale(void) {
    static locale_t made = (locale_t)0;
    locale_t locale = __atomic_load_n(&made, __ATOMIC_ACQUIRE);
    if (locale == (locale_t)0) {
        locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        locale_t expected = (locale_t)0;
        if (!__atomic_compare_exchange_n(&made, &expected, locale, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            freelocale(locale);
            locale = expected;
        }
    }
    return locale;
}

double hcri_plain_strtod(const char *text) { return strtod_l(text, NULL, c_locale()); }

/* The locale is this thread's alone, and is what it was again afterwards. */
int hcri_plain_format(char *text, size_t capacity, const char *format, va_list arguments) {
    const locale_t plain = c_locale();
    const locale_t before = plain == (locale_t)0 ? (locale_t)0 : uselocale(plain);
    const int length = vsnprintf(text, capacity, format, arguments);
    if (before != (locale_t)0)
        uselocale(before);
    return length;
}

int hcri_is_same_file(const char *a, const char *b) {
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

int hcri_is_mount(const char *path) {
#ifdef STATX_ATTR_MOUNT_ROOT
    struct statx about;
    return statx(AT_FDCWD, path, 0, 0, &about) == 0 && (about.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
    (void)path;
    return 0;
#endif
}

int hcri_terminal_width(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

size_t hcri_address_space(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? (size_t)limit.rlim_cur : SIZE_MAX;
}

int hcri_has_address_space(size_t count) {
    void *space = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        return 0;
    munmap(space, count);
    return 1;
}

#endif
