/* The two things of JSON that printf can't write. */
#ifndef HCR_JSON_H
#define HCR_JSON_H

#include <stdio.h>

/* A quoted string; bytes beyond ASCII pass as they are. */
void json_string(FILE *stream, const char *text);
/* 17 significant digits; null for what is no finite number. */
void json_number(FILE *stream, double value);

#endif
