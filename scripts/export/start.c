/* What a Cortex-M4 begins with: the vector table, the floating-point unit, newlib's start. */
#include <stdint.h>

extern uint32_t stack_top;
extern void _start(void);

static void reset(void) {
    volatile uint32_t *const access = (volatile uint32_t *)0xE000ED88u;
    *access |= 0xFu << 20; /* coprocessors 10 and 11 */
    __asm volatile("dsb\n isb");
    _start();
}

static void fault(void) {
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    &stack_top,          (const void *)reset, (const void *)fault, (const void *)fault,
    (const void *)fault, (const void *)fault, (const void *)fault};
