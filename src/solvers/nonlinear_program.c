#define _POSIX_C_SOURCE 200809L
#include "solvers/nonlinear_program.h"
#include "solvers/stop_request.h"

#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include <IpStdCInterface.h>

static const hcr_allocator *const memory = &hcri_default_allocator;

/* MUMPS, which IPOPT calls to solve and to end, has state of its own: one thread at a time. */
static pthread_mutex_t inside_ipopt = PTHREAD_MUTEX_INITIALIZER;

/* g(centre + scale z)/weight = constant + gradient·z + ½ z'(factor P) z. A FACTOR quadratic gets columns of its own,
 * t = √factor F z, so that ½ z'(factor P) z = ½ t't and nothing dense comes up. */
typedef struct quadratic_part {
    const hcri_quadratic *quadratic;
    double constant, factor;
    double *gradient;
    size_t first; /* of its t */
} quadratic_part;

struct hcri_nlp {
    hcri_pool memory; /* of all that it has */
    hcri_nlp_parts parts;
    size_t n, columns, all_columns; /* outputs, the program's columns, those and the t */
    size_t factor_rows;             /* the rows that tie t to z */
    size_t quadratics, dense;       /* how many there are, how many are DENSE */
    quadratic_part *quadratic;
    double *square, *target, *linear, *logarithm;
    double *x, *multiplier, *product;
    IpoptProblem problem;
};

static size_t program_rows(const hcri_nlp *nlp) { return nlp->parts.program->rows.count; }

static int eval_f(Index count, Number *x, Bool new_x, Number *value, UserDataPtr data) {
    (void)count;
    (void)new_x;
    const hcri_nlp *nlp = data;
    double sum = 0;
    for (size_t j = 0; j < nlp->columns; j++) {
        const double away = x[j] - nlp->target[j];
        sum += 0.5 * nlp->square[j] * away * away + nlp->linear[j] * x[j];
        if (nlp->logarithm[j] != 0)
            sum -= nlp->logarithm[j] * log(x[j]);
    }
    *value = sum;
    return isfinite(sum) ? TRUE : FALSE;
}

static int eval_grad_f(Index count, Number *x, Bool new_x, Number *gradient, UserDataPtr data) {
    (void)new_x;
    const hcri_nlp *nlp = data;
    for (size_t j = 0; j < (size_t)count; j++)
        gradient[j] = 0;
    for (size_t j = 0; j < nlp->columns; j++) {
        gradient[j] = nlp->square[j] * (x[j] - nlp->target[j]) + nlp->linear[j];
        if (nlp->logarithm[j] != 0)
            gradient[j] -= nlp->logarithm[j] / x[j];
    }
    return TRUE;
}

/* product = factor P z, for a quadratic without t. */
static void curvature_product(const hcri_nlp *nlp, const quadratic_part *part, const double *z, double *product) {
    const size_t n = nlp->n;
    const double *matrix = part->quadratic->matrix;
    if (part->quadratic->form == HCRI_DIAGONAL)
        for (size_t j = 0; j < n; j++)
            product[j] = part->factor * matrix[j] * z[j];
    else
        cblas_dsymv(CblasRowMajor, CblasLower, (int)n, part->factor, matrix, (int)n, z, 1, 0, product, 1);
}

static int eval_g(Index count, Number *x, Bool new_x, Index rows, Number *g, UserDataPtr data) {
    (void)count;
    (void)new_x;
    (void)rows;
    hcri_nlp *nlp = data;
    const hcri_rows *linear = &nlp->parts.program->rows;
    for (size_t i = 0; i < linear->count; i++)
        *g++ = hcri_rows_dot(linear, i, x, NULL);
    for (size_t q = 0; q < nlp->quadratics; q++) {
        const quadratic_part *part = &nlp->quadratic[q];
        if (part->quadratic->form != HCRI_FACTOR)
            continue;
        const double root = sqrt(part->factor);
        for (size_t k = 0; k < part->quadratic->factor.count; k++)
            *g++ = root * hcri_rows_dot(&part->quadratic->factor, k, x, NULL) - x[part->first + k];
    }
    for (size_t q = 0; q < nlp->quadratics; q++) {
        const quadratic_part *part = &nlp->quadratic[q];
        double value = part->constant;
        for (size_t j = 0; j < nlp->n; j++)
            value += part->gradient[j] * x[j];
        if (part->quadratic->form == HCRI_FACTOR) {
            for (size_t k = 0; k < part->quadratic->factor.count; k++)
                value += 0.5 * x[part->first + k] * x[part->first + k];
        } else {
            curvature_product(nlp, part, x, nlp->product);
            for (size_t j = 0; j < nlp->n; j++)
                value += 0.5 * nlp->product[j] * x[j];
        }
        if (nlp->parts.slack != SIZE_MAX)
            value += x[nlp->parts.slack + q * nlp->parts.stride];
        *g++ = value;
    }
    return TRUE;
}

