/* The commands of `hcr`, and the exit codes that they share. */
#ifndef HCR_COMMAND_H
#define HCR_COMMAND_H

enum {
    EXIT_DONE = 0,
    EXIT_OUTSIDE = 1,      /* the work is done, and rows were outside or had bad values */
    EXIT_USAGE = 2,        /* invalid options or operands */
    EXIT_INPUT = 3,        /* bad region text, data or shapes */
    EXIT_FILE = 4,         /* a file can't be read or written */
    EXIT_SOLVER = 5,       /* a solver gave up, or memory ran out */
    EXIT_INTERRUPTED = 130 /* as shells say it: 128 + SIGINT */
};

/* Each is given the arguments after `hcr`, argv[0] being its own name, and returns an exit code. */
int command_import(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_compile(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_check(int argc, char **argv);
int command_project(int argc, char **argv);
int command_map(int argc, char **argv); /* contract, encode, decode */
int command_fit(int argc, char **argv);
int command_predict(int argc, char **argv);
int command_windows(int argc, char **argv);
int command_limits(int argc, char **argv);
int command_ranges(int argc, char **argv);
int command_export(int argc, char **argv);

#endif
