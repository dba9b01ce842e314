/* A region text to a builder: statement by statement. */
#include <string.h>

#include "core/file.h"
#include "hcr/hcr_build.h"
#include "language/evaluate.h"
#include "language/lower.h"
#include "language/parser.h"
#include "language/subscripts.h"

/* What to do where a proof of convexity fails. */
#define UNPROVED "; a constraint without this proof can stand between \"star:\" and \"end\""
#define UNPROVED_IN_GROUP "; the parts of a union and what an except cuts out must be convex"
/* Bytes of a source line that are kept with its constraints. */
#define LONGEST_SHOWN 200

typedef struct compilation {
    hcri_text text;
    hcri_scope scope;
    hcri_lowering lowering;
    int has_constraints, has_origin;
    const hcri_statement *statement; /* the one at work */
} compilation;

static int declare_output(compilation *c, const hcri_statement *statement) {
    double size = 1;
    if (statement->expression != NULL) {
        const hcri_value *value = hcri_evaluate(&c->scope, statement->expression);
        if (value == NULL ||
            !hcri_whole_number(&c->text, statement->expression->span, value, "the size of a vector", 1, 0x1p28, &size))
            return 0;
    }
    const size_t first = c->lowering.builder->set.n;
    const hcri_shape shape = statement->expression == NULL ? hcri_scalar_shape() : hcri_vector_shape((size_t)size);
    if (c->has_constraints) {
        hcri_refuse(&c->text, statement->name, HCR_ERROR_NAME,
                    "outputs are declared before the first constraint and the origin");
        return 0;
    }
    const hcri_value *outputs = hcri_value_outputs(&c->text, statement->name, shape, first);
    if (outputs == NULL || !hcri_scope_add(&c->scope, HCRI_NAME_OUTPUT, statement->name, outputs))
        return 0;
    hcr_error error = {0};
    return hcri_lowering_accept(&c->lowering, statement->name,
                                hcr_builder_add_variable(c->lowering.builder, c->scope.name[c->scope.count - 1].name,
                                                         (size_t)size, statement->expression == NULL, &error),
                                &error);
}

/* A value that the caller gives takes the place of the text's. */
static int declare_constant(compilation *c, const hcri_statement *statement) {
    hcri_name *known = hcri_scope_find(&c->scope, statement->name);
    if (known != NULL && known->kind == HCRI_NAME_GIVEN) {
        known->kind = HCRI_NAME_CONSTANT;
        known->span = statement->name;
        known->used = 1;
        return 1;
    }
    const hcri_value *value = hcri_evaluate(&c->scope, statement->expression);
    if (value == NULL)
        return 0;
    if (!hcri_value_is_constant(value)) {
        hcri_refuse(&c->text, statement->expression->span, HCR_ERROR_NAME,
                    "a const is fixed: this depends on the outputs");
        return 0;
    }
    return hcri_scope_add(&c->scope, HCRI_NAME_CONSTANT, statement->name, value);
}

static int set_origin(compilation *c, const hcri_statement *statement) {
    const size_t n = c->lowering.builder->set.n;
    hcr_origin origin = HCR_ORIGIN_GIVEN;
    const hcri_value *point = NULL;
    if (c->has_origin || n == 0) {
        hcri_refuse(&c->text, statement->span, HCR_ERROR_NAME,
                    n == 0 ? "the outputs come first: declare them with var"
                           : "the origin is chosen already: leave one of the two");
        return 0;
    }
    if (statement->expression == NULL) {
        origin = hcri_text_equal(&c->text, statement->name, "mean")       ? HCR_ORIGIN_MEAN
                 : hcri_text_equal(&c->text, statement->name, "analytic") ? HCR_ORIGIN_ANALYTIC
                                                                          : HCR_ORIGIN_CHEBYSHEV;
    } else {
        const hcri_span span = statement->expression->span;
        const hcri_shape shape = hcri_vector_shape(n);
        const hcri_value *value = hcri_evaluate(&c->scope, statement->expression);
        if (value == NULL)
            return 0;
        if (!hcri_value_is_constant(value) || value->shape.rank == 2 || (value->shape.rank == 1 && value->size != n)) {
            hcri_refuse(&c->text, span, HCR_ERROR_SHAPE,
                        "the origin is chebyshev, analytic, mean or a fixed point of %zu numbers, not %s%s", n,
                        hcri_shape_describe(value->shape).text,
                        hcri_value_is_constant(value) ? "" : " that depends on the outputs");
            return 0;
        }
        double *numbers = hcri_take(&c->text, span, n, sizeof *numbers);
        if (numbers == NULL)
            return 0;
        for (size_t i = 0; i < n; i++)
            numbers[i] = value->constant[value->shape.rank == 0 ? 0 : i];
        point = hcri_value_constant(&c->text, span, shape, numbers);
        if (point == NULL)
            return 0;
    }
    c->has_origin = 1;
    hcr_error error = {0};
    return hcri_lowering_accept(&c->lowering, statement->span,
                                hcr_builder_set_origin(c->lowering.builder, origin, point != NULL,
                                                       point == NULL ? NULL : point->constant, &error),
                                &error);
}

