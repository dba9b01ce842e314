#include "why.h"

#include "report.h"
#include "tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static hcr_constraint_info info_of(const hcr_region *region, uint32_t number) {
    const size_t inequalities = hcr_region_constraints(region);
    return number < inequalities ? hcr_region_constraint(region, number)
                                 : hcr_region_equality(region, number - inequalities);
}

static int is_same_source(const hcr_constraint_info *a, const hcr_constraint_info *b) {
    return a->line == b->line && strcmp(a->file, b->file) == 0 && strcmp(a->text, b->text) == 0;
}

static int source_has_more(const hcr_region *region, const hcr_constraint_info *info) {
    for (size_t i = 0; i < hcr_region_constraints(region); i++) {
        const hcr_constraint_info other = hcr_region_constraint(region, i);
        if (other.row != info->row && is_same_source(&other, info))
            return 1;
    }
    return 0;
}

/* A member of a conflict: how much it would have to give alone, infinite where that doesn't help. */
struct member {
    hcr_constraint_info info;
    int is_equality;
    double change;
};

static int by_source(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    const int file = strcmp(x->info.file, y->info.file);
    return file != 0                      ? file
           : x->info.line != y->info.line ? (x->info.line > y->info.line) - (x->info.line < y->info.line)
                                          : (x->info.row > y->info.row) - (x->info.row < y->info.row);
}

/* "    load.region:7: load <= cap (inequalities 0 to 3, 5 of it)", of `count` members of one source. */
static void print_limits(const hcr_region *region, size_t count, const struct member *member) {
    const hcr_constraint_info *info = &member->info;
    printf("    ");
    if (info->file[0] != '\0')
        printf("%s:%d: ", info->file, info->line);
    fputs(info->text[0] == '\0' ? info->kind : info->text, stdout);
    if (member->is_equality || !source_has_more(region, info))
        return;
    fputs(count == 1 ? " (inequality" : " (inequalities", stdout);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && member[next].info.row == member[next - 1].info.row + 1;)
            next++;
        printf("%s %zu", first == 0 ? "" : ",", member[first].info.row);
        if (next > first + 1)
            printf(" to %zu", member[next - 1].info.row);
    }
    fputs(" of it)", stdout);
}

static void print_conflict(const hcr_region *region, size_t count, const uint32_t *numbers, const double *change) {
    struct member *member = allocate(count, sizeof *member);
    for (size_t k = 0; k < count; k++)
        member[k] =
            (struct member){info_of(region, numbers[k]), numbers[k] >= hcr_region_constraints(region), change[k]};
    qsort(member, count, sizeof *member, by_source);
    puts("  these limits contradict each other, and none of them can be left out:");
    for (size_t k = 0, next; k < count; k = next) {
        for (next = k + 1; next < count && isinf(member[k].change) && isinf(member[next].change) &&
                           is_same_source(&member[k].info, &member[next].info);)
            next++;
        print_limits(region, next - k, &member[k]);
        if (!isinf(member[k].change))
            printf(": alone it would have to give %.9g\n", member[k].change);
        else if (member[k].is_equality)
            puts(next == k + 1 ? ": an equality" : ": equalities");
        else
            printf(": however far %s gives alone, the others leave no point\n", next == k + 1 ? "it" : "one of these");
    }
    free(member);
}

static void print_slacks(const hcr_region *region, const hcr_relaxation *relaxation, const double *slacks) {
    puts("  the least that soft limits give together:");
    for (size_t k = 0; k < hcr_relaxation_slacks(relaxation); k++)
        if (slacks[k] > 0) {
            const struct member member = {.info = info_of(region, hcr_relaxation_constraint(relaxation, k))};
            print_limits(region, 1, &member);
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
