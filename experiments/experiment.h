/* The paper's two experiments (Signorelli and Lombardi, arXiv 2504.08415): the methods that they compare, the problems
 * that they are compared on, and what is recorded of each. An experiment is a list of problems in groups; every method
 * is trained on every problem with the same encoder and budget, and a group makes one table. */
#ifndef HCR_EXPERIMENT_H
#define HCR_EXPERIMENT_H

#include "hcr/hcr_learn.h"
#include "hcr/hcr_table.h"

/* Each is one training, but for PROJECTION, which is SIMPLE's with its predictions projected. */
enum method {
    SIMPLE,
    LAGRANGIAN,
    PROJECTION,
    HCR,
    HCR_MEAN,
    DIRECT,
    DIRECT_MEAN,
    CONTRACT,
    CONTRACT_MEAN,
    CONTRACT_RAW,
    SOFTEN,
    METHODS
};
struct method_info {
    const char *key, *title; /* in file names, in tables */
    hcr_head head;
    int mean;          /* origin at the mean of the targets */
    double raw_weight; /* of hcr_fit_options */
    int published;     /* it is in the paper's tables */
    int guarded;       /* by a map of the region: decode, contract or soften */
};
extern const struct method_info method_info[METHODS];

/* A figure of the paper; NaN where it has none. */
struct published {
    double error, error_deviation, inside, inside_deviation, average_time, largest_time;
};

/* Data, a region, and the budget of training. All memory is the problem's. */
struct problem {
    char label[32];               /* as files and tables name it */
    size_t group;                 /* of the experiment */
    size_t number;                /* seed, or place of the series in its file */
    hcr_region *region, *centred; /* origin at the Chebyshev centre, and at the mean of the training targets */
    size_t inputs, n, train, test;
    double *x_train, *y_train, *x_test, *y_test; /* targets inside the region */
    double unit;                                 /* squared errors are given in it */
    hcr_fit_options options;                     /* encoder, budget and seed: the same for all methods */
    double ascent;                               /* of the Lagrangian */
    double smallest, largest, step;              /* of a series; NaN otherwise */
};
void problem_release(struct problem *problem);
/* Projects the targets into the region and makes the centred one from `builder`. Returns an exit code. */
int problem_finish(struct problem *problem, hcr_builder *builder);

enum { MOST_GROUPS = 4 };
struct group {
    const char *title;
    const char *error_name;            /* "MSE", "R-MSE" */
    const struct published *published; /* METHODS of them, or NULL */
};
struct experiment {
    const char *name;
    size_t groups;
    struct group group[MOST_GROUPS];
    int runs[METHODS]; /* which methods it compares */
    size_t problems;
    /* The i-th problem; *problem is zeroed, and released by the caller whatever is returned. Returns an exit code. */
    int (*make)(const struct experiment *experiment, size_t i, struct problem *problem);
    void (*name_problem)(const struct experiment *experiment, size_t i, char label[32]); /* as make does */
    void (*release)(struct experiment *experiment); /* frees what it holds; NULL: nothing */
    /* What decides the results, as name and value; runs of other settings are told apart by it. */
    size_t settings;
    struct setting {
        const char *name;
        double value;
    } setting[16];
    const void *data; /* its own */
};

/* What the command was asked for; 0 stands for the experiment's own. */
struct plan {
    const char *folder, *series, *weekly;
    size_t seeds, count, epochs, threads;
    int quick;
};
int experiment_synthetic(const struct plan *plan, struct experiment *experiment);
int experiment_m4(const struct plan *plan, struct experiment *experiment);

#endif
