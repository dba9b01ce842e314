/* Region text to a tree, by the grammar in grammar.ebnf. */
#ifndef HCRI_PARSER_H
#define HCRI_PARSER_H

#include "text/syntax/tree.h"

/* The statements in order, NULL for none. */
hcri_statement *hcri_parse(hcri_text *text);

#endif
