/* What all cones share. */

/* The larger root of a quadratic, for lengths divided by |w| + |f|, where squares could underflow: without loss next to
 * the apex, where both roots meet, in two ways (docs/exactness.md). */
FN real cone_root(real length, real cross, real f, real rest) {
    const real size = length + magnitude(f);
    real found = R(0.0);
    if (size > R(0.0)) {
        const real x = length / size;
        const real h = cross / size;
        const real rise = f / size;
        if (f < R(0.0)) {
            const real root = MATH(sqrt)((h * h) + ((rest * x) * x));
            if (h >= R(0.0)) {
                found = (h + root) / rest;
            } else {
                found = (x * x) / (root - h);
            }
            found -= rise;
        } else {
            const real a = (x - rise) * (x + rise);
            const real b = h - rise;
            const real under = (b * b) + (rest * a);
            const real root = (under > R(0.0)) ? MATH(sqrt)(under) : R(0.0);
            if (b >= R(0.0)) {
                found = (b + root) / rest;
            } else if (a > R(0.0)) {
                found = a / (root - b);
            } else {
                found = R(0.0);
            }
        }
        found *= size;
    }
    return found;
}
