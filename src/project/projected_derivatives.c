/* Derivatives of nearest points: how a point on a face moves when what it was projected from, or the face, does. */
#include "kernels/kernels.h"
#include "project/projector.h"
#include "project/second_derivatives.h"

/* One row of a call. */
typedef struct row {
    const hcr_contact *contact;
    size_t contacts;
    hcr_outcome outcome;
    const double *point, *v; /* (y, x), and what it was projected from */
} row;

/* The row's result and contacts, projected anew where they aren't known; into the lane. */
static hcr_status find_row(hcr_projector *projector, hcri_lane *lane, const hcri_project_call *call, size_t i, row *at,
                           hcr_error *error) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    const size_t size = call->precision == HCR_DOUBLE ? sizeof(double) : sizeof(float);
    at->contact = call->known == NULL ? lane->contacts : call->known + i * n;
    if (call->known == NULL) {
        const hcri_project_call again = {.precision = call->precision,
                                         .x = p == 0 ? NULL : (const char *)call->x + i * p * size,
                                         .in = (const char *)call->in + i * n * size,
                                         .out = lane->room,
                                         .contacts = lane->contacts};
        HCRI_TRY(hcri_project_chunk(projector, lane, &again, 0, 1, error));
    }
    for (size_t j = 0; j < n; j++)
        lane->lifted[j] = at->contact[j].nearest;
    if (p != 0) {
        const double *x = hcri_widen(call->precision, call->x, i * p, p, lane->lifted + n);
        if (x != lane->lifted + n)
            memcpy(lane->lifted + n, x, p * sizeof *x);
    }
    at->v = lane->v;
    if (!projector->is_polytope) {
        const double *in = hcri_widen(call->precision, call->in, i * n, n, lane->v);
        if (in != lane->v)
            memcpy(lane->v, in, n * sizeof *in);
        if (projector->linear)
            hcri_metric_solve(projector->metric, lane->v);
        for (size_t j = 0; projector->linear && j < n; j++)
            lane->v[j] = -lane->v[j];
    }
    at->outcome = (hcr_outcome)at->contact[0].outcome;
    at->point = lane->lifted;
    for (at->contacts = 0; at->contacts < n && at->contact[at->contacts].constraint < region->constraints;)
        at->contacts++;
    return HCR_OK;
}

/* What stands for each number of the derivative of a row that has none: 0, or NaN where there is no result and the
 * factor isn't 0. */
static double lost_derivative(const hcr_projector *projector, hcr_outcome outcome, size_t count, const double *factor) {
    int any = 0;
    for (size_t k = 0; factor != NULL && k < count; k++)
        any |= factor[k] != 0;
    if (outcome == HCR_OUTCOME_NEARBY || (outcome == HCR_OUTCOME_BAD_VALUE && projector->bad_value == HCR_BAD_ORIGIN))
        return 0;
    return any ? NAN : 0;
}

static int has_face(hcr_outcome outcome) { return outcome == HCR_OUTCOME_INSIDE || outcome == HCR_OUTCOME_MOVED; }

/* top −= Σ λ ∂∇c/∂x x_dot, and what the constraints of a polytope give way by: of the equalities B y = B map x, then of
 * the contacts. */
