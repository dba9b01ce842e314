#include "text/values/evaluation.h"

#include <math.h>
#include <string.h>

#include "formats/column_names.h"
#include "text/values/functions.h"
#include "text/values/operators.h"
#include "text/values/read_table.h"
#include "text/values/subscripts.h"

/* --------------------------------------------------------------------------------------------------------- names */

hcri_name *hcri_scope_find(const hcri_scope *scope, hcri_span span) {
    for (size_t i = scope->declared.count; i < scope->count; i++)
        if (hcri_text_equal(scope->text, span, scope->name[i].name))
            return &scope->name[i];
    const size_t i = hcri_index_find(&scope->declared, scope->text->bytes + span.start, span.end - span.start);
    return i == SIZE_MAX ? NULL : &scope->name[i];
}

static void append_name(hcri_scope *scope, const hcri_name *name) {
    hcri_text *text = scope->text;
    HCRI_EXTEND(text, name->span, scope->name, &scope->capacity, scope->count + 1);
    if (name->kind != HCRI_NAME_LOOP &&
        !hcri_index_add(&scope->declared, &text->kept.own, name->name, strlen(name->name), scope->count))
        hcri_refuse_memory(text, name->span);
    scope->name[scope->count++] = *name;
}

void hcri_scope_add(hcri_scope *scope, hcri_name_kind kind, hcri_span span, const hcri_value *value) {
    const hcri_name *known = hcri_scope_find(scope, span);
    if (known != NULL && known->kind == HCRI_NAME_GIVEN)
        hcri_refuse(scope->text, span, HCR_ERROR_NAME, "a value is given for \"%s\", which %s", known->name,
                    kind == HCRI_NAME_PARAMETER ? "is a parameter: its values come with the samples"
                                                : "isn't a constant");
    if (known != NULL) {
        int line, column;
        hcri_text_place(scope->text, known->span.start, &line, &column);
        hcri_refuse(scope->text, span, HCR_ERROR_NAME, "\"%s\" is declared already, in line %d", known->name, line);
    }
    char *name = hcri_take(scope->text, span, span.end - span.start + 1, 1);
    memcpy(name, scope->text->bytes + span.start, span.end - span.start);
    append_name(scope, &(hcri_name){.kind = kind, .name = name, .span = span, .value = value});
}

void hcri_scope_add_given(hcri_scope *scope, size_t count, const hcr_constant *constant) {
    const hcri_span nowhere = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const hcr_constant *given = &constant[i];
        const hcri_shape shape = given->rows == 0      ? hcri_scalar_shape()
                                 : given->columns == 0 ? hcri_vector_shape(given->rows)
                                                       : hcri_matrix_shape(given->rows, given->columns);
        if (shape.dim[1] != 0 && shape.dim[0] > HCRI_TEXT_MEMORY / sizeof(double) / shape.dim[1])
            hcri_refuse_as(scope->text, hcri_fail(scope->text->error, HCR_ERROR_SHAPE,
                                                  "the value given for \"%s\", %zu × %zu, is too large", given->name,
                                                  shape.dim[0], shape.dim[1]));
        for (size_t k = 0; k < shape.dim[0] * shape.dim[1]; k++)
            if (isnan(given->values[k]))
                hcri_refuse_as(scope->text,
                               hcri_fail(scope->text->error, HCR_ERROR_DATA,
                                         "element %zu of the value given for \"%s\" is NaN", k, given->name));
        const hcri_name name = {.kind = HCRI_NAME_GIVEN,
                                .name = given->name,
                                .value = hcri_value_constant(scope->text, nowhere, shape, given->values)};
        append_name(scope, &name);
    }
}

