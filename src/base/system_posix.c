#include "base/system.h"

#ifndef _WIN32
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

extern char **environ;

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

void hcri_begin_anew(char **argv, const char *variable, const char *value) {
    if (setenv(variable, value, 1) == 0)
        execv("/proc/self/exe", argv);
}

void hcri_ending_to(void (*handler)(int)) {
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_flags = SA_RESTART}, before;
    action.sa_handler = handler;
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++)
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(ending[i], &action, NULL);
}

void hcri_end_by(int signal) {
    struct sigaction plain = {.sa_flags = 0};
    plain.sa_handler = SIG_DFL;
    sigaction(signal, &plain, NULL);
    raise(signal);
}

/* In a process group of its own: a program may hang when the signal that ends this one reaches it as well. */
FILE *hcri_start(char *name, int output, intptr_t *child) {
    int ends[2];
    pid_t number = 0;
    char *arguments[] = {name, NULL};
    if (pipe(ends) != 0)
        return NULL;
    signal(SIGPIPE, SIG_IGN); /* a program that dies early is noticed by how it ends */
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    posix_spawnattr_t apart;
    posix_spawnattr_init(&apart);
    posix_spawnattr_setflags(&apart, POSIX_SPAWN_SETPGROUP);
    setenv("LC_ALL", "C.UTF-8", 1); /* points as decimal signs, and UTF-8 */
    const int failed = posix_spawnp(&number, name, &actions, &apart, arguments, environ);
    posix_spawnattr_destroy(&apart);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    *child = number;
    FILE *script = failed ? NULL : fdopen(ends[1], "w");
    if (failed)
        errno = failed;
    return script;
}

int hcri_wait_for(intptr_t child) {
    int outcome = 0;
    while (waitpid((pid_t)child, &outcome, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(outcome) ? WEXITSTATUS(outcome) : -1;
}

#endif
