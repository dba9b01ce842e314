/* Text of any length, written as into a file. */
#ifndef HCR_SCRIPT_H
#define HCR_SCRIPT_H

#include <stdio.h>

struct script {
    FILE *stream;
    char *text;
    size_t size;
};
void script_begin(struct script *script);
/* The text, allocated. */
char *script_end(struct script *script);

#endif
