/* As count.c, for the generated solver of beside_osqp.py. */
#include <stdint.h>
#include <stdio.h>

#include "osqp.h"
#include "workspace.h"

enum { CALLS = 64, PAINTED = 16384 };
#define SYSTICK ((volatile uint32_t *)0xE000E010u) /* control, reload, value */

static uint32_t seed = 1;
static float uniform(void) {
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 16777216.0f * 2 - 1;
}

static OSQPFloat q[N];

static __attribute__((noinline)) void call(void) {
    osqp_update_data_vec(&solver, q, 0, 0);
    osqp_solve(&solver);
}

/* The bytes under the stack pointer that a call writes to. */
static __attribute__((noinline)) uint32_t deepest(void) {
    volatile uint8_t *const top = __builtin_frame_address(0);
    uint32_t k;
    for (k = 64; k < PAINTED; k++)
        *(top - k) = 0xA5;
    call();
    for (k = PAINTED - 1; k > 64 && *(top - k) == 0xA5; k--) {
    }
    return k;
}

int main(void) {
    uint32_t total = 0, most = 0, stack = 0, iterations = 0, worst = 0;
    SYSTICK[1] = 0xFFFFFF;
    SYSTICK[2] = 0;
    SYSTICK[0] = 5;
    for (int i = 0; i < CALLS; i++) {
        for (int j = 0; j < N; j++)
            q[j] = -(CENTRE + SPREAD * uniform());
        const uint32_t before = SYSTICK[2];
        call();
        const uint32_t took = ((before - SYSTICK[2]) & 0xFFFFFF) * 40, turns = (uint32_t)solver.info->iter;
        total += took / CALLS;
        most = took > most ? took : most;
        iterations += turns;
        worst = turns > worst ? turns : worst;
        const uint32_t depth = deepest();
        stack = depth > stack ? depth : stack;
    }
    printf("%lu %lu instructions, %lu bytes of stack, %lu and %lu iterations\n", (unsigned long)total,
           (unsigned long)most, (unsigned long)stack, (unsigned long)(iterations / CALLS), (unsigned long)worst);
    return 0;
}
