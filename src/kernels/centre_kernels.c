/* Node i has a value v_i of its own, always strictly inside of its limits, with r_i = a_i·f − v_i missing; for columns
 * a_i·f = f_i. With φ_i the sum of −log of its distances from these, the centre minimises Σ φ_i(v_i) where r = 0.
 * Newton's step from where it isn't yet (Boyd and Vandenberghe, Convex Optimization, 2004, section 10.3) is
 *     φ_i'' dv_i + φ_i' = z_i,    dv_i = r_i + a_i·df,    Σ a_i z_i = 0.
 * z of columns and of rows of two columns, or of dense rows, is put in, that of other rows stays: with
 * D = Σ φ_i'' a_i a_i' of the first
 *     D df + A'z = −Σ (φ_i' + φ_i'' r_i) a_i of the first,    A df − z/φ'' = −(r + φ'/φ'') of the others,
 * a quasidefinite system as sparse as the rows. A whole step leaves r = 0. With the same matrix the third derivatives
 * make the error a third power (Chebyshev's method): −φ''' dv²/2 beside φ' on the right side gives what is added to the
 * step. */
#include "kernels/centre_lanes.h"

enum { MOST_STEPS = 12 };

typedef struct search {
    const hcri_centre_system *system;
    const hcri_eight_centres *at;
    double *inverse;      /* of each limit's distance */
    double *value, *rest; /* v and r, by node */
    double *low, *high;   /* between which a node is */
    double *curve;        /* φ'', of a row of more than two columns 1/φ'' */
    double *slope;        /* φ', then φ''' dv²/2 */
    double *change;       /* dv */
    double *entry;        /* of the system … */
    double *diagonal;     /* … by place … */
    double *step, *kept;  /* … df and z, first their right side; and df while another is solved for */
    double *factor;
} search;

static search begin(const hcri_centre_system *system, const hcri_eight_centres *at) {
    search s = {.system = system, .at = at, .value = at->value, .inverse = at->scratch};
    double **of_nodes[] = {&s.rest, &s.low, &s.high, &s.curve, &s.slope, &s.change};
    double **of_places[] = {&s.diagonal, &s.step, &s.kept};
    double *next = s.inverse + 8 * system->limit[2 * system->nodes];
    for (size_t k = 0; k < sizeof of_nodes / sizeof *of_nodes; k++, next += 8 * system->nodes)
        *of_nodes[k] = next;
    for (size_t k = 0; k < sizeof of_places / sizeof *of_places; k++, next += 8 * system->ldl.size)
        *of_places[k] = next;
    s.entry = next;
    s.factor = next + 8 * hcri_centre_entries(system);
    for (size_t i = 8 * system->ldl.size; i < 16 * system->ldl.size; i += WIDTH)
        store(s.factor + i, spread(0));
    const size_t first = system->start[system->pairs], last = system->start[system->nodes - system->columns];
    for (size_t k = first; k < last; k++)
        EACH_PART
    store(s.entry + 8 * (system->shared + k - first) + WIDTH * p, spread(system->value[k]));
    return s;
}

/* out = x of the columns, and A x of the rows, x by place; added to `out` where that is wanted. */
static inline void extend(const hcri_centre_system *of, const double *x, int add, double *out) {
    const hcri_centre_system system = *of;
    for (size_t j = 0; j < system.columns; j++, out += 8)
        EACH_PART {
            const lanes own = load(x + 8 * (size_t)system.place[j] + WIDTH * p);
            store(out + WIDTH * p, add ? load(out + WIDTH * p) + own : own);
        }
    for (size_t r = 0; r < system.nodes - system.columns; r++, out += 8) {
        lanes sum[PARTS];
        EACH_PART
        sum[p] = add ? load(out + WIDTH * p) : spread(0);
        for (size_t k = system.start[r]; k < system.start[r + 1]; k++)
            EACH_PART
        sum[p] = lanes_fused(spread(system.value[k]), load(x + 8 * (size_t)system.at[k] + WIDTH * p), sum[p]);
        EACH_PART
        store(out + WIDTH * p, sum[p]);
    }
}