/* Where entries of a triplet matrix go: places in the first call, values later. */
typedef struct triplets {
    Index *row, *column;
    Number *value;
    size_t count;
} triplets;

static void put(triplets *out, size_t row, size_t column, double value) {
    if (out->value != NULL) {
        out->value[out->count] = value;
    } else if (out->row != NULL) {
        out->row[out->count] = (Index)row;
        out->column[out->count] = (Index)column;
    }
    out->count++;
}

static void put_jacobian(hcri_nlp *nlp, const double *x, triplets *out) {
    const hcri_rows *linear = &nlp->parts.program->rows;
    size_t row = 0;
    for (; row < linear->count; row++)
        for (size_t k = linear->start[row]; k < linear->start[row + 1]; k++)
            put(out, row, linear->columns[k], linear->values[k]);
    for (size_t q = 0; q < nlp->quadratics; q++) {
        const quadratic_part *part = &nlp->quadratic[q];
        const hcri_rows *factor = &part->quadratic->factor;
        if (part->quadratic->form != HCRI_FACTOR)
            continue;
        const double root = sqrt(part->factor);
        for (size_t i = 0; i < factor->count; i++, row++) {
            for (size_t k = factor->start[i]; k < factor->start[i + 1]; k++)
                put(out, row, factor->columns[k], root * factor->values[k]);
            put(out, row, part->first + i, -1);
        }
    }
    for (size_t q = 0; q < nlp->quadratics; q++, row++) {
        const quadratic_part *part = &nlp->quadratic[q];
        const int factored = part->quadratic->form == HCRI_FACTOR;
        if (!factored && x != NULL)
            curvature_product(nlp, part, x, nlp->product);
        for (size_t j = 0; j < nlp->n; j++)
            if (!factored)
                put(out, row, j, part->gradient[j] + (x == NULL ? 0 : nlp->product[j]));
            else if (part->gradient[j] != 0)
                put(out, row, j, part->gradient[j]);
        for (size_t k = 0; factored && k < part->quadratic->factor.count; k++)
            put(out, row, part->first + k, x == NULL ? 0 : x[part->first + k]);
        if (nlp->parts.slack != SIZE_MAX)
            put(out, row, nlp->parts.slack + q * nlp->parts.stride, 1);
    }
}

static int eval_jac_g(Index count, Number *x, Bool new_x, Index rows, Index entries, Index *row, Index *column,
                      Number *values, UserDataPtr data) {
    (void)count;
    (void)new_x;
    (void)rows;
    (void)entries;
    triplets out = {row, column, values, 0};
    put_jacobian(data, values == NULL ? NULL : x, &out);
    return TRUE;
}

/* The diagonal of all columns, then, when a quadratic is dense, what is left of it in the first n. */
static size_t hessian_entries(const hcri_nlp *nlp) {
    return nlp->all_columns + (nlp->dense == 0 ? 0 : nlp->n * (nlp->n - 1) / 2);
}

static int eval_h(Index count, Number *x, Bool new_x, Number objective_factor, Index rows, Number *multiplier,
                  Bool new_multiplier, Index entries, Index *row, Index *column, Number *values, UserDataPtr data) {
    (void)count;
    (void)new_x;
    (void)rows;
    (void)new_multiplier;
    const hcri_nlp *nlp = data;
    if (values == NULL) {
        triplets out = {row, column, NULL, 0};
        for (size_t j = 0; j < nlp->all_columns; j++)
            put(&out, j, j, 0);
        for (size_t i = 0; nlp->dense != 0 && i < nlp->n; i++)
            for (size_t j = 0; j < i; j++)
                put(&out, i, j, 0);
        return TRUE;
    }
    memset(values, 0, (size_t)entries * sizeof *values);
    for (size_t j = 0; j < nlp->columns; j++) {
        values[j] = objective_factor * nlp->square[j];
        if (nlp->logarithm[j] != 0)
            values[j] += objective_factor * nlp->logarithm[j] / (x[j] * x[j]);
    }
    for (size_t q = 0; q < nlp->quadratics; q++) {
        const quadratic_part *part = &nlp->quadratic[q];
        const double *matrix = part->quadratic->matrix;
        const double weight = multiplier[program_rows(nlp) + nlp->factor_rows + q];
        if (part->quadratic->form == HCRI_FACTOR) {
            for (size_t k = 0; k < part->quadratic->factor.count; k++)
                values[part->first + k] += weight;
            continue;
        }
        const double scaled = weight * part->factor;
        const int diagonal = part->quadratic->form == HCRI_DIAGONAL;
        for (size_t j = 0; j < nlp->n; j++)
            values[j] += scaled * matrix[diagonal ? j : j * nlp->n + j];
        if (diagonal || scaled == 0)
            continue;
        double *lower = values + nlp->all_columns;
        for (size_t i = 0; i < nlp->n; lower += i, i++)
            for (size_t j = 0; j < i; j++)
                lower[j] += scaled * matrix[i * nlp->n + j];
    }
    return TRUE;
}

