#include "gnuplot.h"

#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/processes.h"
#include "cli/report.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"

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

static hcri_memory_file text;

FILE *gnuplot_begin(void) {
    hcri_memory_file_begin(&text);
    if (text.stream == NULL)
        fail(EXIT_SOLVER, "not enough memory");
    return text.stream;
}

/* gnuplot with its script on a pipe and its picture going to a descriptor: no path of the user's is ever part of a
 * script or of a command line. */
void gnuplot_draw(FILE *script, const char *path, int width, int height) {
    hcri_writer file;
    intptr_t child = 0;
    char name[] = "gnuplot";
    (void)script;
    if (hcri_memory_file_end(&text) != 0)
        fail(EXIT_SOLVER, "not enough memory");
    output_file_open(&file, path);
    FILE *commands = process_start(name, fileno(file.stream), &child);
    if (commands == NULL)
        fail(EXIT_FILE, "can't run gnuplot, which draws the pictures: %s", strerror(errno));
    if (ends_in(path, ".png"))
        fprintf(commands, "set terminal pngcairo size %d,%d fontscale 1.6 linewidth 2 background '#ffffff'\n",
                2 * width, 2 * height);
    else
        fprintf(commands, "set terminal svg size %d,%d dynamic font 'sans-serif,14' background '#ffffff'\n", width,
                height);
    fprintf(commands, "set encoding utf8\n%s", text.bytes);
    fclose(commands);
    free(text.bytes);
    if (process_wait_for(child) != 0)
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