/* Each node's value begins as the guess has it, where that is far enough inside. */
static void begin_inside(const search *of) {
    static const double share = 0.1, most = 1e300;
    const search s = *of;
    const hcri_centre_system system = *s.system;
    extend(&system, s.at->f, 0, s.value);
    for (size_t i = 0; i < system.nodes; i++)
        for (size_t l = 8 * i, p = 0; p < PARTS; p++, l += WIDTH) {
            lanes low, high;
            between(&system, s.at->limit + WIDTH * p, i, &low, &high);
            const lanes width = high - low, value = load(s.value + l);
            const lanes within =
                lanes_if_more(spread(most), width, share * width, spread(system.scale * system.length[i]));
            lanes inside = lanes_max(lanes_min(value, high - within), low + within);
            if (s.at->equal != NULL && i >= system.columns)
                inside = lanes_if_more(load(s.at->equal + l - 8 * system.columns), spread(0),
                                       load(s.at->goal + l - 8 * system.columns), inside);
            store(s.low + l, lanes_max(low, spread(-most)));
            store(s.high + l, lanes_min(high, spread(most)));
            store(s.value + l, inside);
            store(s.rest + l, value - inside);
        }
}

/* φ' and φ'' of each node. */
static void differentiate(const search *of) {
    const search s = *of;
    const hcri_centre_system system = *s.system;
    for (size_t i = 0; i < system.nodes; i++) {
        lanes value[PARTS], slope[PARTS], curve[PARTS];
        EACH_PART {
            value[p] = load(s.value + 8 * i + WIDTH * p);
            slope[p] = curve[p] = spread(0);
        }
        size_t k = system.limit[2 * i];
        for (; k < system.limit[2 * i + 1]; k++)
            EACH_PART {
                const lanes inverse = 1 / (value[p] - load(s.at->limit + 8 * k + WIDTH * p));
                store(s.inverse + 8 * k + WIDTH * p, inverse);
                slope[p] -= inverse;
                curve[p] = lanes_fused(inverse, inverse, curve[p]);
            }
        for (; k < system.limit[2 * i + 2]; k++)
            EACH_PART {
                const lanes inverse = 1 / (load(s.at->limit + 8 * k + WIDTH * p) - value[p]);
                store(s.inverse + 8 * k + WIDTH * p, inverse);
                slope[p] += inverse;
                curve[p] = lanes_fused(inverse, inverse, curve[p]);
            }
        EACH_PART {
            store(s.slope + 8 * i + WIDTH * p, slope[p]);
            store(s.curve + 8 * i + WIDTH * p, curve[p]);
        }
    }
}

/* What row r that is put in has on the right side: −`of_row` times its entries. */
static inline void add_right(const search *s, const hcri_centre_system *system, size_t r, size_t p, lanes of_row) {
    for (size_t k = system->start[r]; k < system->start[r + 1]; k++) {
        double *right = s->step + 8 * (size_t)system->at[k] + WIDTH * p;
        store(right, lanes_fused(spread(-system->value[k]), of_row, load(right)));
    }
}

/* Rows that are equalities: with v = a·f − r where they should be, z = multiplier + weight (r + a·df). The larger the
 * weight the less of r one step leaves; the multiplier takes what would hold it away. */
