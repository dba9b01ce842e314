/* Instructions and stack of an exported function on a Cortex-M4 under QEMU with -icount shift=0, where one instruction
 * takes a nanosecond and SysTick counts one in 40. Prints "mean most stack", or the function's name for NAME. */
#include <stdint.h>
#include <stdio.h>

#include HEADER

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define FUNCTION(name) JOIN(PREFIX, name)

enum { CALLS = 256, PAINTED = 16384, REPEATS = 16 };
#define SYSTICK ((volatile uint32_t *)0xE000E010u) /* control, reload, value */

typedef FUNCTION(_real) real;

static uint32_t seed = 1;
static real uniform(void) {
    seed = seed * 1664525u + 1013904223u;
    return (real)(seed >> 8) / (real)16777216 * 2 - 1;
}

static real y[OUTPUTS], d[INPUTS];
#ifdef PARAMETERS
static real x[PARAMETERS];
static const real low[PARAMETERS] = {LOW}, high[PARAMETERS] = {HIGH};
#endif

static __attribute__((noinline)) int call(void) {
#if defined(MODEL)
    return FUNCTION(_predict)(d, y);
#elif defined(PARAMETERS)
    return FUNCTION(_decode)(d, 1, x, y);
#else
    return FUNCTION(_decode)(d, 1, y);
#endif
}

/* The bytes under the stack pointer that a call writes to. */
static __attribute__((noinline)) uint32_t deepest(void) {
    volatile uint8_t *const top = __builtin_frame_address(0);
    uint32_t k;
    for (k = 64; k < PAINTED; k++)
        *(top - k) = 0xA5;
    (void)call();
    for (k = PAINTED - 1; k > 64 && *(top - k) == 0xA5; k--) {
    }
    return k;
}

int main(void) {
    uint32_t total = 0, most = 0, stack = 0;
    SYSTICK[1] = 0xFFFFFF;
    SYSTICK[2] = 0;
    SYSTICK[0] = 5;
    for (int i = 0; i < CALLS; i++) {
        for (int j = 0; j < INPUTS; j++)
            d[j] = uniform();
#ifdef PARAMETERS
        for (int k = 0; k < PARAMETERS; k++)
            x[k] = low[k] + (high[k] - low[k]) * (real)0.5 * (1 + uniform());
#endif
        const uint32_t before = SYSTICK[2];
        for (int r = 0; r < REPEATS; r++)
            (void)call();
        const uint32_t took = ((before - SYSTICK[2]) & 0xFFFFFF) * 40 / REPEATS;
        total += took;
        most = took > most ? took : most;
        const uint32_t depth = deepest();
        stack = depth > stack ? depth : stack;
    }
    printf("%lu %lu %lu\n", (unsigned long)(total / CALLS), (unsigned long)most, (unsigned long)stack);
    return 0;
}