/* One round of a family: every link of the chain. */
static int lower_chain(compilation *c) {
    const hcri_node *chain = c->statement->expression;
    const hcri_value *left = hcri_evaluate(&c->scope, chain->child[0]);
    for (size_t i = 1; i < chain->count && left != NULL; i++) {
        const hcri_value *right = hcri_evaluate(&c->scope, chain->child[i]);
        const hcri_span left_span = chain->child[i - 1]->span, right_span = chain->child[i]->span;
        const hcri_span span = chain->count == 2 ? chain->span : (hcri_span){left_span.start, right_span.end};
        if (right == NULL ||
            !hcri_lower(&c->lowering, span, chain->relations[i - 1], left, left_span, right, right_span))
            return 0;
        left = right;
    }
    return left != NULL;
}

static int lower_round(void *context) { return lower_chain(context); }

/* Of `except a <= b for …`: each round is cut out. */
static int cut_out_round(void *context) {
    compilation *c = context;
    return hcri_lower_begin_group(&c->lowering, c->statement->span, HCR_GROUP_EXCEPT) && lower_chain(c) &&
           hcri_lower_end_group(&c->lowering, c->statement->span);
}

/* Constraints from here on come from the statement. */
static int set_source(compilation *c, const hcri_statement *statement) {
    int line, column;
    hcri_text_place(&c->text, statement->span.start, &line, &column);
    const hcri_span shown = hcri_text_line(&c->text, statement->span.start);
    size_t length = shown.end - shown.start;
    if (length > LONGEST_SHOWN)
        for (length = LONGEST_SHOWN; length > 0 && ((unsigned char)c->text.bytes[shown.start + length] & 0xC0) == 0x80;)
            length--;
    const hcri_arena mark = c->text.arena;
    char *copy = hcri_take(&c->text, statement->span, length + 1, 1);
    if (copy == NULL)
        return 0;
    memcpy(copy, c->text.bytes + shown.start, length);
    hcr_error error = {0};
    const int set = hcri_lowering_accept(
        &c->lowering, statement->span,
        hcr_builder_set_source(c->lowering.builder, c->text.file, line, column, copy, &error), &error);
    hcri_arena_rewind(&c->text.arena, &mark);
    c->has_constraints = 1;
    c->statement = statement;
    c->lowering.statement = statement->span;
    c->lowering.row = 0;
    return set;
}

static int add_constraint(compilation *c, const hcri_statement *statement, int (*visit)(void *context)) {
    if (c->lowering.builder->set.n == 0) {
        /* the names first: an unknown one is the likelier fault */
        const hcri_clauses *clauses = statement->clauses;
        if (clauses == NULL && hcri_evaluate(&c->scope, statement->expression->child[0]) == NULL)
            return 0;
        hcri_refuse(&c->text, statement->span, HCR_ERROR_NAME, "the outputs come first: declare them with var");
        return 0;
    }
    if (!set_source(c, statement))
        return 0;
    const hcri_arena mark = c->text.arena;
    const int lowered = hcri_each(&c->scope, statement->clauses, 1, visit, c);
    hcri_arena_rewind(&c->text.arena, &mark);
    return lowered;
}

static int add_constraints(compilation *c, const hcri_statement *first) {
    for (; first != NULL; first = first->next)
        if (!add_constraint(c, first, lower_round))
            return 0;
    return 1;
}

static int add_group(compilation *c, const hcri_statement *statement) {
    const int is_union = statement->kind == HCRI_STATEMENT_UNION;
    const hcri_span span = statement->span;
    if (statement->one_line)
        return add_constraint(c, statement->inner, cut_out_round);
    if (c->lowering.builder->set.n == 0)
        return add_constraints(c, is_union ? statement->inner->inner : statement->inner); /* refuses */
    if (!set_source(c, statement) ||
        !hcri_lower_begin_group(&c->lowering, span, is_union ? HCR_GROUP_UNION : HCR_GROUP_EXCEPT))
        return 0;
    const hcri_statement *body = is_union ? statement->inner : statement;
    for (; body != NULL; body = is_union ? body->next : NULL)
        if (!add_constraints(c, body->inner) ||
            (is_union && body->next != NULL && !hcri_lower_next(&c->lowering, span)))
            return 0;
    return hcri_lower_end_group(&c->lowering, span);
}

static int add_star(compilation *c, const hcri_statement *statement) {
    c->text.any_curvature = 1;
    const int added = add_constraints(c, statement->inner);
    c->text.any_curvature = 0;
    return added;
}

static int allow_unbounded(compilation *c, const hcri_statement *statement) {
    hcr_error error = {0};
    return hcri_lowering_accept(&c->lowering, statement->span,
                                hcr_builder_allow_unbounded(c->lowering.builder, 1, &error), &error);
}