static const hcri_value *evaluate_name(hcri_scope *scope, const hcri_node *node) {
    hcri_name *known = hcri_scope_find(scope, node->span);
    if (known != NULL) {
        known->used = 1;
        return known->value;
    }
    const hcri_excerpt shown = hcri_text_excerpt(scope->text, node->span);
    if (hcri_function_find(scope->text, node->span) != NULL)
        hcri_refuse(scope->text, node->span, HCR_ERROR_NAME, "%s is a function: write %s(…)", shown.text, shown.text);
    const char **names = hcri_take(scope->text, node->span, scope->count, sizeof *names);
    for (size_t i = 0; i < scope->count; i++)
        names[i] = scope->name[i].name;
    hcri_refuse(scope->text, node->span, HCR_ERROR_NAME, "unknown name \"%s\"%s", shown.text,
                scope->count == 0 ? ": declare outputs with var, fixed values with const"
                                  : hcri_text_nearest(scope->text, node->span, scope->count, names).text);
}

/* ------------------------------------------------------------------------------------------------------- notations */

/* Values of all children. */
static const hcri_value *const *evaluate_children(hcri_scope *scope, const hcri_node *node) {
    const hcri_value **value = hcri_take(scope->text, node->span, node->count, sizeof *value);
    for (size_t i = 0; i < node->count; i++)
        value[i] = hcri_evaluate(scope, node->child[i]);
    return value;
}

typedef struct collection { /* the elements of a comprehension */
    hcri_scope *scope;
    const hcri_node *element;
    size_t count, capacity;
    const hcri_value **value;
} collection;

static void collect(void *context) {
    collection *c = context;
    c->value = hcri_take_larger(c->scope->text, c->element->span, c->value, &c->capacity, c->count, sizeof *c->value);
    c->value[c->count++] = hcri_evaluate(c->scope, c->element);
}

static const hcri_value *evaluate_comprehension(hcri_scope *scope, const hcri_node *node) {
    collection c = {.scope = scope, .element = node->child[0]};
    hcri_each(scope, node->clauses, 0, collect, &c);
    if (c.count == 0)
        return hcri_value_constant(scope->text, node->span, hcri_vector_shape(0), NULL);
    return hcri_value_stack(scope->text, node->span, c.count, c.value);
}

static const hcri_value *evaluate_call(hcri_scope *scope, const hcri_node *node) {
    if (node->function == NULL)
        return hcri_read(scope->text, node);
    const hcri_value *const *argument = evaluate_children(scope, node);
    for (size_t i = 0; i < node->count; i++)
        if (argument[i]->size == 0 && strcmp(node->function->name, "sum") != 0 &&
            strcmp(node->function->name, "len") != 0)
            hcri_refuse(scope->text, node->child[i]->span, HCR_ERROR_SHAPE, "%s() of nothing: this is empty",
                        node->function->name);
    hcri_span *spans = hcri_take(scope->text, node->span, node->count, sizeof *spans);
    for (size_t i = 0; i < node->count; i++)
        spans[i] = node->child[i]->span;
    const hcri_call call = {.text = scope->text,
                            .node = node,
                            .count = node->count,
                            .argument = argument,
                            .source = {scope->text, node->span, node->function->name, 1, spans}};
    return node->function->apply(&call);
}

/* load["north"]: the row of that name. */
static hcri_subscript find_row(hcri_scope *scope, const hcri_node *of, const hcri_node *string, size_t dimension) {
    hcri_text *text = scope->text;
    const hcri_name *name = of->kind == HCRI_NODE_NAME ? hcri_scope_find(scope, of->span) : NULL;
    const hcri_node *labels = name == NULL ? NULL : name->labels;
    if (labels == NULL || dimension != 0)
        hcri_refuse(text, string->span, HCR_ERROR_NAME, "%s have no names here: an index is a number",
                    dimension == 0 ? "rows" : "columns");
    const char *wanted = hcri_text_unquote(text, string->span);
    const char **known = hcri_take(text, string->span, labels->count, sizeof *known);
    size_t *position = hcri_take(text, string->span, 1, sizeof *position);
    for (size_t i = 0; i < labels->count; i++) {
        known[i] = hcri_text_unquote(text, labels->child[i]->span);
        *position = i;
        if (strcmp(known[i], wanted) == 0)
            return (hcri_subscript){.count = 1, .position = position};
    }
    hcri_refuse(text, string->span, HCR_ERROR_NAME, "%s has no row %s: the nearest is \"%s\"", name->name,
                hcri_text_excerpt(text, string->span).text,
                known[hcri_name_nearest(wanted, labels->count, (char *const *)known)]);
}