static void add_equalities(const search *of) {
    static const double large = 1e8, tiny = 1e-290;
    const search s = *of;
    const hcri_centre_system system = *s.system;
    const double *equal = s.at->equal, *multiplier = s.at->multiplier;
    const lanes least = spread(1 / (system.scale * system.scale));
    for (size_t r = 0; r < system.nodes - system.columns; r++)
        for (size_t l = 8 * r, p = 0; p < PARTS; p++, l += WIDTH) {
            lanes sum = spread(tiny);
            if (!any(load(equal + l) > 0))
                continue;
            for (size_t k = system.start[r]; k < system.start[r + 1]; k++) {
                const lanes curve = load(s.diagonal + 8 * (size_t)system.at[k] + WIDTH * p);
                sum += system.value[k] * system.value[k] / lanes_if_more(curve, spread(0), curve, least);
            }
            const size_t to = l + 8 * system.columns;
            store(s.curve + to, lanes_fused(load(equal + l), large / sum, load(s.curve + to)));
            store(s.slope + to, load(s.slope + to) + load(multiplier + l));
        }
}

/* Σ φ_r'' a_r a_r' of dense rows, some columns at a time in registers. */
static void add_dense(const search *of) {
    const search s = *of;
    const hcri_centre_system system = *s.system;
    const size_t rows = system.nodes - system.columns;
    const double *curve = s.curve + 8 * system.columns;
    double *weighed = s.change; /* not needed yet */
    for (size_t j = 0; j < system.columns; j++) {
        for (size_t r = 0; r < rows; r++)
            EACH_PART
        store(weighed + 8 * r + WIDTH * p, system.dense[j * rows + r] * load(curve + 8 * r + WIDTH * p));
        for (size_t i = 0; i <= j; i += HCRI_DENSE_COLUMNS) {
            lanes sum[HCRI_DENSE_COLUMNS][PARTS];
            const double *value = system.dense + i * rows;
            for (size_t t = 0; t < HCRI_DENSE_COLUMNS; t++)
                EACH_PART
            sum[t][p] = spread(0);
            for (size_t r = 0; r < rows; r++)
                for (size_t t = 0; t < HCRI_DENSE_COLUMNS; t++)
                    EACH_PART
            sum[t][p] = lanes_fused(spread(value[t * rows + r]), load(weighed + 8 * r + WIDTH * p), sum[t][p]);
            for (size_t t = 0; t < HCRI_DENSE_COLUMNS && i + t <= j; t++) {
                double *to =
                    i + t < j ? s.entry + 8 * hcri_centre_pair(i + t, j) : s.diagonal + 8 * (size_t)system.place[j];
                EACH_PART
                store(to + WIDTH * p, load(to + WIDTH * p) + sum[t][p]);
            }
        }
    }
}

/* Σ φ_r'' a_r a_r' of rows of two columns. */
static void add_pairs(const search *of) {
    const search s = *of;
    const hcri_centre_system system = *s.system;
    for (size_t r = 0; r < system.pairs; r++) {
        const double *value = system.value + system.start[r];
        const uint32_t *at = system.at + system.start[r];
        double *entry = s.entry + 8 * (size_t)system.entry[r], *one = s.diagonal + 8 * (size_t)at[0],
               *other = s.diagonal + 8 * (size_t)at[1];
        for (size_t l = 8 * (system.columns + r), p = 0; p < PARTS; p++, l += WIDTH) {
            const lanes curve = load(s.curve + l), first = value[0] * curve;
            store(one + WIDTH * p, lanes_fused(spread(value[0]), first, load(one + WIDTH * p)));
            store(other + WIDTH * p, lanes_fused(spread(value[1] * value[1]), curve, load(other + WIDTH * p)));
            store(entry + WIDTH * p, lanes_fused(spread(value[1]), first, load(entry + WIDTH * p)));
        }
    }
}

