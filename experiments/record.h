/* What is kept of a method on a problem: a row of numbers, and files of such rows. */
#ifndef HCR_EXPERIMENT_RECORD_H
#define HCR_EXPERIMENT_RECORD_H

#include "experiment.h"

/* Times of single samples fall into bins, ten to a decade from 10 ns on; the last one has no end. */
enum { BINS = 80, BINS_A_DECADE = 10 };
#define FIRST_BIN 1e-8

enum field {
    FIELD_GROUP,
    FIELD_NUMBER,
    FIELD_METHOD,
    FIELD_TRAIN_ROWS,
    FIELD_TEST_ROWS,
    FIELD_ERROR,          /* mean squared error of the test predictions, in the problem's unit */
    FIELD_TRAINING_ERROR, /* of the training predictions, before anything is done to them */
    FIELD_INSIDE,         /* share of the test predictions inside at tolerance 0, decided exactly */
    FIELD_INSIDE_1E6,     /* at 1e-6 in the constraints' own units, in floating point */
    FIELD_EXCESS,         /* mean over the predictions of max(0, gauge − 1): how far beyond the frontier */
    FIELD_LARGEST_EXCESS,
    FIELD_SECONDS, /* of training */
    /* Seconds of post-processing a sample: projection or map; NaN where there is none. */
    FIELD_AVERAGE_TIME,
    FIELD_LARGEST_TIME,
    FIELD_MOVED,              /* share of the samples that weren't inside before it */
    FIELD_AVERAGE_TIME_MOVED, /* over those; NaN when there are none */
    FIELD_CANDIDATES,         /* constraints a sample that Algorithm 1 leaves to intersect */
    FIELDS
};
struct record {
    double value[FIELDS];
    double bin[BINS]; /* samples whose post-processing took that long */
};

/* A folder with settings.csv, runs/PROBLEM.METHOD.csv … Each is written whole or not at all. */
struct store {
    const char *folder;
    const struct experiment *experiment;
};
/* Makes the folder, or checks that what is in it is of the same experiment and settings. Returns an exit code. */
int store_open(struct store *store, const char *folder, const struct experiment *experiment);
/* The path of a file of a problem; `what` is a method's key or another word. */
void store_path(const struct store *store, const char *label, const char *what, char path[512]);
int store_has(const struct store *store, const char *label, const char *what);
/* One training's records: one, and for SIMPLE a second one for PROJECTION. */
int store_write(const struct store *store, const char *label, const char *what, size_t count,
                const struct record *records);
/* Appends what there is of a training; none is no error. */
int store_read(const struct store *store, const char *label, const char *what, size_t *count, struct record *records);
/* runs.csv and runs.json: every record, with its label. */
int store_export(const struct store *store, size_t count, const struct record *records, const char *const *labels);

#endif
