#include "output_file.h"

#include "ending.h"
#include "report.h"

#include <string.h>

#include "base/system.h"

int output_file_is_whole(const char *path) {
    struct stat there;
    return strcmp(path, "-") != 0 && (hcri_stat(path, &there) != 0 || S_ISREG(there.st_mode));
}

void output_file_open(hcri_writer *file, const char *path) {
    const int is_whole = output_file_is_whole(path); /* else opening it may wait */
    if (is_whole)
        ending_put_off(); /* until it is known what there is to remove */
    const hcr_status status = hcri_writer_open(file, path, &failure);
    ending_removes(file->temporary);
    if (is_whole)
        ending_obey();
    must(status);
}

void output_file_close(hcri_writer *file) {
    must(hcri_writer_commit(file, &failure));
    ending_removes(NULL);
}