/* The system, from the derivatives. */
static void assemble(const search *of) {
    static const double none = 1e-300, held = 1e300;
    const search s = *of;
    const hcri_centre_system system = *s.system;
    const size_t columns = system.columns;
    for (size_t j = 0; j < columns; j++)
        for (size_t l = 8 * j, to = 8 * (size_t)system.place[j], p = 0; p < PARTS; p++, l += WIDTH, to += WIDTH) {
            const lanes curve = load(s.curve + l), moves = load(s.at->moves + l);
            lanes right = lanes_fused(curve, load(s.rest + l), load(s.slope + l)), diagonal = curve;
            if (system.pull != 0) {
                right += system.pull * (load(s.at->f + to) - load(s.at->towards + to));
                diagonal += system.pull;
            }
            store(s.diagonal + to, lanes_fused(1 - moves, spread(held), diagonal));
            store(s.step + to, -moves * right);
        }
    if (s.at->equal != NULL)
        add_equalities(of);
    for (size_t l = 0; l < 8 * system.shared; l += WIDTH)
        store(s.entry + l, spread(0));
    if (system.dense != NULL)
        add_dense(of);
    else
        add_pairs(of);
    for (size_t r = 0; r < system.pairs; r++)
        for (size_t l = 8 * (columns + r), p = 0; p < PARTS; p++, l += WIDTH)
            add_right(&s, &system, r, p, lanes_fused(load(s.curve + l), load(s.rest + l), load(s.slope + l)));
    for (size_t i = columns + system.pairs; i < system.nodes; i++)
        for (size_t l = 8 * i, to = 8 * (size_t)system.place[i - system.pairs], p = 0; p < PARTS;
             p++, l += WIDTH, to += WIDTH) {
            const lanes flat = 1 / lanes_max(load(s.curve + l), spread(none));
            store(s.curve + l, flat);
            store(s.diagonal + to, -flat);
            store(s.step + to, -lanes_fused(load(s.slope + l), flat, load(s.rest + l)));
        }
}

/* L and D⁻¹ of LDL', and L⁻¹ times what stands in `step`. */
static void factorise(const search *of) {
    const search s = *of;
    const hcri_ldl ldl = s.system->ldl;
    double *d = s.factor, *y = d + 8 * ldl.size, *l = y + 8 * ldl.size; /* y is 0, and is so again in the end */
    for (size_t k = 0; k < ldl.size; k++) {
        lanes pivot[PARTS], right[PARTS];
        EACH_PART {
            pivot[p] = load(s.diagonal + 8 * k + WIDTH * p);
            right[p] = load(s.step + 8 * k + WIDTH * p);
        }
        for (size_t e = ldl.above[k]; e < ldl.above[k + 1]; e++)
            EACH_PART
        store(y + 8 * (size_t)ldl.above_row[e] + WIDTH * p, load(s.entry + 8 * (size_t)ldl.above_entry[e] + WIDTH * p));
        for (size_t t = ldl.across[k]; t < ldl.across[k + 1]; t++) {
            const size_t i = ldl.across_column[t], end = ldl.across_entry[t];
            lanes own[PARTS];
            EACH_PART {
                own[p] = load(y + 8 * i + WIDTH * p);
                store(y + 8 * i + WIDTH * p, spread(0));
            }
            for (size_t e = ldl.column[i]; e < end; e++) {
                double *to = y + 8 * (size_t)ldl.row[e];
                EACH_PART
                store(to + WIDTH * p, lanes_fused(-load(l + 8 * e + WIDTH * p), own[p], load(to + WIDTH * p)));
            }
            EACH_PART {
                const lanes entry = own[p] * load(d + 8 * i + WIDTH * p);
                store(l + 8 * end + WIDTH * p, entry);
                pivot[p] = lanes_fused(-entry, own[p], pivot[p]);
                right[p] = lanes_fused(-entry, load(s.step + 8 * i + WIDTH * p), right[p]);
            }
        }
        EACH_PART {
            store(d + 8 * k + WIDTH * p, 1 / pivot[p]);
            store(s.step + 8 * k + WIDTH * p, right[p]);
        }
    }
}

