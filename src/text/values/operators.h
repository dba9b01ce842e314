/* Arithmetic on values: + - * / ** @ and relations, with shapes that broadcast as in NumPy. */
#ifndef HCRI_OPERATORS_H
#define HCRI_OPERATORS_H

#include "text/syntax/lexer.h"
#include "text/values/value.h"

typedef struct hcri_operation { /* what an operator or a relation has on its sides */
    hcri_text *text;
    hcri_span span;
    hcri_token_kind kind;
    const hcri_value *left, *right;
    hcri_span left_span, right_span;
} hcri_operation;

/* The shape of an elementwise operation. */
hcri_shape hcri_broadcast_shape(hcri_text *text, hcri_span span, hcri_shape a, hcri_shape b);
/* The element of a value of shape `from` that element i of the broadcast shape stands for. */
size_t hcri_broadcast_element(hcri_shape from, hcri_shape to, size_t i);
const hcri_value *hcri_broadcast(hcri_text *text, hcri_span span, const hcri_value *value, hcri_shape shape);

const hcri_value *hcri_binary(const hcri_operation *operation);
const hcri_value *hcri_transpose(hcri_text *text, hcri_span span, const hcri_value *value);
/* 1 or 0: whether two numbers stand in a relation. */
int hcri_relation_holds(hcri_token_kind relation, double left, double right);

#endif