static void add_x_dot(hcr_projector *projector, hcri_lane *lane, const row *at, const double *x_dot, double *top,
                      double *bottom) {
    const hcr_region *region = projector->region;
    const hcri_affine *affine = &region->affine;
    const size_t n = region->set.outputs, p = region->origin_map.parameters, equalities = affine->count;
    double *direction = lane->own_y, *sum = lane->room, *room = lane->room + region->set.n;
    memset(direction, 0, n * sizeof *direction);
    for (size_t d = 0; d < equalities; d++)
        for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++)
            if (affine->map.columns[k] >= n)
                direction[affine->dependent[d]] += affine->map.values[k] * x_dot[affine->map.columns[k] - n];
    for (size_t e = 0; e < equalities; e++)
        bottom[e] = hcri_rows_dot(&affine->basis, e, direction, NULL);
    memset(direction, 0, n * sizeof *direction);
    memcpy(direction + n, x_dot, p * sizeof *x_dot);
    for (size_t i = 0; i < at->contacts; i++) {
        size_t local;
        const hcri_constraint *block = hcri_set_block_of(&region->set, at->contact[i].constraint, &local);
        memset(sum, 0, region->set.n * sizeof *sum);
        block->kind->add_gradient(block, local, at->point, 1, sum, lane->scratch);
        bottom[equalities + i] = -hcri_kernels_best()->dot(p, sum + n, x_dot);
        memset(sum, 0, region->set.n * sizeof *sum);
        hcri_curvature_product(&(hcri_curvature){block, local, at->point, hcri_curvature_size(region),
                                                 at->contact[i].multiplier, room, lane->scratch},
                               direction, sum);
        for (size_t j = 0; j < n; j++)
            top[j] -= sum[j];
    }
}

/* H w + J'ν = top − Σ λ ∂∇c/∂x x_dot, J w = −∂c/∂x x_dot: w into top. x_dot NULL: 0. */
static hcr_status solve(hcr_projector *projector, hcri_lane *lane, const row *at, const double *x_dot, double *top,
                        hcr_error *error) {
    const hcr_region *region = projector->region;
    const hcri_metric *metric = projector->metric;
    double *bottom = lane->bottom;
    if (!projector->is_polytope) {
        HCRI_TRY(hcri_lane_face(projector, lane, error));
        HCRI_TRY(hcri_face_hold(lane->face, at->point, at->v, at->contacts, at->contact, error));
        return hcri_face_solve(lane->face, x_dot, top, error);
    }
    memset(bottom, 0, (region->set.outputs + region->affine.count) * sizeof *bottom);
    if (x_dot != NULL)
        add_x_dot(projector, lane, at, x_dot, top, bottom);
    if (projector->is_clamped) {
        hcri_metric_solve(metric, top);
        for (size_t i = 0; i < at->contacts; i++)
            top[(at->contact[i].constraint - region->set.box->base.first) / 2] = 0;
        return HCR_OK;
    }
    hcri_active_set *active_set = hcri_projection_active_set(lane->projection);
    /* Coefficients move with other blocks only. */
    HCRI_FAIL_IF((region->set.blocks > 2 && !hcri_projection_place(lane->projection, at->point)) ||
                     !hcri_active_set_hold(active_set, at->contacts, at->contact),
                 HCR_ERROR_SOLVER, "the face of a nearest point can't be factored");
    hcri_active_set_solve(active_set, at->contacts, at->contact, top, bottom);
    return HCR_OK;
}

/* With w and ν: the gradient by the parameters, −Σ λ (∂∇c/∂x)'w − Σ ν ∂c/∂x, into `sum`, set.n numbers of which the
 * last p are it in the end. */
static hcr_status find_x_bar(hcr_projector *projector, hcri_lane *lane, const row *at, const double *w, double *sum,
                             hcr_error *error) {
    const hcr_region *region = projector->region;
    const hcri_affine *affine = &region->affine;
    const size_t n = region->set.outputs, p = region->origin_map.parameters, equalities = affine->count;
    double *direction = lane->own_y, *room = lane->room;
    const double *nu = lane->bottom;
    if (!projector->is_polytope)
        return hcri_face_adjoint(lane->face, w, sum + n, error);
    memset(sum, 0, region->set.n * sizeof *sum);
    memcpy(direction, w, n * sizeof *w);
    memset(direction + n, 0, p * sizeof *w);
    for (size_t i = 0; i < at->contacts; i++) {
        size_t local;
        const hcri_constraint *block = hcri_set_block_of(&region->set, at->contact[i].constraint, &local);
        block->kind->add_gradient(block, local, at->point, -nu[equalities + i], sum, lane->scratch);
        hcri_curvature_product(&(hcri_curvature){block, local, at->point, hcri_curvature_size(region),
                                                 -at->contact[i].multiplier, room, lane->scratch},
                               direction, sum);
    }
    memset(room, 0, n * sizeof *room);
    for (size_t e = 0; e < equalities; e++)
        for (size_t k = affine->basis.start[e]; k < affine->basis.start[e + 1]; k++)
            room[affine->basis.columns[k]] += nu[e] * affine->basis.values[k];
    for (size_t d = 0; d < equalities; d++)
        for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++)
            if (affine->map.columns[k] >= n)
                sum[affine->map.columns[k]] += room[affine->dependent[d]] * affine->map.values[k];
    return HCR_OK;
}

