#include "exact/exact_sign.h"
#include "exact/fixed_point.h"
#include "kinds/lmi/lmi.h"

/* Divides what all entries have as a power of two. */
static void shorten(size_t count, mpz_t *matrix) {
    mp_bitcnt_t common = 0;
    int found = 0;
    for (size_t e = 0; e < count; e++)
        if (mpz_sgn(matrix[e]) != 0) {
            const mp_bitcnt_t zeros = mpz_scan1(matrix[e], 0);
            common = !found || zeros < common ? zeros : common;
            found = 1;
        }
    for (size_t e = 0; e < count; e++)
        mpz_fdiv_q_2exp(matrix[e], matrix[e], common);
}

static mpz_t *at(mpz_t *matrix, size_t a, size_t b) { return &matrix[a >= b ? HCRI_PACKED(a, b) : HCRI_PACKED(b, a)]; }

/* Elimination without fractions (Bareiss, 1968) with pivots on the diagonal: each entry that is left is a minor, the
 * Schur complement's times the positive product of the pivots, so that it stays semidefinite or not. Where no pivot is
 * left the rest must be 0; `left` marks the rows that have been none. */
static int is_semidefinite(size_t m, mpz_t *matrix, int *left, mpz_t product) {
    mpz_t previous;
    mpz_init_set_ui(previous, 1);
    int semidefinite = 1;
    for (size_t step = 0; step < m && semidefinite; step++) {
        size_t pivot = m;
        for (size_t a = 0; a < m && semidefinite; a++)
            if (left[a]) {
                const int sign = mpz_sgn(*at(matrix, a, a));
                semidefinite = sign >= 0;
                pivot = sign > 0 && pivot == m ? a : pivot;
            }
        if (!semidefinite)
            break;
        if (pivot == m) {
            for (size_t a = 0; a < m; a++)
                for (size_t b = 0; b < a; b++)
                    semidefinite &= !left[a] || !left[b] || mpz_sgn(*at(matrix, a, b)) == 0;
            break;
        }
        left[pivot] = 0;
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b <= a && left[a]; b++)
                if (left[b]) {
                    mpz_t *entry = at(matrix, a, b);
                    mpz_mul(product, *at(matrix, pivot, pivot), *entry);
                    mpz_submul(product, *at(matrix, a, pivot), *at(matrix, b, pivot));
                    mpz_divexact(*entry, product, previous);
                }
        mpz_set(previous, *at(matrix, pivot, pivot));
    }
    mpz_clear(previous);
    return semidefinite;
}

static int decide(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    if (constraint->kind->holds(constraint, y, scratch))
        return -1;
    const size_t m = lmi->size, entries = lmi->terms.count;
    /* GMP's own memory: all of this arithmetic stands and falls with it. */
    void *(*allocate)(size_t), (*release)(void *, size_t);
    mp_get_memory_functions(&allocate, NULL, &release);
    mpz_t *matrix = allocate(entries * sizeof *matrix), a, b;
    int *left = allocate(m * sizeof *left);
    mpz_inits(a, b, NULL);
    for (size_t e = 0; e < entries; e++) {
        mpz_init(matrix[e]);
        hcri_fixed_row(matrix[e], &lmi->terms, e, y, lmi->constant[e], a, b);
    }
    for (size_t k = 0; k < m; k++)
        left[k] = 1;
    shorten(entries, matrix);
    const int semidefinite = is_semidefinite(m, matrix, left, a);
    for (size_t e = 0; e < entries; e++)
        mpz_clear(matrix[e]);
    mpz_clears(a, b, NULL);
    release(matrix, entries * sizeof *matrix);
    release(left, m * sizeof *left);
    return semidefinite ? -1 : 1;
}

const hcri_exact_kind hcri_lmi_exact = {.kind = &hcri_kind_lmi, .decide = decide};
