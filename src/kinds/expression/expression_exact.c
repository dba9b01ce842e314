/* Expressions, decided by MPFI's intervals at growing precision. */
#include "kinds/expression/expression_exact.h"

#include <math.h>
#include <stdlib.h>

#include "exact/exact_sign.h"
#include "functions/tape_matrix.h"
#include "kinds/expression/expression.h"

/* One step: its arguments x[number[k]], and room for what comes between. */
typedef struct step_arguments {
    const hcri_step *step;
    const uint32_t *number;
    const double *weight;
    mpfi_t *x; /* of all steps */
    mpfi_t a, b;
    mpfr_t end;
} step_arguments;

static mpfi_ptr argument(const step_arguments *s, size_t k) { return s->x[s->number[k]]; }
static int is_negative(mpfi_srcptr x) { return mpfr_sgn(&x->left) < 0; }    /* in part at least */
static int isnt_positive(mpfi_srcptr x) { return mpfr_sgn(&x->left) <= 0; } /* in part at least */

/* out = p + Σ weight_k x_k, of outputs or of steps. */
static int affine(step_arguments *s, mpfi_t *x, mpfi_ptr out) {
    mpfi_set_d(out, s->step->parameter);
    for (size_t k = 0; k < s->step->count; k++) {
        mpfi_mul_d(s->a, x[s->number[k]], s->weight[k]);
        mpfi_add(out, out, s->a);
    }
    return 1;
}

static int extreme(const step_arguments *s, int largest, mpfi_ptr out) {
    mpfi_set(out, argument(s, 0));
    for (size_t k = 1; k < s->step->count; k++) {
        mpfi_srcptr x = argument(s, k);
        if (largest) {
            mpfr_max(&out->left, &out->left, &x->left, MPFR_RNDD);
            mpfr_max(&out->right, &out->right, &x->right, MPFR_RNDU);
        } else {
            mpfr_min(&out->left, &out->left, &x->left, MPFR_RNDD);
            mpfr_min(&out->right, &out->right, &x->right, MPFR_RNDU);
        }
    }
    return 1;
}

/* x^p of x >= 0 and p > 0, or of x > 0 and p < 0; mpfr_pow rounds correctly, and is monotone. */
static void power_of_positive(mpfr_t p, mpfi_srcptr x, mpfi_ptr out) {
    const int falls = mpfr_sgn(p) < 0;
    mpfr_pow(&out->left, falls ? &x->right : &x->left, p, MPFR_RNDD);
    mpfr_pow(&out->right, falls ? &x->left : &x->right, p, MPFR_RNDU);
}

static int power(step_arguments *s, mpfi_ptr out) {
    const double p = s->step->parameter;
    mpfi_srcptr x = argument(s, 0);
    const int is_whole = p == rint(p), is_odd = is_whole && fmod(p, 2) != 0;
    if ((p < 0 && isnt_positive(x)) || (!is_whole && is_negative(x)))
        return 0;
    mpfr_set_d(s->end, p, MPFR_RNDN);
    mpfi_set(s->a, x);
    if (!is_odd && is_whole)
        mpfi_abs(s->a, s->a);
    if (!is_negative(s->a)) {
        power_of_positive(s->end, s->a, out);
    } else { /* an odd power increases */
        mpfr_pow(&out->left, &s->a->left, s->end, MPFR_RNDD);
        mpfr_pow(&out->right, &s->a->right, s->end, MPFR_RNDU);
    }
    return 1;
}

/* x log x in out, which isn't x: between x log x and 0 on a short interval that begins at 0. */
static int xlogx(mpfi_srcptr x, mpfi_ptr out) {
    if (is_negative(x))
        return 0;
    if (mpfr_sgn(&x->left) > 0) {
        mpfi_log(out, x);
        mpfi_mul(out, out, x);
        return 1;
    }
    mpfi_set_si(out, 0);
    if (mpfr_sgn(&x->right) == 0)
        return 1;
    if (mpfr_cmp_d(&x->right, 0.25) > 0)
        return 0;
    mpfr_log(&out->left, &x->right, MPFR_RNDD);
    mpfr_mul(&out->left, &out->left, &x->right, MPFR_RNDD);
    return 1;
}

