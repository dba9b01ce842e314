#include "processes.h"

#include "base/system.h"

#ifdef _WIN32
#include <errno.h>
#include <io.h>
#include <process.h>
#include <signal.h>

void process_begin_anew(char **argv, const char *variable, const char *value) {
    (void)argv, (void)variable, (void)value;
}

void process_ending_to(void (*handler)(int)) {
    signal(SIGINT, handler);
    signal(SIGTERM, handler);
}

void process_end_by(int number) {
    signal(number, SIG_DFL);
    raise(number);
}

FILE *process_start(char *name, int output, intptr_t *child) {
    const char *const arguments[] = {name, NULL};
    int ends[2];
    if (_pipe(ends, 1 << 16, O_BINARY | O_NOINHERIT) != 0)
        return NULL;
    fflush(stdout);
    const int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO);
    dup2(ends[0], STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    *child = _spawnvp(_P_NOWAIT, name, arguments);
    const int why = errno;
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    close(in);
    close(out);
    close(ends[0]);
    errno = why;
    if (*child >= 0)
        return fdopen(ends[1], "w");
    close(ends[1]);
    errno = why;
    return NULL;
}

int process_wait_for(intptr_t child) {
    int code = -1;
    return _cwait(&code, child, 0) < 0 ? -1 : code;
}

#endif
