/* A region text to a builder: statement by statement. */
#include <string.h>

#include "base/file.h"
#include "hcr/hcr_build.h"
#include "solvers/blas_threads.h"
#include "text/compilation.h"
#include "text/syntax/parser.h"
#include "text/values/subscripts.h"

/* What to do where a proof of convexity fails. */
#define UNPROVED "; a constraint without this proof can stand between \"star:\" and \"end\""
#define UNPROVED_IN_GROUP "; the parts of a union and what an except cuts out must be convex"

/* One round of a family: every link of the chain. */
static void lower_chain(void *context) {
    hcri_compilation *c = context;
    const hcri_node *chain = c->statement->expression;
    const hcri_value *left = hcri_evaluate(&c->scope, chain->child[0]);
    for (size_t i = 1; i < chain->count; i++) {
        const hcri_value *right = hcri_evaluate(&c->scope, chain->child[i]);
        hcri_refuse_list_of_one(&c->text, chain->child[i - 1], left->shape, right->shape);
        hcri_refuse_list_of_one(&c->text, chain->child[i], right->shape, left->shape);
        const hcri_span left_span = chain->child[i - 1]->span, right_span = chain->child[i]->span;
        const int is_part = chain->count > 2 && left_span.start < right_span.end; /* a range has its name in front */
        const hcri_span span = is_part ? (hcri_span){left_span.start, right_span.end} : chain->span;
        hcri_lower(&c->lowering,
                   &(hcri_operation){&c->text, span, chain->relations[i - 1], left, right, left_span, right_span});
        left = right;
    }
}

/* Of `except a <= b for …`: each round is cut out. */
static void cut_out_round(void *context) {
    hcri_compilation *c = context;
    hcri_lower_begin_group(&c->lowering, c->statement->span, HCR_GROUP_EXCEPT);
    lower_chain(c);
    hcri_lower_end_group(&c->lowering, c->statement->span);
}

static void add_constraint(hcri_compilation *c, const hcri_statement *statement, void (*visit)(void *context));

/* All outputs are known: their ranges are the first constraints. */
static void end_declarations(hcri_compilation *c) {
    const size_t ranges = c->ranges;
    if (!c->has_constraints && c->origins > 1)
        hcri_declare_origin_choice(c);
    c->has_constraints = 1;
    c->ranges = 0;
    for (size_t i = 0; i < ranges; i++)
        add_constraint(c, c->range[i], lower_chain);
}

static void begin_constraints(hcri_compilation *c, const hcri_statement *statement) {
    end_declarations(c);
    hcri_place_statement(c, statement);
}

/* The constraints of a soft statement may be violated at a price where a sample's limits contradict each other. */
static void soften(hcri_compilation *c) {
    const hcri_statement *soft = c->soft;
    const hcri_node *weight = soft->range[0], *priority = soft->range[1];
    double value = 1;
    size_t level = 1;
    if (weight != NULL) {
        const hcri_value *given = hcri_evaluate(&c->scope, weight);
        if (!hcri_value_is_constant(given) || given->shape.rank != 0 ||
            !(given->constant[0] > 0 && given->constant[0] <= HCRI_LARGEST_COEFFICIENT))
            hcri_refuse(&c->text, weight->span, HCR_ERROR_DATA, "a weight is a constant number above 0");
        value = given->constant[0];
    }
    if (priority != NULL)
        level = (size_t)hcri_whole_number(&c->text, priority->span, hcri_evaluate(&c->scope, priority), "a priority", 1,
                                          HCRI_MOST_PRIORITIES);
    hcri_set_soften_place(&c->lowering.builder->set, (unsigned char)level, value);
}

