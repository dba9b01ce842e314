#include "processes.h"

#include "base/system.h"

#ifndef _WIN32
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

void process_begin_anew(char **argv, const char *variable, const char *value) {
    if (setenv(variable, value, 1) == 0)
        execv("/proc/self/exe", argv);
}

void process_ending_to(void (*handler)(int)) {
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_flags = SA_RESTART}, before;
    action.sa_handler = handler;
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++)
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(ending[i], &action, NULL);
}

void process_end_by(int signal) {
    struct sigaction plain = {.sa_flags = 0};
    plain.sa_handler = SIG_DFL;
    sigaction(signal, &plain, NULL);
    raise(signal);
}

/* In a process group of its own: a program may hang when the signal that ends this one reaches it as well. */
FILE *process_start(char *name, int output, intptr_t *child) {
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

int process_wait_for(intptr_t child) {
    int outcome = 0;
    while (waitpid((pid_t)child, &outcome, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(outcome) ? WEXITSTATUS(outcome) : -1;
}

#endif