/* After each iteration. */
static Bool go_on(Index mode, Index iteration, Number objective, Number primal, Number dual, Number mu, Number step,
                  Number regularisation, Number dual_share, Number primal_share, Index trials, UserDataPtr data) {
    (void)mode, (void)iteration, (void)objective, (void)primal, (void)dual, (void)mu, (void)step;
    (void)regularisation, (void)dual_share, (void)primal_share, (void)trials, (void)data;
    return hcri_stopped() ? FALSE : TRUE;
}

static hcr_status prepare_quadratics(hcri_nlp *nlp, hcr_error *error) {
    const hcr_allocator *own = hcri_pool_allocator(&nlp->memory);
    const hcri_set *set = nlp->parts.set;
    const double scale = nlp->parts.scale;
    nlp->quadratics = set->blocks - 2;
    nlp->quadratic = hcri_allocate(own, nlp->quadratics, sizeof *nlp->quadratic);
    HCRI_TRY(hcri_pool_check(&nlp->memory, error));
    for (size_t q = 0; q < nlp->quadratics; q++) {
        quadratic_part *part = &nlp->quadratic[q];
        const hcri_constraint *block = set->block[q + 2];
        const double weight = nlp->parts.weight[q];
        part->quadratic = hcri_block_quadratic(block);
        part->constant = block->kind->value(block, 0, nlp->parts.centre, NULL, block->scratch) / weight;
        part->factor = scale * scale / weight;
        part->gradient = hcri_allocate(own, nlp->n, sizeof *part->gradient);
        HCRI_TRY(hcri_pool_check(&nlp->memory, error));
        block->kind->add_gradient(block, 0, nlp->parts.centre, scale / weight, part->gradient, block->scratch);
        if (part->quadratic->form == HCRI_FACTOR) {
            part->first = nlp->all_columns;
            nlp->all_columns += part->quadratic->factor.count;
            nlp->factor_rows += part->quadratic->factor.count;
        }
        nlp->dense += part->quadratic->form == HCRI_DENSE;
    }
    return HCR_OK;
}