static void add_constraint(hcri_compilation *c, const hcri_statement *statement, void (*visit)(void *context)) {
    if (c->text.outputs == 0) {
        if (statement->clauses == NULL) /* the names first: an unknown one is the likelier fault */
            hcri_evaluate(&c->scope, statement->expression->child[0]);
        hcri_refuse(&c->text, statement->span, HCR_ERROR_NAME, "the outputs come first: declare them with var");
    }
    begin_constraints(c, statement);
    if (c->soft != NULL)
        soften(c);
    const hcri_arena mark = c->text.arena;
    hcri_each(&c->scope, statement->clauses, 1, visit, c);
    hcri_arena_rewind(&c->text.arena, &mark);
    if (c->soft != NULL)
        hcri_lower_end_soft(&c->lowering, statement->span);
}

static void add_constraints(hcri_compilation *c, const hcri_statement *first) {
    for (; first != NULL; first = first->next)
        add_constraint(c, first, lower_chain);
}

static void add_group(hcri_compilation *c, const hcri_statement *statement) {
    const int is_union = statement->kind == HCRI_STATEMENT_UNION;
    const hcri_span span = statement->span;
    const hcri_statement *body = is_union ? statement->inner : statement;
    if (statement->one_line) {
        add_constraint(c, statement->inner, cut_out_round);
        return;
    }
    if (c->text.outputs == 0)
        add_constraints(c, body->inner); /* refuses */
    begin_constraints(c, statement);
    hcri_lower_begin_group(&c->lowering, span, is_union ? HCR_GROUP_UNION : HCR_GROUP_EXCEPT);
    for (; body != NULL; body = is_union ? body->next : NULL) {
        add_constraints(c, body->inner);
        if (is_union && body->next != NULL)
            hcri_lower_next(&c->lowering, span);
    }
    hcri_lower_end_group(&c->lowering, span);
}

static void compile_statement(hcri_compilation *c, const hcri_statement *statement) {
    switch (statement->kind) {
    case HCRI_STATEMENT_VARIABLE:
        hcri_declare_output(c, statement);
        if (statement->inner != NULL) {
            for (size_t end = 0; end < 3; end++) /* refuses unknown names at once */
                hcri_evaluate(&c->scope, statement->inner->expression->child[end]);
            HCRI_EXTEND(&c->text, statement->name, c->range, &c->range_capacity, c->ranges + 1);
            c->range[c->ranges++] = statement->inner;
        }
        break;
    case HCRI_STATEMENT_PARAMETER: hcri_declare_parameter(c, statement); break;
    case HCRI_STATEMENT_CONSTANT: hcri_declare_constant(c, statement); break;
    case HCRI_STATEMENT_NAMED:
        end_declarations(c);
        hcri_declare_named(c, statement);
        break;
    case HCRI_STATEMENT_ORIGIN:
        if (c->origins > 1 && c->text.outputs != 0)
            end_declarations(c);
        hcri_declare_origin(c, statement);
        break;
    case HCRI_STATEMENT_UNBOUNDED: HCRI_BUILD(&c->lowering, statement->span, hcr_builder_allow_unbounded, 1); break;
    case HCRI_STATEMENT_UNION:
    case HCRI_STATEMENT_EXCEPT:
        c->text.unproved = UNPROVED_IN_GROUP;
        add_group(c, statement);
        c->text.unproved = UNPROVED;
        break;
    case HCRI_STATEMENT_STAR:
        c->text.any_curvature = 1;
        add_constraints(c, statement->inner);
        c->text.any_curvature = 0;
        break;
    case HCRI_STATEMENT_SOFT:
        c->soft = statement;
        c->lowering.is_soft = 1;
        add_constraints(c, statement->inner);
        c->lowering.is_soft = 0;
        c->soft = NULL;
        break;
    case HCRI_STATEMENT_BODY: /* inside unions only */
    case HCRI_STATEMENT_CONSTRAINT: add_constraint(c, statement, lower_chain); break;
    }
}

