/* read("file", "key"): numbers from a table. */
#ifndef HCRI_READ_TABLE_H
#define HCRI_READ_TABLE_H

#include "text/syntax/tree.h"
#include "text/values/value.h"

/* A table of one row or one column is a vector. */
const hcri_value *hcri_read(hcri_text *text, const hcri_node *call);

#endif
