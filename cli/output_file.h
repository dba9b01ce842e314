/* Files that appear whole, and none half written where a signal ends the command. */
#ifndef HCR_OUTPUT_FILE_H
#define HCR_OUTPUT_FILE_H

#include "base/file.h"

/* Whether `path` ("-": standard output) is, or will be, a file on a disk: others take the bytes as they come. */
int output_file_is_whole(const char *path);
void output_file_open(hcri_writer *file, const char *path);
void output_file_close(hcri_writer *file);

#endif
