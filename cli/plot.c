#define _GNU_SOURCE /* environ */
#include "plot.h"

#include "command.h"
#include "ending.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *extension(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot == NULL ? "" : dot;
}

int plot_path_is_fine(const char *path) {
    return strcmp(extension(path), ".svg") == 0 || strcmp(extension(path), ".png") == 0;
}

/* This process's, but for the locale: points as decimal signs, and UTF-8, without which gnuplot warns. The array is to
 * be freed, its strings aren't. NULL when there is no memory. */
static char **make_environment(void) {
    static char locale[] = "LC_ALL=C.UTF-8";
    size_t count = 0, kept = 0;
    while (environ[count] != NULL)
        count++;
    char **made = calloc(count + 2, sizeof *made);
    for (size_t i = 0; made != NULL && i < count; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0)
            made[kept++] = environ[i];
    if (made != NULL)
        made[kept] = locale;
    return made;
}

/* gnuplot with its script on a pipe and its picture going to `picture`: no path and no text of the user's is ever part
 * of a script or of a command line. */
static int start_gnuplot(int picture, pid_t *child, FILE **script) {
    int ends[2];
    char **environment = make_environment();
    if (environment == NULL)
        return report_memory();
    if (pipe(ends) != 0) {
        free(environment);
        return report_file("open", "a pipe");
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    /* In a process group of its own: gnuplot may hang when the signal that ends the command reaches it as well. */
    posix_spawnattr_t apart;
    posix_spawnattr_init(&apart);
    posix_spawnattr_setflags(&apart, POSIX_SPAWN_SETPGROUP);
    char name[] = "gnuplot", *arguments[] = {name, NULL};
    const int failed = posix_spawnp(child, name, &actions, &apart, arguments, environment);
    posix_spawnattr_destroy(&apart);
    free(environment);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    *script = failed ? NULL : fdopen(ends[1], "w");
    if (*script == NULL) {
        close(ends[1]);
        report("can't run gnuplot, which draws the pictures: %s", strerror(failed ? failed : errno));
        return EXIT_FILE;
    }
    return EXIT_DONE;
}

static void write_terminal(FILE *script, const char *path, int width, int height) {
    if (strcmp(extension(path), ".png") == 0)
        fprintf(script, "set terminal pngcairo size %d,%d fontscale 1.6 linewidth 2 background '#ffffff'\n", 2 * width,
                2 * height);
    else
        fprintf(script, "set terminal svg size %d,%d dynamic font 'sans-serif,14' background '#ffffff'\n", width,
                height);
    fputs("set encoding utf8\n", script);
}

static void write_lines(FILE *script, const void *drawing) {
    const struct plot *plot = drawing;
    fprintf(script,
            "set border 3\nset tics nomirror\nset grid linecolor '#dddddd'\n"
            "set key outside top center horizontal\nset xlabel '%s'\nset ylabel '%s'\n%s",
            plot->x_label, plot->y_label, plot->logarithmic ? "set logscale y\n" : "");
    for (size_t i = 0; i < plot->lines; i++) {
        const struct plot_line *line = &plot->line[i];
        fprintf(script, "$line%zu << END\n", i);
        for (size_t k = 0; k < line->count; k++)
            if (isfinite(line->y[k]))
                fprintf(script, "%.17g %.17g\n", line->first + (double)k, line->y[k]);
        fputs("END\n", script);
    }
    for (size_t i = 0; i < plot->lines; i++)
        fprintf(script, "%s$line%zu using 1:2 with %s title '%s'", i == 0 ? "plot " : ", ", i, plot->line[i].style,
                plot->line[i].title);
    fputs("\n", script);
}

int plot_draw(const char *path, const struct plot *plot) { return plot_run(path, 800, 500, write_lines, plot); }

int plot_run(const char *path, int width, int height, void (*write)(FILE *script, const void *drawing),
             const void *drawing) {
    char *temporary = malloc(strlen(path) + sizeof ".XXXXXX");
    if (temporary == NULL)
        return report_memory();
    sprintf(temporary, "%s.XXXXXX", path);
    ending_put_off();
    const int picture = mkstemp(temporary);
    if (picture < 0) {
        ending_obey();
        free(temporary);
        return report_file("write", path);
    }
    const mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(picture, 0666 & ~mask);
    /* A gnuplot that dies early is told by its exit status, not by SIGPIPE. */
    struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignored, &before);
    pid_t child = 0;
    FILE *script = NULL;
    int code = start_gnuplot(picture, &child, &script);
    if (code == EXIT_DONE) {
        write_terminal(script, path, width, height);
        write(script, drawing);
        fclose(script);
        int outcome = 0;
        while (waitpid(child, &outcome, 0) < 0 && errno == EINTR) {
        }
        if (!WIFEXITED(outcome) || WEXITSTATUS(outcome) != 0) {
            report("gnuplot failed to draw \"%s\"", path);
            code = EXIT_FILE;
        }
    }
    sigaction(SIGPIPE, &before, NULL);
    if (close(picture) != 0 && code == EXIT_DONE)
        code = report_file("write", path);
    if (code == EXIT_DONE && rename(temporary, path) != 0)
        code = report_file("write", path);
    if (code != EXIT_DONE)
        unlink(temporary);
    ending_obey();
    free(temporary);
    return code;
}
