#include "why.h"

#include "report.h"
#include "tables.h"

#include <math.h>
#include <stdlib.h>

static hcr_constraint_info info_of(const hcr_region *region, uint32_t number) {
    const size_t inequalities = hcr_region_constraints(region);
    return number < inequalities ? hcr_region_constraint(region, number)
                                 : hcr_region_equality(region, number - inequalities);
}

/* "    load.region:7: load <= cap (inequality 3 of it)" */
static void print_limit(const hcr_region *region, uint32_t number) {
    const hcr_constraint_info info = info_of(region, number);
    printf("    ");
    if (info.file[0] != '\0')
        printf("%s:%d: ", info.file, info.line);
    printf("%s (number %zu of that line)", info.text[0] == '\0' ? info.kind : info.text, info.row);
}

static void print_conflict(const hcr_region *region, size_t count, const uint32_t *members, const double *change) {
    puts("  these limits contradict each other, and none of them can be left out:");
    for (size_t k = 0; k < count; k++) {
        print_limit(region, members[k]);
        if (isinf(change[k]))
            puts(members[k] < hcr_region_constraints(region) ? ": however far it gives, others leave no point"
                                                             : ": an equality");
        else
            printf(": alone it would have to give %.9g\n", change[k]);
    }
}

static void print_slacks(const hcr_region *region, const hcr_relaxation *relaxation, const double *slacks) {
    puts("  the least that soft limits give together:");
    for (size_t k = 0; k < hcr_relaxation_slacks(relaxation); k++)
        if (slacks[k] > 0) {
            print_limit(region, hcr_relaxation_constraint(relaxation, k));
            printf(": %.9g\n", slacks[k]);
        }
}

int explain_samples(const hcr_region *region, const char *path) {
    const size_t p = hcr_region_parameters(region), n = hcr_region_dimension(region);
    hcr_relaxation *relaxation;
    hcr_table table = {0};
    int any = 0;
    must(hcr_relaxation_create(region, &relaxation, &failure));
    char **names = names_of_parameters(region);
    table_read_matched(path, p, (const char *const *)names, "the table of parameters", &table);
    uint32_t *members = allocate(n + 1, sizeof *members), outcome;
    double *change = allocate(n + 1, sizeof *change);
    double *relaxed = allocate(hcr_region_parameters(hcr_relaxation_region(relaxation)), sizeof *relaxed);
    for (size_t i = 0; i < table.rows; i++) {
        const double *x = table.values + i * p;
        size_t count;
        must(hcr_relax(relaxation, 1, x, relaxed, &outcome, &failure));
        if (outcome == HCR_OUTCOME_INSIDE || outcome == HCR_OUTCOME_OUT_OF_RANGE) {
            printf("row %zu: %s\n", i,
                   outcome == HCR_OUTCOME_INSIDE ? "its limits leave points" : "a parameter is out of its range");
            any |= outcome != HCR_OUTCOME_INSIDE;
            continue;
        }
        any = 1;
        printf("row %zu: its limits leave no point\n", i);
        must(hcr_relaxation_conflict(relaxation, x, &count, members, change, &failure));
        print_conflict(region, count, members, change);
        if (outcome == HCR_OUTCOME_RELAXED)
            print_slacks(region, relaxation, relaxed + p);
        else
            puts("  limits that are hard contradict each other: no others can mend that");
    }
    free(names);
    free(members);
    free(change);
    free(relaxed);
    hcr_table_clear(&table);
    hcr_relaxation_free(relaxation);
    return any;
}