/* `step`, by place, from L⁻¹ times a right side to the solution. */
static void solve_back(const search *of) {
    const search s = *of;
    const hcri_ldl ldl = s.system->ldl;
    const double *d = s.factor, *l = d + 16 * ldl.size;
    double *x = s.step;
    for (size_t k = ldl.size; k-- > 0;) {
        lanes own[PARTS];
        EACH_PART
        own[p] = load(x + 8 * k + WIDTH * p) * load(d + 8 * k + WIDTH * p);
        for (size_t e = ldl.column[k]; e < ldl.column[k + 1]; e++)
            EACH_PART
        own[p] = lanes_fused(-load(l + 8 * e + WIDTH * p), load(x + 8 * (size_t)ldl.row[e] + WIDTH * p), own[p]);
        EACH_PART
        store(x + 8 * k + WIDTH * p, own[p]);
    }
}

static void solve(const search *of) {
    const search s = *of;
    const hcri_ldl ldl = s.system->ldl;
    const double *l = s.factor + 16 * ldl.size;
    double *x = s.step;
    for (size_t k = 0; k < ldl.size; k++) {
        lanes own[PARTS];
        EACH_PART
        own[p] = load(x + 8 * k + WIDTH * p);
        for (size_t e = ldl.column[k]; e < ldl.column[k + 1]; e++) {
            double *to = x + 8 * (size_t)ldl.row[e];
            EACH_PART
            store(to + WIDTH * p, lanes_fused(-load(l + 8 * e + WIDTH * p), own[p], load(to + WIDTH * p)));
        }
    }
    solve_back(of);
}

/* The largest share of a distance that a step takes, or gives; and φ''' dv²/2 into `slope`. */
static void differentiate_thrice(const search *of, lanes big[PARTS]) {
    const search s = *of;
    const hcri_centre_system system = *s.system;
    EACH_PART
    big[p] = spread(0);
    for (size_t i = 0; i < system.nodes; i++) {
        lanes change[PARTS], third[PARTS];
        EACH_PART {
            change[p] = load(s.change + 8 * i + WIDTH * p);
            third[p] = spread(0);
        }
        size_t k = system.limit[2 * i];
        for (; k < system.limit[2 * i + 1]; k++)
            EACH_PART {
                const lanes inverse = load(s.inverse + 8 * k + WIDTH * p), share = change[p] * inverse;
                big[p] = lanes_max(lanes_abs(share), big[p]);
                third[p] = lanes_fused(-inverse, share * share, third[p]);
            }
        for (; k < system.limit[2 * i + 2]; k++)
            EACH_PART {
                const lanes inverse = load(s.inverse + 8 * k + WIDTH * p), share = change[p] * inverse;
                big[p] = lanes_max(lanes_abs(share), big[p]);
                third[p] = lanes_fused(inverse, share * share, third[p]);
            }
        EACH_PART
        store(s.slope + 8 * i + WIDTH * p, third[p]);
    }
}

/* The largest share of a distance that the step takes. */
static void find_taken(const search *of, lanes most[PARTS]) {
    const search s = *of;
    const hcri_centre_system system = *s.system;
    for (size_t i = 0; i < system.nodes; i++) {
        lanes change[PARTS];
        EACH_PART
        change[p] = load(s.change + 8 * i + WIDTH * p);
        size_t k = system.limit[2 * i];
        for (; k < system.limit[2 * i + 1]; k++)
            EACH_PART
        most[p] = lanes_max(-change[p] * load(s.inverse + 8 * k + WIDTH * p), most[p]);
        for (; k < system.limit[2 * i + 2]; k++)
            EACH_PART
        most[p] = lanes_max(change[p] * load(s.inverse + 8 * k + WIDTH * p), most[p]);
    }
}

/* With Σ z_i a_i = 0 no f has Σ z_i a_i·f other than 0: Σ of the most that each z_i a_i·f can be tells, where it is
 * negative, that there is no f. Counts where all columns move. */
