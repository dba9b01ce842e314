/* The signals that end a command, Ctrl-C, SIGTERM and SIGHUP, while it writes: nothing half written stays behind. One
 * that is ignored when the command starts, as under nohup, stays so. */
#ifndef HCR_ENDING_H
#define HCR_ENDING_H

/* From here on such a signal is only noted; one that comes two seconds later ends the process at once. Calls nest. */
void ending_put_off(void);
/* The signal noted, 0 for none. */
int ending_noted(void);
/* Signals end the process again; what was noted is returned, 0 for none, and forgotten, or, of the second, done now. */
int ending_resume(void);
void ending_obey(void);

/* The file that a signal takes away before it ends the process, until the next call; NULL: none. */
void ending_removes(const char *path);
/* Removes it now. */
void ending_clean(void);

#endif
