/* Numbers, what is known of an inequality, and sparse rows. */

/* Machines that compute wider than numbers are stored keep the results of sums and products in registers: this stores
 * one. */
#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD == 0)
#define rounded(x) (x)
#else
FN real rounded(real x) {
    volatile real stored = x;
    return stored;
}
#endif

FN real magnitude(real x) { return (x < R(0.0)) ? -x : x; }

FN int is_finite(real x) { return magnitude(x) <= LARGEST; }

/* What is known of an inequality. */
typedef enum verdict { SURE = 0, UNCERTAIN = 1, BROKEN = 2 } verdict;

FN verdict worse(verdict a, verdict b) { return (a > b) ? a : b; }

/* Whether a constraint's value is at most 0, known to within an error; open where it overflowed. */
FN verdict judge(real value, real error) {
    verdict found = UNCERTAIN;
    if (value <= -error) {
        found = SURE;
    } else if ((value > error) && (value <= LARGEST)) {
        found = BROKEN;
    } else {
        found = UNCERTAIN;
    }
    return found;
}

#define ADD_ROW_OF(sum, m, i, k, v)                                                                                    \
    for (; (k) < m##_start[(i) + 1u]; (k)++) { (sum) += m##_values[k] * (v)[m##_columns[k]]; }

/* sum += row i of a matrix times v; k is where the row begins, and then where it ends. Of a matrix of few numbers m,
 * those of row i are from m_start[i] to m_start[i + 1] of m_values, in the columns m_columns. */
#define ADD_ROW(sum, m, i, k, v) ADD_ROW_OF(sum, m, i, k, v)

#define ADD_SIZES_OF(sum, m, i, k, v)                                                                                  \
    for (; (k) < m##_start[(i) + 1u]; (k)++) { (sum) += magnitude(m##_values[k] * (v)[m##_columns[k]]); }

/* The same of the terms' sizes. */
#define ADD_SIZES(sum, m, i, k, v) ADD_SIZES_OF(sum, m, i, k, v)

#define ADD_PAIRS_OF(sum, m, i, k, v, w, as)                                                                           \
    for (; (k) < m##_start[(i) + 1u]; (k)++) {                                                                         \
        (sum) += as((m##_values[k] * (w)[m##_columns[k] % HCR_PARAMETERS]) * (v)[m##_columns[k] / HCR_PARAMETERS]);    \
    }

/* The same of products, of an entry of v and one of w, whose columns are numbered together; as: nothing, or of what. */
#define ADD_PAIRS(sum, m, i, k, v, w, as) ADD_PAIRS_OF(sum, m, i, k, v, w, as)

#define ADD_COLUMNS_OF(g, m, i, a)                                                                                     \
    for (uint32_t k_ = m##_start[i]; k_ < m##_start[(i) + 1u]; k_++) { (g)[m##_columns[k_]] += (a)*m##_values[k_]; }

/* g += a times row i. */
#define ADD_COLUMNS(g, m, i, a) ADD_COLUMNS_OF(g, m, i, a)