static void find_empty(const search *of, lanes empty[PARTS]) {
    static const double rounding = 1e-9;
    const search s = *of;
    const hcri_centre_system system = *s.system;
    const lanes zero = spread(0);
    lanes sum[PARTS], size[PARTS], held[PARTS];
    EACH_PART
    sum[p] = size[p] = held[p] = zero;
    for (size_t i = 0; i < system.nodes; i++)
        for (size_t l = 8 * i, p = 0; p < PARTS; p++, l += WIDTH) {
            const lanes z = i < system.columns + system.pairs
                                ? lanes_fused(load(s.curve + l), load(s.change + l), load(s.slope + l))
                                : load(s.step + 8 * (size_t)system.place[i - system.pairs] + WIDTH * p);
            const lanes part = z * lanes_if_more(z, zero, load(s.high + l), load(s.low + l));
            sum[p] += part;
            size[p] += lanes_abs(part);
            if (i < system.columns)
                held[p] += 1 - load(s.at->moves + l);
        }
    EACH_PART {
        const lanes negative = lanes_if_more(-rounding * size[p], sum[p], spread(1), zero);
        empty[p] = lanes_if_more(held[p], zero, zero, negative);
    }
}

/* The step from third derivatives, a part of it, added to df and dv. */
static void add_third(const search *of, const lanes part[PARTS]) {
    const search s = *of;
    const hcri_centre_system system = *s.system;
    const size_t size = 8 * system.ldl.size;
    for (size_t l = 0; l < size; l += WIDTH)
        store(s.kept + l, load(s.step + l));
    for (size_t j = 0; j < system.columns; j++)
        for (size_t l = 8 * j, to = 8 * (size_t)system.place[j], p = 0; p < PARTS; p++, l += WIDTH, to += WIDTH)
            store(s.step + to, -part[p] * load(s.slope + l) * load(s.at->moves + l));
    for (size_t r = 0; r < system.pairs; r++)
        EACH_PART
    add_right(&s, &system, r, p, part[p] * load(s.slope + 8 * (system.columns + r) + WIDTH * p));
    for (size_t i = system.columns + system.pairs; i < system.nodes; i++)
        for (size_t l = 8 * i, to = 8 * (size_t)system.place[i - system.pairs], p = 0; p < PARTS;
             p++, l += WIDTH, to += WIDTH)
            store(s.step + to, -part[p] * load(s.slope + l) * load(s.curve + l));
    solve(of);
    extend(&system, s.step, 1, s.change);
    for (size_t l = 0; l < size; l += WIDTH)
        store(s.step + l, load(s.step + l) + load(s.kept + l));
}

static void move(const search *of, const lanes share[PARTS]) {
    const search s = *of;
    const hcri_centre_system system = *s.system;
    for (size_t i = 0; i < system.nodes; i++)
        for (size_t l = 8 * i, p = 0; p < PARTS; p++, l += WIDTH) {
            store(s.value + l, lanes_fused(share[p], load(s.change + l), load(s.value + l)));
            store(s.rest + l, (1 - share[p]) * load(s.rest + l));
        }
    for (size_t r = 0; s.at->equal != NULL && r < system.nodes - system.columns; r++)
        for (size_t l = 8 * r, i = 8 * (system.columns + r), p = 0; p < PARTS; p++, l += WIDTH, i += WIDTH) {
            const lanes change = load(s.change + i), by = share[p] * load(s.at->equal + l),
                        weight = r < system.pairs ? load(s.curve + i) : 1 / load(s.curve + i);
            store(s.value + i, lanes_fused(-by, change, load(s.value + i)));
            store(s.rest + i, lanes_fused(by, change, load(s.rest + i)));
            store(s.at->multiplier + l, lanes_fused(by * weight, change, load(s.at->multiplier + l)));
        }
    for (size_t j = 0; j < system.columns; j++)
        for (size_t l = 8 * (size_t)system.place[j], p = 0; p < PARTS; p++, l += WIDTH)
            store(s.at->f + l, lanes_fused(share[p], load(s.step + l), load(s.at->f + l)));
}

