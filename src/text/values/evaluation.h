/* Trees to values. */
#ifndef HCRI_EVALUATION_H
#define HCRI_EVALUATION_H

#include "base/hash_index.h"
#include "hcr/hcr_build.h"
#include "text/syntax/tree.h"
#include "text/values/value.h"

typedef enum hcri_name_kind {
    HCRI_NAME_OUTPUT,
    HCRI_NAME_PARAMETER,
    HCRI_NAME_CONSTANT, /* of the text */
    HCRI_NAME_EXPRESSION,
    HCRI_NAME_GIVEN, /* by the caller */
    HCRI_NAME_LOOP
} hcri_name_kind;

typedef struct hcri_name {
    hcri_name_kind kind;
    const char *name;
    hcri_span span; /* where it is declared; {0, 0} for what the caller gives */
    const hcri_value *value;
    const hcri_node *labels; /* NULL, or the strings that name its rows */
    int used;
} hcri_name;

typedef struct hcri_scope {
    hcri_text *text;
    size_t count, capacity;
    hcri_name *name;     /* kept beyond the arena's rewinds */
    hcri_index declared; /* the first declared.count names; loops' names, which come and go, stand behind them */
} hcri_scope;

/* NULL when there is none. */
hcri_name *hcri_scope_find(const hcri_scope *scope, hcri_span span);
/* Declares the name that stands at `span`; refuses one that exists. */
void hcri_scope_add(hcri_scope *scope, hcri_name_kind kind, hcri_span span, const hcri_value *value);
/* The constants of the caller; before everything else. */
void hcri_scope_add_given(hcri_scope *scope, size_t count, const hcr_constant *constant);

/* Refuses [30] beside something longer: a list of another length would be refused, too. */
void hcri_refuse_list_of_one(hcri_text *text, const hcri_node *list, hcri_shape own, hcri_shape other);
const hcri_value *hcri_evaluate(hcri_scope *scope, const hcri_node *node);
/* Calls `visit` for every combination of the loops whose conditions hold; with NULL clauses once. Memory that a visit
 * takes is given back when `rewinds`. */
void hcri_each(hcri_scope *scope, const hcri_clauses *clauses, int rewinds, void (*visit)(void *context),
               void *context);

#endif
