/* A region text to a builder: statement by statement. */
#include <string.h>

#include "base/file.h"
#include "hcr/hcr_build.h"
#include "text/compilation.h"
#include "text/syntax/parser.h"
#include "text/values/parameter_products.h"

/* What to do where a proof of convexity fails. */
#define UNPROVED "; a constraint without this proof can stand between \"star:\" and \"end\""
#define UNPROVED_IN_GROUP "; the parts of a union and what an except cuts out must be convex"

/* One round of a family: every link of the chain. */
static int lower_chain(hcri_compilation *c) {
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
    hcri_compilation *c = context;
    return hcri_lower_begin_group(&c->lowering, c->statement->span, HCR_GROUP_EXCEPT) && lower_chain(c) &&
           hcri_lower_end_group(&c->lowering, c->statement->span);
}

static int begin_constraints(hcri_compilation *c, const hcri_statement *statement) {
    c->has_constraints = 1;
    return hcri_place_statement(c, statement);
}

static int add_constraint(hcri_compilation *c, const hcri_statement *statement, int (*visit)(void *context)) {
    if (c->text.outputs == 0) {
        /* the names first: an unknown one is the likelier fault */
        const hcri_clauses *clauses = statement->clauses;
        if (clauses == NULL && hcri_evaluate(&c->scope, statement->expression->child[0]) == NULL)
            return 0;
        hcri_refuse(&c->text, statement->span, HCR_ERROR_NAME, "the outputs come first: declare them with var");
        return 0;
    }
    if (!begin_constraints(c, statement))
        return 0;
    const hcri_arena mark = c->text.arena;
    const int lowered = hcri_each(&c->scope, statement->clauses, 1, visit, c);
    hcri_arena_rewind(&c->text.arena, &mark);
    return lowered;
}

static int add_constraints(hcri_compilation *c, const hcri_statement *first) {
    for (; first != NULL; first = first->next)
        if (!add_constraint(c, first, lower_round))
            return 0;
    return 1;
}

static int add_group(hcri_compilation *c, const hcri_statement *statement) {
    const int is_union = statement->kind == HCRI_STATEMENT_UNION;
    const hcri_span span = statement->span;
    if (statement->one_line)
        return add_constraint(c, statement->inner, cut_out_round);
    if (c->text.outputs == 0)
        return add_constraints(c, is_union ? statement->inner->inner : statement->inner); /* refuses */
    if (!begin_constraints(c, statement) ||
        !hcri_lower_begin_group(&c->lowering, span, is_union ? HCR_GROUP_UNION : HCR_GROUP_EXCEPT))
        return 0;
    const hcri_statement *body = is_union ? statement->inner : statement;
    for (; body != NULL; body = is_union ? body->next : NULL)
        if (!add_constraints(c, body->inner) ||
            (is_union && body->next != NULL && !hcri_lower_next(&c->lowering, span)))
            return 0;
    return hcri_lower_end_group(&c->lowering, span);
}

static int add_star(hcri_compilation *c, const hcri_statement *statement) {
    c->text.any_curvature = 1;
    const int added = add_constraints(c, statement->inner);
    c->text.any_curvature = 0;
    return added;
}

static int allow_unbounded(hcri_compilation *c, const hcri_statement *statement) {
    hcr_error error = {0};
    return hcri_lowering_accept(&c->lowering, statement->span,
                                hcr_builder_allow_unbounded(c->lowering.builder, 1, &error), &error);
}

static int compile_statement(hcri_compilation *c, const hcri_statement *statement) {
    const int is_block = statement->kind == HCRI_STATEMENT_UNION || statement->kind == HCRI_STATEMENT_EXCEPT ||
                         statement->kind == HCRI_STATEMENT_STAR;
    if (is_block && c->text.parameters != 0) {
        hcri_refuse(&c->text, statement->span, HCR_ERROR_UNSUPPORTED,
                    "a region with parameters must be convex: it can't have union, except and star blocks");
        return 0;
    }
    switch (statement->kind) {
    case HCRI_STATEMENT_VARIABLE: return hcri_declare_output(c, statement);
    case HCRI_STATEMENT_PARAMETER: return hcri_declare_parameter(c, statement);
    case HCRI_STATEMENT_CONSTANT: return hcri_declare_constant(c, statement);
    case HCRI_STATEMENT_ORIGIN: return hcri_declare_origin(c, statement);
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

static int compile(hcri_compilation *c, size_t constants, const hcr_constant *constant) {
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
    if (c->text.outputs == 0) {
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
    const char *kind = hcri_file_kind(text, length);
    if (kind != NULL)
        return hcri_fail_at(error, HCR_ERROR_FORMAT, file == NULL ? "" : file, 0, 0,
                            "this is %s, where a region text belongs", kind);
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        length -= 3;
    } else if (length >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0)) {
        return hcri_fail_at(error, HCR_ERROR_SYNTAX, file == NULL ? "" : file, 1, 1,
                            "the text is UTF-16: save it as UTF-8");
    }
    hcr_error own_error = {0};
    hcri_compilation c = {.text = {.unproved = UNPROVED,
                                   .file = file == NULL ? "" : file,
                                   .folder = folder,
                                   .bytes = text,
                                   .size = length,
                                   .arena = {.allocator = allocator == NULL ? hcri_default_allocator : *allocator},
                                   .error = error == NULL ? &own_error : error}};
    c.scope.text = c.lowering.text = &c.text;
    c.lowering.rows.allocator = c.lowering.group_rows.allocator = c.lowering.varying.allocator =
        &c.text.arena.allocator;
    hcr_status status = hcr_builder_create(&c.text.arena.allocator, &c.lowering.builder, error);
    if (status == HCR_OK && !compile(&c, constants, constant))
        status = c.text.status;
    if (status == HCR_OK)
        *builder = c.lowering.builder;
    else
        hcr_builder_free(c.lowering.builder);
    hcri_lowering_release(&c.lowering);
    hcri_pairs_release(&c.text);
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