static const hcri_value *evaluate_index(hcri_scope *scope, const hcri_node *node) {
    const hcri_value *value = hcri_evaluate(scope, node->child[0]);
    const size_t count = node->count - 1;
    if (count > (size_t)value->shape.rank)
        hcri_refuse(scope->text, node->span, HCR_ERROR_SHAPE, "%zu ind%s for %s", count, count == 1 ? "ex" : "ices",
                    hcri_shape_describe(value->shape).text);
    hcri_subscript subscript[2];
    for (size_t s = 0; s < count; s++) {
        const hcri_node *child = node->child[s + 1];
        const hcri_value *part[3];
        if (child->kind == HCRI_NODE_STRING) {
            subscript[s] = find_row(scope, node->child[0], child, s);
            continue;
        }
        if (child->kind != HCRI_NODE_SLICE) {
            subscript[s] =
                hcri_subscript_indices(scope->text, child->span, hcri_evaluate(scope, child), value->shape.dim[s]);
            continue;
        }
        for (size_t k = 0; k < 3; k++)
            part[k] = child->child[k] == NULL ? NULL : hcri_evaluate(scope, child->child[k]);
        subscript[s] = hcri_subscript_slice(scope->text, child->span, part, value->shape.dim[s]);
    }
    return hcri_subscripted(scope->text, node->span, value, count, subscript);
}

/* [30] * 24: a list of one number beside a number that isn't one. */
static int repeats(const hcri_node *list, const hcri_value *number) {
    return list->kind == HCRI_NODE_LIST && list->count == 1 && hcri_value_is_constant(number) &&
           number->shape.rank == 0 && number->constant[0] != 1;
}

void hcri_refuse_list_of_one(hcri_text *text, const hcri_node *list, hcri_shape own, hcri_shape other) {
    if (list->kind == HCRI_NODE_LIST && list->count == 1 && own.rank == 1 && own.dim[0] == 1 &&
        other.dim[0] * other.dim[1] > 1)
        hcri_refuse(text, list->span, HCR_ERROR_SHAPE,
                    "a list of one number beside %s: write %s for one number that counts for all",
                    hcri_shape_describe(other).text, hcri_text_excerpt(text, list->child[0]->span).text);
}

static const hcri_value *evaluate_binary(hcri_scope *scope, const hcri_node *node) {
    const hcri_value *left = hcri_evaluate(scope, node->child[0]);
    const hcri_value *right = hcri_evaluate(scope, node->child[1]);
    if (node->operator== HCRI_TOKEN_TIMES &&(repeats(node->child[0], right) || repeats(node->child[1], left)))
        hcri_refuse(
            scope->text, node->span, HCR_ERROR_SHAPE,
            "in Python this repeats the list, here it multiplies its one number: write repeat(%s, n) for a "
            "vector of n, or the product",
            hcri_text_excerpt(scope->text, node->child[node->child[0]->kind != HCRI_NODE_LIST]->child[0]->span).text);
    hcri_refuse_list_of_one(scope->text, node->child[0], left->shape, right->shape);
    hcri_refuse_list_of_one(scope->text, node->child[1], right->shape, left->shape);
    return hcri_binary(&(hcri_operation){scope->text, node->span, node->operator, left, right, node->child[0]->span,
                                         node->child[1]->span});
}

/* ------------------------------------------------------------------------------------------------------ conditions */

/* A single constant number: 0 is false. */
static double evaluate_number(hcri_scope *scope, const hcri_node *node) {
    const hcri_value *value = hcri_evaluate(scope, node);
    if (value->size != 1 || !hcri_value_is_constant(value))
        hcri_refuse(scope->text, node->span, HCR_ERROR_SHAPE, "a condition compares constant numbers: this is %s%s",
                    hcri_shape_describe(value->shape).text, hcri_value_dependence(scope->text, value));
    return value->constant[0];
}

