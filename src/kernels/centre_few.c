/* The kernels of centres for as many samples as a register holds: one that is alone takes no more. */
#define HCRI_FEW
#include "kernels/centre_kernels.c"
#include "kernels/centre_limits.c"
