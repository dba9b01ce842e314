/* What the functions of a block of constraints are given: BLOCK(gauge)(ray) finds where the ray meets it,
 * BLOCK(check)(place) what is known of a place, BLOCK(gradient)(i, z, at, g) adds the gradient of its constraint i at
 * O + z to g: by the outputs and, behind them, by the parameters, with which O moves. All but unions and their like in
 * units in which c_i(O) is −1. A kind's file is taken once for each block, with its number in the
 * names that are in BLOCK(…), and with macros of the numbers that it has. */

#if HCR_CENTRED
/* What becomes of an output, or a combination of several: it moves; it has one value; it is that of outputs that don't
 * move, and says nothing. */
#define FREE 0
#define HELD 1
#define SILENT 2
#endif

#if HCR_PARAMETERS
/* What a sample's parameters make of the region: those held in their range, their distances from its middle, its
 * origin.
 */
typedef struct sample {
    real x[HCR_PARAMETERS];
    real moved[HCR_PARAMETERS];
#if HCR_CENTRED
    real origin[HCR_NODES];
    real lower[HCR_NODES];
    real upper[HCR_NODES];
    int fixed[HCR_NODES];      /* FREE, HELD or SILENT */
    real end[2u * HCR_LIMITS]; /* of each limit's node: lower, upper; LARGEST in size where there is none */
    uint16_t open[2u * HCR_LIMITS];
    uint32_t opens; /* the sides on which a node that may move has an end, and how many */
#if HCR_COUPLED
    real stiff[HCR_OUTPUTS]; /* what is added to D of outputs where systems are factorised (solve_centre) */
    int is_stiff;
#endif
#if HCR_EQUALITIES
    uint32_t completes[HCR_DEPENDENT];
#endif
#else
    real origin[HCR_OUTPUTS];
#if HCR_GRADIENT
    uint32_t which;
#endif
#endif
} sample;
#else
/* There is one origin, and nothing else that a sample may have: it is NULL. */
typedef struct sample sample;
#endif

/* Which directions have less say where the limits of a sample are about to meet: all, those that end beyond near
 * limits, or none. */
typedef enum damping { DAMP_ALL = 0, DAMP_BEYOND = 1, DAMP_NOTHING = 2 } damping;

/* O + t v, and 1/t where it meets the nearest inequality so far; 0: none. */
typedef struct ray {
    const real *v;
    const sample *at;
    real gauge;
#if HCR_GRADIENT
    uint32_t active;
#endif
} ray;

INLINE void meet(ray *r, real gauge, uint32_t number) {
    if (gauge > r->gauge) {
        r->gauge = gauge;
#if HCR_GRADIENT
        r->active = number;
#endif
    }
    (void)number;
}

/* y = O + z in units in which that isn't too far to compute with, the origin's unit being less than 1 for a y that is
 * far; `size` bounds |z_j|, and of dependent outputs |O_j| too: z is off by that share. */
typedef struct place {
    const real *y;
    const sample *at;
    real unit;
    real z[HCR_OUTPUTS];
    real size[HCR_OUTPUTS];
} place;
