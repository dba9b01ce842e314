/* The constraints that hold the last point as the region numbers them, and the linear system of a point that stays on
 * their face. */
#include <math.h>
#include <string.h>

#include "dense/dense.h"
#include "project/active_set_state.h"
#include "project/projection_tolerances.h"

/* The number in the region of constraint c, on the side given, and back. */
static uint32_t number_of(const hcri_active_set *a, size_t c, double side) {
    const hcri_set *set = &a->region->set;
    const uint32_t below = side < 0;
    if (c < a->coordinates.outputs)
        return set->box->base.first + 2 * (uint32_t)c + below;
    c -= a->coordinates.outputs;
    if (c < set->linear->rows.count)
        return set->linear->base.first + 2 * (uint32_t)c + below;
    c -= set->linear->rows.count;
    size_t b = 2;
    for (; !set->block[b]->kind->is_bilinear || 2 * c >= set->block[b]->count; b++)
        c -= set->block[b]->kind->is_bilinear ? set->block[b]->count / 2 : 0;
    return set->block[b]->first + 2 * (uint32_t)c + below;
}

static uint32_t constraint_of(const hcri_active_set *a, uint32_t number, double *side) {
    const hcri_set *set = &a->region->set;
    size_t local, c = a->coordinates.outputs;
    const hcri_constraint *block = hcri_set_block_of(set, number, &local);
    *side = local % 2 == 0 ? 1 : -1;
    if (block == set->block[0])
        return (uint32_t)(local / 2);
    if (block != set->block[1])
        c += set->linear->rows.count;
    for (size_t b = 2; block != set->block[1] && set->block[b] != block; b++)
        c += set->block[b]->kind->is_bilinear ? set->block[b]->count / 2 : 0;
    return (uint32_t)(c + local / 2);
}

size_t hcri_active_set_contacts(const hcri_active_set *a, hcr_contact *contact) {
    size_t count = 0;
    for (size_t i = 0; i < a->active && count < a->coordinates.outputs; i++) {
        const uint32_t c = a->constraint[i];
        const double multiplier = a->multiplier[i],
                     side = hcri_active_is_equality(a, c) ? copysign(1, multiplier) : a->side[i];
        if ((c < a->equality || c >= a->cut) && side * multiplier > 0)
            contact[count++] =
                (hcr_contact){.constraint = number_of(a, c, side), .multiplier = side * multiplier / a->length[c]};
    }
    return count;
}

int hcri_active_set_hold(hcri_active_set *a, size_t count, const hcr_contact *contact) {
    a->count = a->cut;
    a->out_of_memory = 0;
    if (!hcri_active_start_anew(a))
        return 0;
    for (size_t i = 0; i < count; i++) {
        double side;
        const uint32_t c = constraint_of(a, contact[i].constraint, &side);
        if (!hcri_active_make_room(a))
            return 0;
        if (!a->is_active[c] &&
            (hcri_active_across(a, c) > hcri_nearly_dependent || hcri_active_resolve(a, c) > hcri_row_independence) &&
            !hcri_active_add(a, c, side, contact[i].multiplier))
            return 0;
    }
    return 1;
}

/* Multipliers ν and z ← z − Nν with N'z = right, of the active constraints N. */
static void solve_active(hcri_active_set *a, double *z) {
    for (int round = 0; round < 2; round++) { /* the second takes away what rounding left */
        for (size_t i = 0; i < a->active; i++)
            a->step[i] = hcri_active_dot(a, a->constraint[i], z) - a->right[a->constraint[i]];
        hcri_envelope_forward(&a->gram, a->step);
        hcri_envelope_backward(&a->gram, a->step);
        for (size_t i = 0; i < a->active; i++) {
            hcri_active_add_row(a, a->constraint[i], -a->step[i], z);
            a->multiplier[i] = (round == 0 ? 0 : a->multiplier[i]) + a->step[i];
        }
    }
}

/* Where equalities are fixed, z = M s + Z w with U's = theirs of the bottom and w = Z'g − Z'Nν; their multipliers are
 * U⁻¹(M'(g − Nν) − s). */
static void solve_free(hcri_active_set *a, double *g, double *bottom) {
    const hcri_coordinates *at = &a->coordinates;
    const int fixed = (int)at->fixed;
    double *s = bottom, *y = a->whole, *w = a->direction;
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, fixed, at->factor, fixed, s, 1);
    hcri_coordinates_join(at, s, NULL, y);
    hcri_metric_leave(at->metric, y);
    for (size_t i = 0; i < a->active; i++) {
        const uint32_t c = a->constraint[i];
        a->right[c] -= hcri_active_row_dot(a, hcri_active_row_at(a, c), y) / a->length[c];
    }
    hcri_coordinates_split(at, g, NULL, w);
    solve_active(a, w);
    double *forces = a->whole, *left = at->room;
    memset(forces, 0, at->outputs * sizeof *forces);
    for (size_t i = 0; i < a->active; i++) {
        const uint32_t c = a->constraint[i];
        hcri_active_row_add(a, hcri_active_row_at(a, c), -a->multiplier[i] / a->length[c], forces);
    }
    hcri_metric_turn(at->metric, forces);
    for (size_t j = 0; j < at->outputs; j++)
        forces[j] += g[j];
    hcri_coordinates_join(at, s, w, g);
    hcri_coordinates_split(at, forces, left, NULL);
    for (size_t i = 0; i < at->fixed; i++)
        bottom[i] = left[i] - s[i];
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, fixed, at->factor, fixed, bottom, 1);
}

/* With g = L⁻¹ top: z = g − Nν, N'z = bottom. */
void hcri_active_set_solve(hcri_active_set *a, size_t count, const hcr_contact *contact, double *top, double *bottom) {
    const size_t equalities = a->region->affine.count, rows = a->cut - a->equality;
    double side;
    for (size_t i = 0; i < rows; i++)
        a->right[a->equality + i] = bottom[i] / a->length[a->equality + i];
    for (size_t i = 0; i < count; i++) {
        const uint32_t c = constraint_of(a, contact[i].constraint, &side);
        a->right[c] = side * bottom[equalities + i] / a->length[c];
    }
    hcri_metric_turn(a->coordinates.metric, top);
    if (a->coordinates.basis == NULL)
        solve_active(a, top);
    else
        solve_free(a, top, bottom);
    for (size_t c = a->equality; c < a->cut; c++)
        a->right[c] = 0;
    for (size_t i = 0; i < count; i++)
        a->right[constraint_of(a, contact[i].constraint, &side)] = 0;
    for (size_t i = 0; i < a->active; i++)
        a->right[a->constraint[i]] = a->multiplier[i] / a->length[a->constraint[i]];
    for (size_t i = 0; i < rows; i++)
        bottom[i] = a->right[a->equality + i];
    for (size_t i = 0; i < count; i++) {
        const uint32_t c = constraint_of(a, contact[i].constraint, &side);
        bottom[equalities + i] = side * a->right[c];
    }
    hcri_metric_leave(a->coordinates.metric, top);
}