/* huber of |x|, at both ends. */
static int huber(step_arguments *s, mpfi_ptr out) {
    const double p = s->step->parameter;
    mpfi_abs(s->a, argument(s, 0));
    for (int upper = 0; upper < 2; upper++) {
        mpfr_srcptr at = upper ? &s->a->right : &s->a->left;
        mpfi_set_fr(s->b, at);
        if (mpfr_cmp_d(at, p) <= 0) {
            mpfi_sqr(s->b, s->b);
        } else {
            mpfi_mul_d(s->b, s->b, 2);
            mpfi_sub_d(s->b, s->b, p);
            mpfi_mul_d(s->b, s->b, p);
        }
        mpfr_set(upper ? &out->right : &out->left, upper ? &s->b->right : &s->b->left, upper ? MPFR_RNDU : MPFR_RNDD);
    }
    return 1;
}

/* max(x, 0) + log(1 + e^−|x|) */
static int softplus(step_arguments *s, mpfi_ptr out) {
    mpfi_srcptr x = argument(s, 0);
    mpfi_abs(s->a, x);
    mpfi_neg(s->a, s->a);
    mpfi_exp(s->a, s->a);
    mpfi_log1p(s->a, s->a);
    mpfi_set(s->b, x);
    if (mpfr_sgn(&s->b->left) < 0)
        mpfr_set_zero(&s->b->left, 1);
    if (mpfr_sgn(&s->b->right) < 0)
        mpfr_set_zero(&s->b->right, 1);
    mpfi_add(out, s->a, s->b);
    return 1;
}

/* m + log Σ e^(x − m), m the largest right end, so that no exponential overflows; at least the largest x. */
static int log_sum_exp(step_arguments *s, mpfi_ptr out) {
    mpfr_set(s->end, &argument(s, 0)->right, MPFR_RNDU);
    for (size_t k = 1; k < s->step->count; k++)
        mpfr_max(s->end, s->end, &argument(s, k)->right, MPFR_RNDU);
    mpfi_set_si(out, 0);
    for (size_t k = 0; k < s->step->count; k++) {
        mpfi_sub_fr(s->a, argument(s, k), s->end);
        mpfi_exp(s->a, s->a);
        mpfi_add(out, out, s->a);
    }
    mpfi_log(out, out);
    mpfi_add_fr(out, out, s->end);
    for (size_t k = 0; k < s->step->count; k++)
        mpfr_max(&out->left, &out->left, &argument(s, k)->left, MPFR_RNDD);
    return 1;
}

static int geometric_mean(step_arguments *s, mpfi_ptr out) {
    mpfi_set_si(out, 1);
    for (size_t k = 0; k < s->step->count; k++) {
        if (is_negative(argument(s, k)))
            return 0;
        mpfi_mul(out, out, argument(s, k));
    }
    mpfr_rootn_ui(&out->left, &out->left, s->step->count, MPFR_RNDD);
    mpfr_rootn_ui(&out->right, &out->right, s->step->count, MPFR_RNDU);
    return 1;
}

/* m (Σ (|x|/m)^p)^(1/p) for a number m about as large as the largest |x|, so that nothing underflows that counts. */
static int norm(step_arguments *s, mpfi_ptr out) {
    const double p = s->step->parameter;
    double scale = 0;
    for (size_t k = 0; k < s->step->count; k++)
        scale = fmax(scale, fabs(mpfi_get_d(argument(s, k))));
    if (scale == 0 || isinf(scale) || p == 1)
        scale = 1;
    mpfi_set_si(out, 0);
    for (size_t k = 0; k < s->step->count; k++) {
        mpfi_abs(s->a, argument(s, k));
        mpfi_div_d(s->a, s->a, scale);
        mpfr_set_d(s->end, p, MPFR_RNDN);
        mpfi_set(s->b, s->a);
        power_of_positive(s->end, s->b, s->a);
        mpfi_add(out, out, s->a);
    }
    if (p == 2) {
        mpfi_sqrt(out, out);
    } else if (p != 1 && !mpfi_is_zero(out)) {
        if (isnt_positive(out))
            return 0;
        mpfi_log(out, out);
        mpfi_div_d(out, out, p);
        mpfi_exp(out, out);
    }
    mpfi_mul_d(out, out, scale);
    return 1;
}