static int compile_statement(compilation *c, const hcri_statement *statement) {
    switch (statement->kind) {
    case HCRI_STATEMENT_VARIABLE: return declare_output(c, statement);
    case HCRI_STATEMENT_CONSTANT: return declare_constant(c, statement);
    case HCRI_STATEMENT_ORIGIN: return set_origin(c, statement);
    case HCRI_STATEMENT_UNBOUNDED: return allow_unbounded(c, statement);
    case HCRI_STATEMENT_UNION:
    case HCRI_STATEMENT_EXCEPT:
        c->text.unproved = UNPROVED_IN_GROUP;
        if (!add_group(c, statement))
            return 0;
        c->text.unproved = UNPROVED;
        return 1;
    case HCRI_STATEMENT_STAR: return add_star(c, statement);
    case HCRI_STATEMENT_BODY: /* inside unions only */
    case HCRI_STATEMENT_CONSTRAINT: break;
    }
    return add_constraint(c, statement, lower_round);
}

static int compile(compilation *c, size_t constants, const hcr_constant *constant) {
    hcri_statement *statement;
    if (!hcri_parse(&c->text, &statement) || !hcri_scope_add_given(&c->scope, constants, constant))
        return 0;
    for (; statement != NULL; statement = statement->next)
        if (!compile_statement(c, statement))
            return 0;
    for (size_t i = 0; i < constants; i++)
        if (!c->scope.name[i].used) {
            c->text.status =
                hcri_fail_at(c->text.error, HCR_ERROR_NAME, c->text.file, 0, 0,
                             "a value is given for \"%s\", which the region text doesn't use", c->scope.name[i].name);
            return 0;
        }
    if (c->lowering.builder->set.n == 0) {
        const hcri_span end = {c->text.size, c->text.size};
        hcri_refuse(&c->text, end, HCR_ERROR_NAME, "no outputs are declared: var y[3] declares three");
        return 0;
    }
    return hcri_lowering_finish(&c->lowering);
}

static hcr_status check_constants(size_t constants, const hcr_constant *constant, hcr_error *error) {
    for (size_t i = 0; i < constants; i++) {
        if (constant == NULL || constant[i].name == NULL || constant[i].values == NULL)
            return hcri_fail(error, HCR_ERROR_ARGUMENT, "constant %zu has no name or no values", i);
        if (constant[i].rows == 0 && constant[i].columns != 0)
            return hcri_fail(error, HCR_ERROR_SHAPE, "the value given for \"%s\" has no rows", constant[i].name);
        for (size_t k = 0; k < i; k++)
            if (strcmp(constant[i].name, constant[k].name) == 0)
                return hcri_fail(error, HCR_ERROR_NAME, "two values are given for \"%s\"", constant[i].name);
    }
    return HCR_OK;
}

hcr_status hcr_text_build(const char *text, size_t length, const char *file, const char *folder, size_t constants,
                          const hcr_constant *constant, const hcr_allocator *allocator, hcr_builder **builder,
                          hcr_error *error) {
    if (builder == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "builder is NULL");
    *builder = NULL;
    if (text == NULL && length != 0)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "text is NULL");
    HCRI_TRY(check_constants(constants, constant, error));
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        length -= 3;
    } else if (length >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0)) {
        return hcri_fail_at(error, HCR_ERROR_SYNTAX, file == NULL ? "" : file, 1, 1,
                            "the text is UTF-16: save it as UTF-8");
    }
    hcr_error own_error = {0};
    compilation c = {.text = {.unproved = UNPROVED,
                              .file = file == NULL ? "" : file,
                              .folder = folder,
                              .bytes = text,
                              .size = length,
                              .arena = {.allocator = allocator == NULL ? hcri_default_allocator : *allocator},
                              .error = error == NULL ? &own_error : error}};
    c.scope.text = c.lowering.text = &c.text;
    c.lowering.rows.allocator = c.lowering.group_rows.allocator = &c.text.arena.allocator;
    hcr_status status = hcr_builder_create(&c.text.arena.allocator, &c.lowering.builder, error);
    if (status == HCR_OK && !compile(&c, constants, constant))
        status = c.text.status;
    if (status == HCR_OK)
        *builder = c.lowering.builder;
    else
        hcr_builder_free(c.lowering.builder);
    hcri_lowering_release(&c.lowering);
    hcri_scope_release(&c.scope);
    hcri_arena_release(&c.text.arena);
    return status;
}

hcr_status hcr_text_build_file(const char *path, size_t constants, const hcr_constant *constant,
                               const hcr_allocator *allocator, hcr_builder **builder, hcr_error *error) {
    if (path == NULL || builder == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "path or builder is NULL");
    *builder = NULL;
    const hcr_allocator *own = allocator == NULL ? &hcri_default_allocator : allocator;
    const int is_input = strcmp(path, "-") == 0;
    const char *slash = strrchr(path, '/');
    char *text = NULL, *folder = NULL;
    size_t size = 0;
    hcr_status status = hcri_file_read(path, own, &text, &size, error);
    if (status == HCR_OK && !is_input && slash != NULL) {
        folder = hcri_copy_string(own, path);
        if (folder == NULL)
            status = hcri_fail_memory(error);
        else
            folder[slash == path ? 1 : slash - path] = '\0';
    }
    if (status == HCR_OK)
        status = hcr_text_build(text, size, is_input ? "standard input" : path, folder, constants, constant, allocator,
                                builder, error);
    hcri_release(own, folder);
    hcri_release(own, text);
    return status;
}
