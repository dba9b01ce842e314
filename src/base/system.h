/* What hcr takes from the operating system. The headers that are POSIX's are included here alone (scripts/arrows), and
 * what Windows does otherwise, or not at all, is in system_windows.c. Paths are UTF-8 everywhere. */
#ifndef HCRI_SYSTEM_H
#define HCRI_SYSTEM_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef _WIN32
#define O_CLOEXEC 0
int hcri_windows_open(const char *path, int flags, ...);
FILE *hcri_windows_fopen(const char *path, const char *mode);
FILE *hcri_windows_tmpfile(void);
int hcri_windows_access(const char *path, int mode);
int hcri_windows_unlink(const char *path);
int hcri_windows_rename(const char *from, const char *to);
int hcri_windows_mkdir(const char *path, int mode);
int hcri_windows_fsync(int descriptor);
int hcri_windows_fchmod(int descriptor, int mode);
ssize_t hcri_windows_pread(int descriptor, void *bytes, size_t count, off_t place);
char *hcri_windows_realpath(const char *path, char *none);
#define open hcri_windows_open
#define fopen hcri_windows_fopen
#define tmpfile hcri_windows_tmpfile
#define access hcri_windows_access
#define unlink hcri_windows_unlink
#define rename hcri_windows_rename
#define mkdir hcri_windows_mkdir
#define fsync hcri_windows_fsync
#define fchmod hcri_windows_fchmod
#define pread hcri_windows_pread
#define realpath hcri_windows_realpath
#endif

int hcri_stat(const char *path, struct stat *about); /* stat, by a name that is nobody's macro */

/* At the start of a program: UTF-8 arguments, and standard streams whose bytes are left as they are. */
void hcri_system_begin(int *argc, char ***argv);

/* Memory that free releases, at a multiple of `line` bytes where the system has such; bytes is a multiple of it. */
void *hcri_aligned(size_t line, size_t bytes);

/* A stream whose bytes come to lie in memory. */
typedef struct hcri_memory_file {
    FILE *stream; /* NULL: no memory */
    char *bytes;  /* after the end, from malloc, with a 0 behind them */
    size_t size;
} hcri_memory_file;
void hcri_memory_file_begin(hcri_memory_file *file);
int hcri_memory_file_end(hcri_memory_file *file); /* 0, or −1: there are no bytes */

/* strtod and vsnprintf with a point for the decimal sign, whatever the locale is. */
double hcri_plain_strtod(const char *text);
int hcri_plain_format(char *text, size_t capacity, const char *format, va_list arguments);

int hcri_is_same_file(const char *a, const char *b); /* both are there, and the same regular file */
int hcri_is_mount(const char *path);                 /* mounted by itself, as far as the system tells */
int hcri_terminal_width(void);                       /* of standard error; 80 where it doesn't tell */

/* The limit on the address space, SIZE_MAX without one; whether `count` bytes can be had of it. */
size_t hcri_address_space(void);
int hcri_has_address_space(size_t count);

#endif