static const hcri_value *evaluate_condition(hcri_scope *scope, const hcri_node *node) {
    double left = evaluate_number(scope, node->child[0]);
    int holds = 1;
    switch (node->kind) {
    case HCRI_NODE_NOT: holds = left == 0; break;
    case HCRI_NODE_COMPARISON:
        for (size_t i = 1; i < node->count && holds; i++) {
            const double right = evaluate_number(scope, node->child[i]);
            holds = hcri_relation_holds(node->relations[i - 1], left, right);
            left = right;
        }
        break;
    default: /* the second part counts only where the first doesn't decide */
        holds = left != 0;
        if (holds == (node->kind == HCRI_NODE_AND))
            holds = evaluate_number(scope, node->child[1]) != 0;
    }
    return hcri_value_scalar(scope->text, node->span, holds);
}

const hcri_value *hcri_evaluate(hcri_scope *scope, const hcri_node *node) {
    hcri_text *text = scope->text;
    switch (node->kind) {
    case HCRI_NODE_NUMBER: return hcri_value_scalar(text, node->span, node->number);
    case HCRI_NODE_NAME: return evaluate_name(scope, node);
    case HCRI_NODE_LIST: return hcri_value_stack(text, node->span, node->count, evaluate_children(scope, node));
    case HCRI_NODE_COMPREHENSION: return evaluate_comprehension(scope, node);
    case HCRI_NODE_CALL: return evaluate_call(scope, node);
    case HCRI_NODE_INDEX: return evaluate_index(scope, node);
    case HCRI_NODE_TRANSPOSE: return hcri_transpose(text, node->span, hcri_evaluate(scope, node->child[0]));
    case HCRI_NODE_SIGN: {
        const hcri_value *value = hcri_evaluate(scope, node->child[0]);
        return node->operator== HCRI_TOKEN_PLUS ? value : hcri_value_scale(text, node->span, value, -1);
    }
    case HCRI_NODE_BINARY: return evaluate_binary(scope, node);
    case HCRI_NODE_COMPARISON:
    case HCRI_NODE_AND:
    case HCRI_NODE_OR:
    case HCRI_NODE_NOT: return evaluate_condition(scope, node);
    case HCRI_NODE_STRING: /* the parser keeps these two inside calls and subscripts */
    case HCRI_NODE_SLICE: break;
    }
    hcri_refuse(scope->text, node->span, HCR_ERROR_SYNTAX, "this is no value");
}

/* ----------------------------------------------------------------------------------------------------------- loops */

static void loop(hcri_scope *scope, const hcri_clauses *clause, int rewinds, void (*visit)(void *context),
                 void *context) {
    const hcri_value *values = hcri_evaluate(scope, clause->expression);
    if (!hcri_value_is_constant(values) || values->shape.rank != 1)
        hcri_refuse(scope->text, clause->expression->span, HCR_ERROR_SHAPE,
                    "a loop runs over a constant vector, such as range(10), not over %s%s",
                    hcri_shape_describe(values->shape).text, hcri_value_dependence(scope->text, values));
    hcri_scope_add(scope, HCRI_NAME_LOOP, clause->name, NULL);
    const size_t own = scope->count - 1;
    for (size_t i = 0; i < values->size; i++) {
        const hcri_arena mark = scope->text->arena;
        scope->name[own].value = hcri_value_scalar(scope->text, clause->name, values->constant[i]);
        hcri_each(scope, clause->next, rewinds, visit, context);
        if (rewinds)
            hcri_arena_rewind(&scope->text->arena, &mark);
    }
    scope->count = own;
}

void hcri_each(hcri_scope *scope, const hcri_clauses *clauses, int rewinds, void (*visit)(void *context),
               void *context) {
    while (clauses != NULL && !clauses->is_loop && evaluate_number(scope, clauses->expression) != 0)
        clauses = clauses->next;
    if (clauses == NULL)
        visit(context);
    else if (clauses->is_loop)
        loop(scope, clauses, rewinds, visit, context);
}