static int prepare_problem(hcri_nlp *nlp) {
    const hcri_program *program = nlp->parts.program;
    const size_t rows = program_rows(nlp) + nlp->factor_rows + nlp->quadratics;
    triplets counted = {NULL, NULL, NULL, 0};
    put_jacobian(nlp, NULL, &counted);
    if (nlp->all_columns > INT_MAX || rows > INT_MAX || counted.count > INT_MAX || hessian_entries(nlp) > INT_MAX)
        return 0;
    HCRI_SCOPED double *bounds = hcri_allocate(memory, 2 * (nlp->all_columns + rows), sizeof *bounds);
    if (bounds == NULL)
        return 0;
    double *lower = bounds, *upper = lower + nlp->all_columns, *row_lower = upper + nlp->all_columns,
           *row_upper = row_lower + rows;
    for (size_t j = 0; j < nlp->all_columns; j++) {
        lower[j] = j < nlp->columns ? program->lower[j] : -INFINITY;
        upper[j] = j < nlp->columns ? program->upper[j] : INFINITY;
    }
    for (size_t i = 0; i < rows; i++) {
        const int linear = i < program_rows(nlp), quadratic = i >= program_rows(nlp) + nlp->factor_rows;
        row_lower[i] = linear ? program->row_lower[i] : quadratic && !nlp->parts.equality ? -INFINITY : 0;
        row_upper[i] = linear ? program->row_upper[i] : 0;
    }
    nlp->problem = CreateIpoptProblem((Index)nlp->all_columns, lower, upper, (Index)rows, row_lower, row_upper,
                                      (Index)counted.count, (Index)hessian_entries(nlp), 0, eval_f, eval_g, eval_grad_f,
                                      eval_jac_g, eval_h);
    if (nlp->problem == NULL)
        return 0;
    SetIntermediateCallback(nlp->problem, go_on);
    char *words[][2] = {{"sb", "yes"}, {"option_file_name", ""}, {"mu_strategy", "adaptive"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        AddIpoptStrOption(nlp->problem, words[i][0], words[i][1]);
    AddIpoptIntOption(nlp->problem, "print_level", 0);
    AddIpoptIntOption(nlp->problem, "max_iter", 300);
    AddIpoptIntOption(nlp->problem, "acceptable_iter", 0);
    AddIpoptNumOption(nlp->problem, "bound_relax_factor", 0);
    return 1;
}

hcr_status hcri_nlp_create(const hcri_nlp_parts *parts, hcri_nlp **nlp, hcr_error *error) {
    HCRI_SCOPED_BY(hcri_nlp_scoped) hcri_nlp *made = hcri_allocate(memory, 1, sizeof *made);
    if (made == NULL)
        return hcri_fail_memory(error);
    *made = (hcri_nlp){.memory = {.from = memory}, .parts = *parts, .n = parts->set->n};
    const hcr_allocator *own = hcri_pool_allocator(&made->memory);
    made->columns = made->all_columns = parts->program->columns;
    HCRI_TRY(prepare_quadratics(made, error));
    made->square = hcri_allocate(own, made->columns, sizeof(double));
    made->target = hcri_allocate(own, made->columns, sizeof(double));
    made->linear = hcri_allocate(own, made->columns, sizeof(double));
    made->logarithm = hcri_allocate(own, made->columns, sizeof(double));
    made->x = hcri_allocate(own, made->all_columns, sizeof(double));
    made->multiplier = hcri_allocate(own, program_rows(made) + made->factor_rows + made->quadratics, sizeof(double));
    made->product = hcri_allocate(own, made->n, sizeof(double));
    HCRI_TRY(hcri_pool_check(&made->memory, error));
    if (!prepare_problem(made))
        return hcri_fail_memory(error);
    *nlp = made;
    made = NULL;
    return HCR_OK;
}

void hcri_nlp_free(hcri_nlp *nlp) {
    if (nlp == NULL)
        return;
    if (nlp->problem != NULL) {
        (void)pthread_mutex_lock(&inside_ipopt); /* it fails for no mutex like this one */
        FreeIpoptProblem(nlp->problem);
        pthread_mutex_unlock(&inside_ipopt);
    }
    hcri_pool_release(&nlp->memory);
    hcri_release(memory, nlp);
}

double *hcri_nlp_square(hcri_nlp *nlp) { return nlp->square; }
double *hcri_nlp_target(hcri_nlp *nlp) { return nlp->target; }
double *hcri_nlp_linear(hcri_nlp *nlp) { return nlp->linear; }
double *hcri_nlp_logarithm(hcri_nlp *nlp) { return nlp->logarithm; }

int hcri_nlp_solve(hcri_nlp *nlp, double tolerance, double *x) {
    memcpy(nlp->x, x, nlp->columns * sizeof *x);
    for (size_t q = 0; q < nlp->quadratics; q++) {
        const quadratic_part *part = &nlp->quadratic[q];
        for (size_t k = 0; part->quadratic->form == HCRI_FACTOR && k < part->quadratic->factor.count; k++)
            nlp->x[part->first + k] = sqrt(part->factor) * hcri_rows_dot(&part->quadratic->factor, k, x, NULL);
    }
    if (pthread_mutex_lock(&inside_ipopt) != 0)
        return 0;
    AddIpoptNumOption(nlp->problem, "tol", tolerance);
    AddIpoptNumOption(nlp->problem, "constr_viol_tol", tolerance);
    AddIpoptNumOption(nlp->problem, "dual_inf_tol", tolerance);
    AddIpoptNumOption(nlp->problem, "compl_inf_tol", tolerance);
    const enum ApplicationReturnStatus end =
        IpoptSolve(nlp->problem, nlp->x, NULL, NULL, nlp->multiplier, NULL, NULL, nlp);
    pthread_mutex_unlock(&inside_ipopt);
    memcpy(x, nlp->x, nlp->columns * sizeof *x);
    return end == Solve_Succeeded || end == Solved_To_Acceptable_Level;
}

const double *hcri_nlp_row_multipliers(const hcri_nlp *nlp) { return nlp->multiplier; }
const double *hcri_nlp_quadratic_multipliers(const hcri_nlp *nlp) {
    return nlp->multiplier + program_rows(nlp) + nlp->factor_rows;
}
