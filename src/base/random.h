/* Random numbers: xoshiro256** (Blackman and Vigna, 2018), seeded by splitmix64. The same seed gives the same numbers
 * on every machine. */
#ifndef HCRI_RANDOM_H
#define HCRI_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct hcri_random {
    uint64_t state[4];
} hcri_random;

void hcri_random_seed(hcri_random *random, uint64_t seed);
uint64_t hcri_random_bits(hcri_random *random);
double hcri_random_uniform(hcri_random *random);             /* in [0, 1), 53 bits */
double hcri_random_normal(hcri_random *random);              /* mean 0, deviation 1 (polar method) */
size_t hcri_random_below(hcri_random *random, size_t bound); /* in 0 … bound − 1, unbiased; bound > 0 */
void hcri_random_shuffle(hcri_random *random, size_t count, size_t *items);

#endif