static hcr_status compile(hcri_compilation *c, size_t constants, const hcr_constant *constant) {
    if (setjmp(c->text.refused) != 0)
        return c->text.status;
    const hcri_statement *statement = hcri_parse(&c->text);
    hcri_scope_add_given(&c->scope, constants, constant);
    for (const hcri_statement *any = statement; any != NULL; any = any->next)
        c->origins += any->kind == HCRI_STATEMENT_ORIGIN;
    for (; statement != NULL; statement = statement->next)
        compile_statement(c, statement);
    for (size_t i = 0; i < constants; i++)
        if (!c->scope.name[i].used)
            return hcri_fail_at(c->text.error, HCR_ERROR_NAME, c->text.file, 0, 0,
                                "a value is given for \"%s\", which the region text doesn't use",
                                c->scope.name[i].name);
    if (c->text.outputs == 0)
        hcri_refuse(&c->text, (hcri_span){c->text.size, c->text.size}, HCR_ERROR_NAME,
                    "no outputs are declared: var y[3] declares three");
    end_declarations(c);
    hcri_lowering_finish(&c->lowering);
    return HCR_OK;
}

static hcr_status check_constants(size_t constants, const hcr_constant *constant, hcr_error *error) {
    for (size_t i = 0; i < constants; i++) {
        HCRI_FAIL_IF(constant == NULL || constant[i].name == NULL || constant[i].values == NULL, HCR_ERROR_ARGUMENT,
                     "constant %zu has no name or no values", i);
        HCRI_FAIL_IF(constant[i].rows == 0 && constant[i].columns != 0, HCR_ERROR_SHAPE,
                     "the value given for \"%s\" has no rows", constant[i].name);
        for (size_t k = 0; k < i; k++)
            HCRI_FAIL_IF(strcmp(constant[i].name, constant[k].name) == 0, HCR_ERROR_NAME,
                         "two values are given for \"%s\"", constant[i].name);
    }
    return HCR_OK;
}

hcr_status hcr_text_build(const char *text, size_t length, const char *file, const char *folder, size_t constants,
                          const hcr_constant *constant, const hcr_allocator *allocator, hcr_builder **builder,
                          hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL, HCR_ERROR_ARGUMENT, "builder is NULL");
    *builder = NULL;
    HCRI_FAIL_IF(text == NULL && length != 0, HCR_ERROR_ARGUMENT, "text is NULL");
    HCRI_TRY(check_constants(constants, constant, error));
    HCRI_SCOPED_BY(hcri_blas_end) hcri_blas blas = {0};
    HCRI_TRY(hcri_blas_begin(&blas, error));
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
    c.text.kept.from = &c.text.arena.allocator;
    c.lowering.rows.allocator = c.lowering.group_rows.allocator = c.lowering.varying.allocator =
        c.lowering.soft_rows.allocator = c.lowering.soft_varying.allocator = hcri_pool_allocator(&c.text.kept);
    hcr_status status = hcr_builder_create(&c.text.arena.allocator, &c.lowering.builder, error);
    if (status == HCR_OK)
        status = compile(&c, constants, constant);
    hcri_tape_release(&c.lowering.tape);
    if (status == HCR_OK)
        *builder = c.lowering.builder;
    else
        hcr_builder_free(c.lowering.builder);
    hcr_table_clear(&c.text.table);
    hcri_pool_release(&c.text.kept);
    hcri_arena_release(&c.text.arena);
    return status;
}

hcr_status hcr_text_build_file(const char *path, size_t constants, const hcr_constant *constant,
                               const hcr_allocator *allocator, hcr_builder **builder, hcr_error *error) {
    HCRI_FAIL_IF(path == NULL || builder == NULL, HCR_ERROR_ARGUMENT, "path or builder is NULL");
    *builder = NULL;
    const int is_input = strcmp(path, "-") == 0;
    const char *slash = strrchr(path, '/');
    HCRI_SCOPED char *text = NULL, *folder = NULL;
    size_t size = 0;
    HCRI_TRY(hcri_file_read(path, &hcri_default_allocator, &text, &size, error));
    if (!is_input && slash != NULL) {
        folder = hcri_copy_string(&hcri_default_allocator, path);
        HCRI_ALLOCATED(folder);
        folder[slash == path ? 1 : slash - path] = '\0';
    }
    return hcr_text_build(text, size, is_input ? "standard input" : path, folder, constants, constant, allocator,
                          builder, error);
}