static int squares(step_arguments *s, size_t from, mpfi_ptr out) {
    mpfi_set_si(out, 0);
    for (size_t k = from; k < s->step->count; k++) {
        mpfi_sqr(s->a, argument(s, k));
        mpfi_add(out, out, s->a);
    }
    return 1;
}

/* y (x/y) log(x/y) */
static int relative_entropy(step_arguments *s, mpfi_ptr out) {
    mpfi_srcptr x = argument(s, 0), y = argument(s, 1);
    if (is_negative(x) || isnt_positive(y))
        return 0;
    mpfi_div(s->a, x, y);
    if (!xlogx(s->a, out))
        return 0;
    mpfi_mul(out, out, y);
    return 1;
}

/* By the bounds in double precision. */
static int matrix_step(const step_arguments *s, mpfi_ptr out) {
    const size_t count = s->step->count, rows = s->step->rows, columns = count / rows;
    hcri_enclosure *entries = malloc(count * sizeof *entries);
    double *work = malloc(hcri_matrix_work(rows > columns ? rows : columns) * sizeof *work);
    hcri_enclosure bounds = hcri_undefined();
    const int has_room = entries != NULL && work != NULL;
    if (has_room) {
        for (size_t k = 0; k < count; k++)
            entries[k] = hcri_between(mpfr_get_d(&argument(s, k)->left, MPFR_RNDD),
                                      mpfr_get_d(&argument(s, k)->right, MPFR_RNDU));
        bounds = s->step->kind == HCRI_STEP_LARGEST_EIGENVALUE
                     ? hcri_enclose_largest_eigenvalue(rows, entries, work)
                     : hcri_enclose_nuclear_norm(rows, columns, entries, work);
    }
    free(entries);
    free(work);
    if (!has_room)
        return HCRI_EXACT_MEMORY;
    if (hcri_is_undefined(bounds))
        return 0;
    mpfi_interv_d(out, bounds.low, bounds.high);
    return 1;
}

/* 1; 0 when an argument may be outside the domain; HCRI_EXACT_MEMORY. */
static int step_interval(step_arguments *s, mpfi_t *y, mpfi_ptr out) {
    switch (s->step->kind) {
    case HCRI_STEP_AFFINE: return affine(s, y, out);
    case HCRI_STEP_SUM: return affine(s, s->x, out);
    case HCRI_STEP_PRODUCT:
        if (s->number[0] == s->number[1])
            mpfi_sqr(out, argument(s, 0));
        else
            mpfi_mul(out, argument(s, 0), argument(s, 1));
        return 1;
    case HCRI_STEP_QUOTIENT:
        if (mpfi_has_zero(argument(s, 1)))
            return 0;
        mpfi_div(out, argument(s, 0), argument(s, 1));
        return 1;
    case HCRI_STEP_MAX: return extreme(s, 1, out);
    case HCRI_STEP_MIN: return extreme(s, 0, out);
    case HCRI_STEP_ABS: mpfi_abs(out, argument(s, 0)); return 1;
    case HCRI_STEP_POWER: return power(s, out);
    case HCRI_STEP_EXP: mpfi_exp(out, argument(s, 0)); return 1;
    case HCRI_STEP_LOG:
        if (isnt_positive(argument(s, 0)))
            return 0;
        mpfi_log(out, argument(s, 0));
        return 1;
    case HCRI_STEP_SQRT:
        if (is_negative(argument(s, 0)))
            return 0;
        mpfi_sqrt(out, argument(s, 0));
        return 1;
    case HCRI_STEP_XLOGX: return xlogx(argument(s, 0), out);
    case HCRI_STEP_HUBER: return huber(s, out);
    case HCRI_STEP_SOFTPLUS: return softplus(s, out);
    case HCRI_STEP_SIN: mpfi_sin(out, argument(s, 0)); return 1;
    case HCRI_STEP_COS: mpfi_cos(out, argument(s, 0)); return 1;
    case HCRI_STEP_TANH: mpfi_tanh(out, argument(s, 0)); return 1;
    case HCRI_STEP_ATAN: mpfi_atan(out, argument(s, 0)); return 1;
    case HCRI_STEP_LOG_SUM_EXP: return log_sum_exp(s, out);
    case HCRI_STEP_GEO_MEAN: return geometric_mean(s, out);
    case HCRI_STEP_NORM: return norm(s, out);
    case HCRI_STEP_SUM_SQUARES: return squares(s, 0, out);
    case HCRI_STEP_QUAD_OVER_LIN:
        if (isnt_positive(argument(s, 0)))
            return 0;
        squares(s, 1, out);
        mpfi_div(out, out, argument(s, 0));
        return 1;
    case HCRI_STEP_RELATIVE_ENTROPY: return relative_entropy(s, out);
    case HCRI_STEP_LARGEST_EIGENVALUE:
    case HCRI_STEP_NUCLEAR_NORM: return matrix_step(s, out);
    case HCRI_STEP_KINDS: break;
    }
    return 0;
}

