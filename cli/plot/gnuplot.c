#define _GNU_SOURCE /* environ */
#include "gnuplot.h"

#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/report.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends_in(const char *path, const char *extension) {
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcmp(dot, extension) == 0;
}

int gnuplot_can_write(const char *path) { return ends_in(path, ".svg") || ends_in(path, ".png"); }

/* In double quotes, all that could have a meaning there as its octal number: quotes, backslashes, the marks of commands
 * and macros. */
void gnuplot_text(FILE *script, const char *text) {
    fputc('"', script);
    for (const char *c = text; *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte < ' ' || byte == 0x7f)
            fputc('?', script);
        else if (isalnum(byte) || byte >= 0x80 || strchr(" .,:;=_-+/()[]<>", byte) != NULL)
            fputc(byte, script);
        else
            fprintf(script, "\\%03o", byte);
    }
    fputc('"', script);
}

/* gnuplot with its script on a pipe and its picture going to `picture`: no path of the user's is ever part of a script
 * or of a command line. */
static FILE *start(int picture, pid_t *child) {
    int ends[2];
    if (pipe(ends) != 0)
        fail_file("open", "a pipe");
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
    setenv("LC_ALL", "C.UTF-8", 1); /* points as decimal signs, and UTF-8, without which gnuplot warns */
    char name[] = "gnuplot", *arguments[] = {name, NULL};
    const int failed = posix_spawnp(child, name, &actions, &apart, arguments, environ);
    posix_spawnattr_destroy(&apart);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    FILE *script = failed ? NULL : fdopen(ends[1], "w");
    if (script == NULL)
        fail(EXIT_FILE, "can't run gnuplot, which draws the pictures: %s", strerror(failed ? failed : errno));
    return script;
}

static char *script_text;
static size_t script_size;

FILE *gnuplot_begin(void) {
    FILE *script = open_memstream(&script_text, &script_size);
    if (script == NULL)
        fail(EXIT_SOLVER, "not enough memory");
    return script;
}

void gnuplot_draw(FILE *script, const char *path, int width, int height) {
    hcri_writer file;
    pid_t child = 0;
    int outcome = 0;
    if (fclose(script) != 0)
        fail(EXIT_SOLVER, "not enough memory");
    output_file_open(&file, path);
    signal(SIGPIPE, SIG_IGN); /* a gnuplot that dies early is noticed by its exit status */
    FILE *commands = start(fileno(file.stream), &child);
    if (ends_in(path, ".png"))
        fprintf(commands, "set terminal pngcairo size %d,%d fontscale 1.6 linewidth 2 background '#ffffff'\n",
                2 * width, 2 * height);
    else
        fprintf(commands, "set terminal svg size %d,%d dynamic font 'sans-serif,14' background '#ffffff'\n", width,
                height);
    fprintf(commands, "set encoding utf8\n%s", script_text);
    fclose(commands);
    free(script_text);
    while (waitpid(child, &outcome, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(outcome) || WEXITSTATUS(outcome) != 0)
        fail(EXIT_FILE, "gnuplot failed to draw \"%s\"", path);
    output_file_close(&file);
}

static void write_lines(FILE *script, const struct plot *plot) {
    fputs("set border 3\nset tics nomirror\nset grid linecolor '#dddddd'\nset key outside top center horizontal "
          "noenhanced\nset xlabel ",
          script);
    gnuplot_text(script, plot->x_label);
    fputs(" noenhanced\nset ylabel ", script);
    gnuplot_text(script, plot->y_label);
    fprintf(script, " noenhanced\n%s", plot->logarithmic ? "set logscale y\n" : "");
    for (size_t i = 0; i < plot->lines; i++) {
        const struct plot_line *line = &plot->line[i];
        fprintf(script, "$line%zu << END\n", i);
        for (size_t k = 0; k < line->count; k++)
            if (isfinite(line->y[k]))
                fprintf(script, "%.17g %.17g\n", line->first + (double)k, line->y[k]);
        fputs("END\n", script);
    }
    for (size_t i = 0; i < plot->lines; i++) {
        fprintf(script, "%s$line%zu using 1:2 with %s %s", i == 0 ? "plot " : ", ", i, plot->line[i].style,
                plot->line[i].title == NULL ? "notitle" : "title ");
        if (plot->line[i].title != NULL)
            gnuplot_text(script, plot->line[i].title);
    }
    fputs("\n", script);
}

void plot_draw(const char *path, const struct plot *plot) {
    FILE *script = gnuplot_begin();
    write_lines(script, plot);
    gnuplot_draw(script, path, 800, 500);
}
