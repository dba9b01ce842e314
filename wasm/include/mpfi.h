/* Intervals with ends of MPFR's numbers: those functions of MPFI that hcr calls, under its names, for builds without
 * that library. A result holds every value of the function for arguments in the intervals given: ends are rounded
 * outwards. A result may be one of the arguments. */
#ifndef HCR_MPFI_H
#define HCR_MPFI_H

#include <mpfr.h>

typedef struct {
    __mpfr_struct left, right;
} __mpfi_struct;
typedef __mpfi_struct mpfi_t[1];
typedef __mpfi_struct *mpfi_ptr;
typedef const __mpfi_struct *mpfi_srcptr;

typedef int (*hcr_mpfr_function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
typedef int (*hcr_mpfr_operation)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

static inline void mpfi_init2(mpfi_ptr x, mpfr_prec_t bits) {
    mpfr_init2(&x->left, bits);
    mpfr_init2(&x->right, bits);
}
static inline void mpfi_clear(mpfi_ptr x) {
    mpfr_clear(&x->left);
    mpfr_clear(&x->right);
}

static inline void mpfi_interv_d(mpfi_ptr out, double left, double right) {
    mpfr_set_d(&out->left, left, MPFR_RNDD);
    mpfr_set_d(&out->right, right, MPFR_RNDU);
}
static inline void mpfi_set_d(mpfi_ptr out, double x) { mpfi_interv_d(out, x, x); }
static inline void mpfi_set_si(mpfi_ptr out, long x) {
    mpfr_set_si(&out->left, x, MPFR_RNDD);
    mpfr_set_si(&out->right, x, MPFR_RNDU);
}
static inline void mpfi_set_fr(mpfi_ptr out, mpfr_srcptr x) {
    mpfr_set(&out->left, x, MPFR_RNDD);
    mpfr_set(&out->right, x, MPFR_RNDU);
}

static inline int mpfi_nan_p(mpfi_srcptr x) { return mpfr_nan_p(&x->left) || mpfr_nan_p(&x->right); }
static inline int mpfi_is_zero(mpfi_srcptr x) { return mpfr_zero_p(&x->left) && mpfr_zero_p(&x->right); }
static inline int mpfi_has_zero(mpfi_srcptr x) { return mpfr_sgn(&x->left) <= 0 && mpfr_sgn(&x->right) >= 0; }
/* A number of the interval, or next to it. */
static inline double mpfi_get_d(mpfi_srcptr x) {
    const double left = mpfr_get_d(&x->left, MPFR_RNDN), right = mpfr_get_d(&x->right, MPFR_RNDN);
    return left + (right - left) / 2;
}

/* ------------------------------------------------------------------------------------------ functions that increase */

static inline void hcr_mpfi_increasing(mpfi_ptr out, mpfi_srcptr x, hcr_mpfr_function f) {
    f(&out->left, &x->left, MPFR_RNDD);
    f(&out->right, &x->right, MPFR_RNDU);
}
static inline void mpfi_set(mpfi_ptr out, mpfi_srcptr x) {
    mpfr_set(&out->left, &x->left, MPFR_RNDD);
    mpfr_set(&out->right, &x->right, MPFR_RNDU);
}
static inline void mpfi_exp(mpfi_ptr out, mpfi_srcptr x) { hcr_mpfi_increasing(out, x, mpfr_exp); }
static inline void mpfi_log(mpfi_ptr out, mpfi_srcptr x) { hcr_mpfi_increasing(out, x, mpfr_log); }
static inline void mpfi_log1p(mpfi_ptr out, mpfi_srcptr x) { hcr_mpfi_increasing(out, x, mpfr_log1p); }
static inline void mpfi_sqrt(mpfi_ptr out, mpfi_srcptr x) { hcr_mpfi_increasing(out, x, mpfr_sqrt); }
static inline void mpfi_tanh(mpfi_ptr out, mpfi_srcptr x) { hcr_mpfi_increasing(out, x, mpfr_tanh); }
static inline void mpfi_atan(mpfi_ptr out, mpfi_srcptr x) { hcr_mpfi_increasing(out, x, mpfr_atan); }

/* ----------------------------------------------------------------------------------------------------------- others */

/* The ends are taken from numbers of the result's precision, which are rounded outwards already. */
static inline void mpfi_neg(mpfi_ptr out, mpfi_srcptr x) {
    mpfi_set(out, x);
    mpfr_swap(&out->left, &out->right);
    mpfr_neg(&out->left, &out->left, MPFR_RNDD);
    mpfr_neg(&out->right, &out->right, MPFR_RNDU);
}

static inline void mpfi_abs(mpfi_ptr out, mpfi_srcptr x) {
    if (mpfr_sgn(&x->left) >= 0) {
        mpfi_set(out, x);
    } else if (mpfr_sgn(&x->right) <= 0) {
        mpfi_neg(out, x);
    } else {
        mpfi_set(out, x);
        mpfr_neg(&out->left, &out->left, MPFR_RNDU); /* exact: it has the result's precision */
        mpfr_max(&out->right, &out->left, &out->right, MPFR_RNDU);
        mpfr_set_zero(&out->left, 1);
    }
}

static inline void mpfi_sqr(mpfi_ptr out, mpfi_srcptr x) {
    mpfi_abs(out, x);
    hcr_mpfi_increasing(out, out, mpfr_sqr);
}

static inline void mpfi_add(mpfi_ptr out, mpfi_srcptr x, mpfi_srcptr y) {
    mpfr_add(&out->left, &x->left, &y->left, MPFR_RNDD);
    mpfr_add(&out->right, &x->right, &y->right, MPFR_RNDU);
}
static inline void mpfi_add_fr(mpfi_ptr out, mpfi_srcptr x, mpfr_srcptr y) {
    mpfr_add(&out->left, &x->left, y, MPFR_RNDD);
    mpfr_add(&out->right, &x->right, y, MPFR_RNDU);
}
static inline void mpfi_sub_fr(mpfi_ptr out, mpfi_srcptr x, mpfr_srcptr y) {
    mpfr_sub(&out->left, &x->left, y, MPFR_RNDD);
    mpfr_sub(&out->right, &x->right, y, MPFR_RNDU);
}
static inline void mpfi_sub_d(mpfi_ptr out, mpfi_srcptr x, double y) {
    mpfr_sub_d(&out->left, &x->left, y, MPFR_RNDD);
    mpfr_sub_d(&out->right, &x->right, y, MPFR_RNDU);
}

/* The least and the largest of f at the four corners; NaN where one of them is. */
static inline void hcr_mpfi_corners(mpfi_ptr out, mpfi_srcptr x, mpfi_srcptr y, hcr_mpfr_operation f) {
    const __mpfr_struct *a[2] = {&x->left, &x->right}, *b[2] = {&y->left, &y->right};
    mpfi_t found;
    mpfr_t value;
    mpfi_init2(found, mpfr_get_prec(&out->left));
    mpfr_init2(value, mpfr_get_prec(&out->left));
    int is_number = 1;
    for (int k = 0; k < 4; k++) {
        f(value, a[k % 2], b[k / 2], MPFR_RNDD);
        is_number &= !mpfr_nan_p(value);
        mpfr_min(&found->left, k == 0 ? value : &found->left, value, MPFR_RNDD);
        f(value, a[k % 2], b[k / 2], MPFR_RNDU);
        mpfr_max(&found->right, k == 0 ? value : &found->right, value, MPFR_RNDU);
    }
    if (is_number) {
        mpfi_set(out, found);
    } else {
        mpfr_set_nan(&out->left);
        mpfr_set_nan(&out->right);
    }
    mpfr_clear(value);
    mpfi_clear(found);
}
static inline void mpfi_mul(mpfi_ptr out, mpfi_srcptr x, mpfi_srcptr y) { hcr_mpfi_corners(out, x, y, mpfr_mul); }
static inline void mpfi_div(mpfi_ptr out, mpfi_srcptr x, mpfi_srcptr y) {
    if (mpfi_has_zero(y))
        mpfi_interv_d(out, -__builtin_inf(), __builtin_inf());
    else
        hcr_mpfi_corners(out, x, y, mpfr_div);
}

static inline void mpfi_mul_d(mpfi_ptr out, mpfi_srcptr x, double y) {
    mpfi_set(out, x);
    if (y < 0)
        mpfr_swap(&out->left, &out->right);
    mpfr_mul_d(&out->left, &out->left, y, MPFR_RNDD);
    mpfr_mul_d(&out->right, &out->right, y, MPFR_RNDU);
}
/* y isn't 0. */
static inline void mpfi_div_d(mpfi_ptr out, mpfi_srcptr x, double y) {
    mpfi_set(out, x);
    if (y < 0)
        mpfr_swap(&out->left, &out->right);
    mpfr_div_d(&out->left, &out->left, y, MPFR_RNDD);
    mpfr_div_d(&out->right, &out->right, y, MPFR_RNDU);
}

/* f of slope at most 1 and values in [−1, 1]: f(left) and the width on both sides, which is as narrow as the argument.
 */
static inline void hcr_mpfi_wave(mpfi_ptr out, mpfi_srcptr x, hcr_mpfr_function f) {
    mpfr_t width;
    mpfr_init2(width, mpfr_get_prec(&out->left));
    mpfr_sub(width, &x->right, &x->left, MPFR_RNDU);
    f(&out->right, &x->left, MPFR_RNDU);
    f(&out->left, &x->left, MPFR_RNDD);
    mpfr_sub(&out->left, &out->left, width, MPFR_RNDD);
    mpfr_add(&out->right, &out->right, width, MPFR_RNDU);
    if (mpfr_cmp_si(&out->left, -1) < 0)
        mpfr_set_si(&out->left, -1, MPFR_RNDD);
    if (mpfr_cmp_si(&out->right, 1) > 0)
        mpfr_set_si(&out->right, 1, MPFR_RNDU);
    mpfr_clear(width);
}
static inline void mpfi_sin(mpfi_ptr out, mpfi_srcptr x) { hcr_mpfi_wave(out, x, mpfr_sin); }
static inline void mpfi_cos(mpfi_ptr out, mpfi_srcptr x) { hcr_mpfi_wave(out, x, mpfr_cos); }

#endif