int hcri_tape_interval(const hcri_tape *tape, mpfi_t *y, mpfr_prec_t bits, mpfi_ptr out) {
    step_arguments s = {.x = malloc(tape->steps * sizeof *s.x)};
    if (s.x == NULL)
        return HCRI_EXACT_MEMORY;
    mpfi_init2(s.a, bits);
    mpfi_init2(s.b, bits);
    mpfr_init2(s.end, bits);
    int sound = 1;
    size_t made = 0;
    for (size_t k = 0; k < tape->steps && sound == 1; k++) {
        s.step = &tape->step[k];
        s.number = tape->argument + s.step->first;
        s.weight = tape->weight + s.step->first;
        mpfi_init2(s.x[made++], bits);
        sound = step_interval(&s, y, s.x[k]);
        if (sound == 1 && mpfi_nan_p(s.x[k]))
            sound = 0;
    }
    if (sound == 1)
        mpfi_set(out, s.x[tape->steps - 1]);
    for (size_t k = 0; k < made; k++)
        mpfi_clear(s.x[k]);
    free(s.x);
    mpfi_clear(s.a);
    mpfi_clear(s.b);
    mpfr_clear(s.end);
    return sound;
}

/* −1 or 1 where the interval at `bits` bits shows that c(y) <= 0 or c(y) > 0, else 0; HCRI_EXACT_MEMORY. `at`: room for
 * n intervals. */
static int decide_at(const hcri_expression *expression, const double *y, mpfr_prec_t bits, mpfi_t *at) {
    const size_t n = expression->base.n;
    mpfi_t value;
    mpfi_init2(value, bits);
    for (size_t j = 0; j < n; j++) {
        mpfi_init2(at[j], 53);
        mpfi_set_d(at[j], y[j]);
    }
    int found = hcri_tape_interval(&expression->tape, at, bits, value);
    if (found == 1)
        found = mpfr_sgn(&value->right) <= 0 ? -1 : mpfr_sgn(&value->left) > 0;
    for (size_t j = 0; j < n; j++)
        mpfi_clear(at[j]);
    mpfi_clear(value);
    return found;
}

/* What intervals of 4096 bits can't decide stays open. */
static int decide(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    enum { LEAST_BITS = 128, MOST_BITS = 4096 };
    if (constraint->kind->holds(constraint, y, scratch)) /* bounds in double precision are proof enough */
        return -1;
    mpfi_t *at = malloc(constraint->n * sizeof *at);
    int found = at == NULL ? HCRI_EXACT_MEMORY : 0;
    for (mpfr_prec_t bits = LEAST_BITS; bits <= MOST_BITS && found == 0; bits *= 2)
        found = decide_at((const hcri_expression *)constraint, y, bits, at);
    free(at);
    return found;
}

const hcri_exact_kind hcri_expression_exact = {.kind = &hcri_kind_expression, .decide = decide};
