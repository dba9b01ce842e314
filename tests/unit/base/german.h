/* A locale that writes 0,5 for 0.5: the system's, or one made with localedef into a folder of the test's. */
#ifndef HCR_TESTS_GERMAN_H
#define HCR_TESTS_GERMAN_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "posix_on_windows.h"

/* 1 when the process now has a decimal comma. Undone by setlocale(LC_ALL, "C"). */
static int german_locale(void) {
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
        char folder[] = "/tmp/hcr-locale-XXXXXX", command[256];
        if (mkdtemp(folder) == NULL)
            return 0;
        snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
        const int made = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0;
        const int found = made && setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
        snprintf(command, sizeof command, "rm -rf %s", folder);
        if (system(command) != 0 || !found)
            return 0;
    }
    char text[8];
    snprintf(text, sizeof text, "%.1f", 0.5);
    return strcmp(text, "0,5") == 0;
}

#endif