hcr_status hcri_project_vjp_chunk(hcr_projector *projector, hcri_lane *lane, const hcri_project_call *call,
                                  size_t first, size_t rows, hcr_error *error) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    for (size_t i = first; i < first + rows; i++) {
        row at;
        HCRI_TRY(find_row(projector, lane, call, i, &at, error));
        const double *bar = hcri_widen(call->precision, call->factor, i * n, n, lane->own_bar);
        double *w = lane->top, *x_bar = lane->own_result;
        const double lost = lost_derivative(projector, at.outcome, n, bar);
        memcpy(w, bar, n * sizeof *w);
        if (has_face(at.outcome))
            HCRI_TRY(solve(projector, lane, &at, NULL, w, error));
        if (has_face(at.outcome) && p != 0 && call->x_out != NULL)
            HCRI_TRY(find_x_bar(projector, lane, &at, w, x_bar, error));
        if (has_face(at.outcome) && !projector->linear)
            hcri_metric_apply(projector->metric, w, lane->room);
        double *out = hcri_result_place(call->precision, call->out, i * n, lane->own_y);
        for (size_t j = 0; j < n; j++)
            out[j] = !has_face(at.outcome) ? lost : projector->linear ? -w[j] : w[j];
        hcri_round(call->precision, out, n, call->out, i * n);
        if (p == 0 || call->x_out == NULL)
            continue;
        double *x_out = hcri_result_place(call->precision, call->x_out, i * p, lane->own_y);
        for (size_t k = 0; k < p; k++)
            x_out[k] = has_face(at.outcome) ? x_bar[n + k] : lost;
        hcri_round(call->precision, x_out, p, call->x_out, i * p);
    }
    return HCR_OK;
}

hcr_status hcri_project_jvp_chunk(hcr_projector *projector, hcri_lane *lane, const hcri_project_call *call,
                                  size_t first, size_t rows, hcr_error *error) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    for (size_t i = first; i < first + rows; i++) {
        row at;
        HCRI_TRY(find_row(projector, lane, call, i, &at, error));
        const double *dot = hcri_widen(call->precision, call->factor, i * n, n, lane->own_bar);
        const double *x_dot = p == 0 ? NULL : hcri_widen(call->precision, call->x_factor, i * p, p, lane->own_result);
        double *w = lane->top;
        const double lost =
            lost_derivative(projector, at.outcome, n, dot) + lost_derivative(projector, at.outcome, p, x_dot);
        for (size_t j = 0; j < n; j++)
            w[j] = projector->linear ? -dot[j] : dot[j];
        if (has_face(at.outcome)) {
            if (!projector->linear)
                hcri_metric_apply(projector->metric, w, lane->room);
            HCRI_TRY(solve(projector, lane, &at, x_dot, w, error));
        }
        double *out = hcri_result_place(call->precision, call->out, i * n, lane->own_y);
        for (size_t j = 0; j < n; j++)
            out[j] = has_face(at.outcome) ? w[j] : lost;
        hcri_round(call->precision, out, n, call->out, i * n);
    }
    return HCR_OK;
}
