/* How the values of a tape's steps (bounded.device.h) change with what they are made of: x of a, and of a number p, by
 * a; x of a and b by the first and by the second. 0 where there is no finite derivative. What is exact or not zero is a
 * scale that cancels out. */

#define FIRST_add(a, b, x) R(1.0)

#define SECOND_add(a, b, x) R(1.0)

#define SLOPE_scaled(a, x, p) (p)

#define FIRST_product(a, b, x) (b)

#define SECOND_product(a, b, x) (a)

#define SLOPE_square(a, x, p) (R(2.0) * (a))

#define FIRST_quotient(a, b, x) (R(1.0) / (b))

#define SECOND_quotient(a, b, x) (-(x) / (b))

#define SLOPE_positive(a, x, p) R(1.0)

#define FIRST_larger(a, b, x) (((a) > (b)) ? R(1.0) : R(0.0))

#define SECOND_larger(a, b, x) (((a) > (b)) ? R(0.0) : R(1.0))

#define FIRST_lesser(a, b, x) (((a) < (b)) ? R(1.0) : R(0.0))

#define SECOND_lesser(a, b, x) (((a) < (b)) ? R(0.0) : R(1.0))

#define SLOPE_size(a, x, p) (((a) < R(0.0)) ? R(-1.0) : R(1.0))

#define SLOPE_power(a, x, p) ((magnitude(a) > R(0.0)) ? ((p) * ((x) / (a))) : R(0.0))

#define SLOPE_share_power(a, x, p) SLOPE_power(a, x, p)

#define SLOPE_sqrt(a, x, p) (((x) > R(0.0)) ? (R(0.5) / (x)) : R(0.0))

#define SLOPE_share_sqrt(a, x, p) SLOPE_sqrt(a, x, p)

#define SLOPE_exp(a, x, p) (x)

#define SLOPE_log(a, x, p) (R(1.0) / (a))

#define SLOPE_xlogx(a, x, p) (((a) > R(0.0)) ? (MATH(log)(a) + R(1.0)) : R(0.0))

#define SLOPE_huber(a, x, p) (R(2.0) * (((a) < -(p)) ? -(p) : (((a) > (p)) ? (p) : (a))))

#define SLOPE_softplus(a, x, p) MATH(exp)((a) - (x))

#define FIRST_entropy(a, b, x) (((a) > R(0.0)) ? (MATH(log)((a) / (b)) + R(1.0)) : R(0.0))

#define SECOND_entropy(a, b, x) (-(a) / (b))
