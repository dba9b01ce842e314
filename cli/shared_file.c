#define _XOPEN_SOURCE 700 /* pwrite, realpath */
#define _FILE_OFFSET_BITS 64
#include "shared_file.h"

#include "command.h"
#include "ending.h"
#include "report.h"
#include "team.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int shared_file_fits(const char *path) {
    struct stat there;
    return stat(path, &there) != 0 || S_ISREG(there.st_mode);
}

/* Makes the file beside its name, with the mode of what it replaces; the one behind a symbolic link is replaced. */
static int create(struct shared_file *file, const char *path) {
    struct stat old;
    const int exists = stat(path, &old) == 0;
    file->path = exists ? realpath(path, NULL) : strdup(path);
    if (file->path == NULL)
        return exists && errno != ENOMEM ? report_file("write", path) : report_memory();
    for (unsigned attempt = 0; file->descriptor < 0 && attempt < 1000; attempt++) {
        const int length =
            snprintf(file->temporary, sizeof file->temporary, "%s.%ld-%u", file->path, (long)getpid(), attempt);
        if (length >= (int)sizeof file->temporary) {
            errno = ENAMETOOLONG;
            break;
        }
        file->descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file->descriptor < 0 && errno != EEXIST)
            break;
    }
    if (file->descriptor < 0)
        return report_file("write", path);
    if (exists)
        (void)!fchmod(file->descriptor, old.st_mode & 0777); /* on file systems without modes the default is fine */
    ending_removes(file->temporary);
    return EXIT_DONE;
}

int shared_file_open(struct shared_file *file, const char *path) {
    const hcr_team *t = team();
    *file = (struct shared_file){.descriptor = -1};
    int code = EXIT_DONE;
    if (team_is_first()) {
        ending_put_off(); /* until it is known what there is to remove */
        code = create(file, path);
        ending_obey();
    }
    code = team_agree(code);
    if (t != NULL)
        t->broadcast(t->context, 0, file->temporary, sizeof file->temporary);
    if (code == EXIT_DONE && !team_is_first()) {
        file->descriptor = open(file->temporary, O_WRONLY | O_CLOEXEC);
        if (file->descriptor < 0)
            code = report_file("write", file->temporary);
    }
    code = team_agree(code);
    return code == EXIT_DONE ? EXIT_DONE : shared_file_close(file, code);
}

int shared_file_write(const struct shared_file *file, uint64_t place, const char *bytes, size_t size) {
    while (size > 0) {
        const ssize_t written = pwrite(file->descriptor, bytes, size, (off_t)place);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return report_file("write", file->path != NULL ? file->path : file->temporary);
        bytes += written;
        place += (uint64_t)written;
        size -= (size_t)written;
    }
    return EXIT_DONE;
}

int shared_file_close(struct shared_file *file, int code) {
    const int opened = file->descriptor >= 0;
    if (opened && code == EXIT_DONE && fsync(file->descriptor) != 0)
        code = report_file("write", file->temporary);
    if (opened && close(file->descriptor) != 0 && code == EXIT_DONE)
        code = report_file("write", file->temporary);
    code = team_agree(code);
    if (team_is_first() && opened && code == EXIT_DONE && rename(file->temporary, file->path) != 0)
        code = report_file("write", file->path);
    if (team_is_first() && opened && code != EXIT_DONE)
        unlink(file->temporary);
    if (team_is_first() && opened)
        ending_removes(NULL);
    free(file->path);
    *file = (struct shared_file){.descriptor = -1};
    return team_agree(code);
}
