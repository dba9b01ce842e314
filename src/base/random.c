#include "base/random.h"

#include <math.h>

static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

void hcri_random_seed(hcri_random *random, uint64_t seed) {
    for (int i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        random->state[i] = z ^ (z >> 31);
    }
}

uint64_t hcri_random_bits(hcri_random *random) {
    uint64_t *s = random->state;
    const uint64_t result = rotate(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double hcri_random_uniform(hcri_random *random) { return (double)(hcri_random_bits(random) >> 11) * 0x1p-53; }

double hcri_random_normal(hcri_random *random) {
    double u, v, s;
    do {
        u = 2 * hcri_random_uniform(random) - 1;
        v = 2 * hcri_random_uniform(random) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * log(s) / s);
}

size_t hcri_random_below(hcri_random *random, size_t bound) {
    const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    uint64_t bits;
    do
        bits = hcri_random_bits(random);
    while (bits >= limit);
    return (size_t)(bits % bound);
}

void hcri_random_shuffle(hcri_random *random, size_t count, size_t *items) {
    for (size_t i = count; i > 1; i--) {
        const size_t j = hcri_random_below(random, i);
        const size_t item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}