static void find(const hcri_centre_system *system, const hcri_eight_centres *at, hcri_centre_search found[8]) {
    /* Of a step, which leaves its third power; and of equalities 1e-8 of it. */
    const double enough = at->equal == NULL ? 1e-4 : 1e-7;
    static const double near = 0.25, furthest = 0.7, within = 0.5;
    const search s = begin(system, at);
    const lanes zero = spread(0), one = spread(1);
    lanes goes_on[PARTS], is_empty[PARTS], is_found[PARTS], was_far[PARTS]; /* where it wasn't near it may be empty */
    EACH_PART {
        goes_on[p] = one;
        is_empty[p] = is_found[p] = was_far[p] = zero;
    }
    begin_inside(&s);
    int left = 1, any_far = 0;
    for (int steps = 0; steps < MOST_STEPS && left; steps++) {
        lanes big[PARTS], part[PARTS], share[PARTS], empty[PARTS], most[PARTS];
        differentiate(&s);
        assemble(&s);
        factorise(&s);
        solve_back(&s);
        for (size_t l = 0; l < 8 * system->nodes; l += WIDTH)
            store(s.change + l, load(s.rest + l));
        extend(system, s.step, 1, s.change);
        EACH_PART
        empty[p] = most[p] = zero;
        if (any_far)
            find_empty(&s, empty);
        any_far = 0;
        differentiate_thrice(&s, big);
        EACH_PART {
            const lanes least = 1 / lanes_max(big[p] * (1 / within), one);
            part[p] = least * least;
            empty[p] *= was_far[p];
            was_far[p] = lanes_if_more(spread(near), big[p], zero, goes_on[p]);
            any_far |= any(was_far[p] > zero);
        }
        add_third(&s, part);
        if (any_far)
            find_taken(&s, most);
        left = 0;
        EACH_PART {
            const lanes far = lanes_min(furthest / lanes_max(most[p], spread(furthest)), one);
            share[p] = goes_on[p] * lanes_if_more(spread(near), big[p], one, far);
            const lanes done = lanes_if_more(spread(enough), big[p], goes_on[p], zero);
            const lanes over = lanes_if_more(spread(near), big[p], zero, goes_on[p] * empty[p]);
            is_found[p] += done;
            is_empty[p] += over;
            goes_on[p] -= done + over;
            left |= any(goes_on[p] > zero);
        }
        move(&s, share);
    }
    extend(system, at->f, 0, s.value); /* without the rounding of all steps */
    EACH_PART
    for (size_t l = 0; l < WIDTH; l++)
        found[WIDTH * p + l] = is_found[p][l] > 0   ? HCRI_CENTRE_FOUND
                               : is_empty[p][l] > 0 ? HCRI_CENTRE_EMPTY
                                                    : HCRI_CENTRE_NOT_SO;
}

static void bend(const hcri_centre_system *system, const hcri_eight_centres *at) {
    const search s = begin(system, at);
    extend(system, at->f, 0, s.value);
    differentiate(&s);
}

static void turn(const hcri_centre_system *system, const hcri_eight_centres *at, double *towards) {
    const search s = begin(system, at);
    const size_t size = 8 * system->ldl.size;
    for (size_t l = 0; l < 8 * system->nodes; l += WIDTH)
        store(s.rest + l, spread(0));
    assemble(&s);
    for (size_t l = 0; l < size; l += WIDTH)
        store(s.step + l, load(towards + l));
    factorise(&s);
    solve_back(&s);
    for (size_t l = 0; l < size; l += WIDTH)
        store(towards + l, load(s.step + l));
    extend(system, s.step, 0, s.value);
}

extern const hcri_centre_kernels CENTRE();
const hcri_centre_kernels CENTRE() = {.lanes = WIDTH * PARTS,
                                      .search = find,
                                      .bend = bend,
                                      .turn = turn,
                                      .measure = centre_measure,
                                      .limits = centre_limits,
                                      .pull_limits = centre_pull_limits,
                                      .push_limits = centre_push_limits,
                                      .meet = centre_meet};
