#include "project/face.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/kernels.h"
#include "project/kkt_system.h"
#include "project/newton_kkt.h"
#include "project/projection_tolerances.h"
#include "project/second_derivatives.h"
#include "region/sample_equalities.h"

/* The rows of a contact: its gradient, or an edge's. */
typedef struct contact_rows {
    const hcri_constraint *block;
    size_t inequality;
    size_t first, count, weights; /* weights 0: the gradient of c */
    double multiplier;
} contact_rows;

struct hcri_face {
    const hcr_region *region;
    const hcri_metric *metric;
    size_t n; /* outputs */
    hcri_kkt_system system;
    const double *point;
    size_t contacts;
    contact_rows *contact; /* n */
    /* Row by row: c's derivative by outputs and parameters, equalities' first; its row of the system, SIZE_MAX where it
     * depends on those before it; its multipliers. */
    size_t rows, capacity;
    double *row;
    size_t *place;
    double *nu, *solved;                    /* of Q(v − y), and of the last system */
    double *value;                          /* what the rows' functions are at the point */
    double *basis;                          /* orthonormal, n × n, of the system's rows */
    double *wide;                           /* n × set.n */
    double *room, *scratch;                 /* 4 set.n; the blocks' */
    double *top, *bottom, *sum, *direction; /* set.n + 1 each */
    int out_of_memory;                      /* a curvature wasn't found */
};

void hcri_face_free(hcri_face *face) {
    if (face == NULL)
        return;
    hcri_kkt_system_release(&face->system);
    void *owned[] = {face->contact,   face->row,     face->place, face->nu,     face->basis,
                     face->room,      face->scratch, face->top,   face->bottom, face->sum,
                     face->direction, face->solved,  face->value, face->wide,   face};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
}

/* Room for so many rows. */
static int reserve(hcri_face *face, size_t rows) {
    const size_t columns = face->region->set.n;
    if (rows <= face->capacity)
        return 1;
    double *row = realloc(face->row, rows * columns * sizeof *row);
    face->row = row != NULL ? row : face->row;
    size_t *place = realloc(face->place, rows * sizeof *place);
    face->place = place != NULL ? place : face->place;
    double *nu = realloc(face->nu, rows * sizeof *nu);
    face->nu = nu != NULL ? nu : face->nu;
    double *solved = realloc(face->solved, rows * sizeof *solved);
    face->solved = solved != NULL ? solved : face->solved;
    double *value = realloc(face->value, rows * sizeof *value);
    face->value = value != NULL ? value : face->value;
    if (row == NULL || place == NULL || nu == NULL || solved == NULL || value == NULL)
        return 0;
    face->capacity = rows;
    return 1;
}

hcr_status hcri_face_create(const hcr_region *region, const hcri_metric *metric, hcri_face **face, hcr_error *error) {
    const size_t n = region->set.outputs, columns = region->set.n;
    HCRI_FAIL_IF(n > HCRI_LARGEST_KKT, HCR_ERROR_UNSUPPORTED,
                 "a nearest point has derivatives and multipliers up to %d outputs where inequalities are curved, and "
                 "the region has %zu: use contract",
                 HCRI_LARGEST_KKT, n);
    hcri_face *made = calloc(1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->region = region;
    made->metric = metric;
    made->n = n;
    made->contact = calloc(n, sizeof *made->contact);
    made->basis = calloc(n * n, sizeof(double));
    made->wide = calloc(n * columns, sizeof(double));
    made->room = calloc(4 * columns, sizeof(double));
    made->scratch = calloc(region->scratch + 1, sizeof(double));
    double **vectors[] = {&made->top, &made->bottom, &made->sum, &made->direction};
    int good = hcri_kkt_system_create(n, &made->system) && made->contact != NULL && made->basis != NULL &&
               made->wide != NULL && made->room != NULL && made->scratch != NULL && reserve(made, n + 1);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        good &= (*vectors[i] = calloc(columns + 1, sizeof(double))) != NULL;
    if (!good) {
        hcri_face_free(made);
        return hcri_fail_memory(error);
    }
    *face = made;
    return HCR_OK;
}

/* The constraints next to the point, as many as there is room for. */
static size_t touching(hcri_face *face, const double *origin, const double *point, hcr_contact *contact) {
    const hcri_set *set = &face->region->set;
    const double share = hcri_contact_share + 4 * face->region->margin[HCR_DOUBLE];
    size_t count = 0;
    for (size_t b = 0; b < set->blocks; b++)
        for (size_t i = 0; i < set->block[b]->count && count < face->n; i++) {
            const hcri_constraint *block = set->block[b];
            if (!block->kind->exists(block, i))
                continue;
            const double at = block->kind->value(block, i, point, NULL, face->scratch);
            if (at >= share * block->kind->value(block, i, origin, NULL, face->scratch))
                contact[count++] = (hcr_contact){.constraint = block->first + (uint32_t)i};
        }
    return count;
}

/* Gives row r a place in the system, unless it depends on those that have one. */
static void place_row(hcri_face *face, size_t r) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t n = face->n, at = face->system.rows;
    double *left = face->basis + at * n;
    face->place[r] = SIZE_MAX;
    if (at == n)
        return;
    memcpy(left, face->row + r * face->region->set.n, n * sizeof *left);
    const double before = kernels->squares(n, left);
    for (int times = 0; times < 2; times++)
        for (size_t k = 0; k < at; k++) {
            const double *q = face->basis + k * n;
            kernels->combine(n, 1, left, -kernels->dot(n, q, left), q, left);
        }
    const double square = kernels->squares(n, left);
    if (!(square > hcri_contact_independence * hcri_contact_independence * before))
        return;
    for (size_t j = 0; j < n; j++)
        left[j] /= sqrt(square);
    face->place[r] = face->system.rows++;
}

static hcr_status add_contact(hcri_face *face, const hcr_contact *given, hcr_error *error) {
    const size_t columns = face->region->set.n;
    size_t local;
    const hcri_constraint *block = hcri_set_block_of(&face->region->set, given->constraint, &local);
    contact_rows *contact = &face->contact[face->contacts++];
    *contact =
        (contact_rows){.block = block, .inequality = local, .first = face->rows, .multiplier = given->multiplier};
    for (int twice = 0; block->kind->edge != NULL && twice < 2; twice++) { /* where the room doesn't do */
        hcri_edge edge = {.room = face->capacity - face->rows,
                          .values = face->value + face->rows,
                          .rows = face->row + face->rows * columns};
        contact->count = block->kind->edge(block, local, face->point, &edge);
        contact->weights = edge.weights;
        if (contact->count <= edge.room)
            break;
        if (contact->count == SIZE_MAX || !reserve(face, face->rows + contact->count))
            return hcri_fail_memory(error);
    }
    const size_t rows = contact->count == 0 ? 1 : contact->count;
    HCRI_ALLOCATED(reserve(face, face->rows + rows));
    if (contact->count == 0) {
        double *row = face->row + face->rows * columns;
        memset(row, 0, columns * sizeof *row);
        block->kind->add_gradient(block, local, face->point, 1, row, face->scratch);
        face->value[face->rows] = block->kind->value(block, local, face->point, NULL, face->scratch);
    }
    contact->count = rows;
    for (size_t k = 0; k < rows; k++)
        place_row(face, face->rows++);
    return HCR_OK;
}

/* The rows of equalities and contacts at the point. */
static hcr_status take_rows(hcri_face *face, const double *point, size_t count, const hcr_contact *contact,
                            hcr_error *error) {
    face->out_of_memory = 0;
    const hcri_affine *affine = &face->region->affine;
    const hcri_rows *basis = &affine->basis;
    const size_t n = face->n, columns = face->region->set.n;
    face->point = point;
    face->contacts = face->rows = face->system.rows = 0;
    const hcri_varying *moving = face->region->varying_equalities;
    for (size_t i = 0; moving != NULL && i < affine->count; i++) {
        double *row = face->row + face->rows * columns;
        memset(row, 0, columns * sizeof *row);
        moving->base.kind->add_gradient(&moving->base, 2 * i, point, 1, row, NULL);
        face->value[face->rows] = 0;
        place_row(face, face->rows++);
    }
    for (size_t i = 0; moving == NULL && i < basis->count; i++) {
        /* B (y − map x) */
        double *row = face->row + face->rows * columns;
        memset(row, 0, columns * sizeof *row);
        for (size_t k = basis->start[i]; k < basis->start[i + 1]; k++)
            row[basis->columns[k]] = basis->values[k];
        for (size_t d = 0; d < affine->count; d++)
            for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++)
                if (affine->map.columns[k] >= n)
                    row[affine->map.columns[k]] -= row[affine->dependent[d]] * affine->map.values[k];
        face->value[face->rows] = 0;
        place_row(face, face->rows++);
    }
    for (size_t i = 0; i < count; i++)
        HCRI_TRY(add_contact(face, &contact[i], error));
    return HCR_OK;
}

/* The quadratic whose matrix is the curvature of a contact, when that is a diagonal; else NULL. */
static const hcri_quadratic *diagonal_of(const hcri_face *face, const contact_rows *contact) {
    const hcri_quadratic *quadratic = hcri_block_quadratic(contact->block);
    return quadratic != NULL && quadratic->form == HCRI_DIAGONAL && face->n == face->region->set.n ? quadratic : NULL;
}

/* The system of the rows, with the contacts' curvature or without; 0 when it can't be factored. */
static int factor(hcri_face *face, int with_curvature) {
    hcri_kkt_system *system = &face->system;
    const size_t n = face->n, columns = face->region->set.n;
    int diagonal = 1;
    for (size_t i = 0; with_curvature && i < face->contacts; i++)
        diagonal &= face->contact[i].block->kind->is_affine || diagonal_of(face, &face->contact[i]) != NULL;
    hcri_kkt_system_clear(system, face->metric, system->rows, diagonal);
    for (size_t r = 0; r < face->rows; r++)
        if (face->place[r] != SIZE_MAX)
            memcpy(system->jacobian + face->place[r] * n, face->row + r * columns, n * sizeof *face->row);
    for (size_t i = 0; with_curvature && i < face->contacts; i++) {
        const contact_rows *contact = &face->contact[i];
        const hcri_kind *kind = contact->block->kind;
        const hcri_quadratic *own = system->is_diagonal ? diagonal_of(face, contact) : NULL;
        for (size_t j = 0; own != NULL && j < n; j++)
            system->hessian[j] += contact->multiplier * own->matrix[j];
        if (!system->is_diagonal && contact->weights == 0 && contact->multiplier > 0)
            face->out_of_memory |= !hcri_curvature_add(
                &(hcri_curvature){contact->block, contact->inequality, face->point, hcri_curvature_size(face->region),
                                  contact->multiplier, face->room, face->scratch},
                n, system->hessian);
        if (contact->weights == 0 || kind->add_edge_curvature == NULL)
            continue;
        memset(face->wide, 0, n * columns * sizeof *face->wide);
        face->out_of_memory |= !kind->add_edge_curvature(contact->block, contact->inequality, face->point,
                                                         face->nu + contact->first, n, NULL, face->wide);
        for (size_t k = 0; k < n * n; k++)
            system->hessian[k] += 0.5 * (face->wide[k / n * columns + k % n] + face->wide[k % n * columns + k / n]);
    }
    return !face->out_of_memory && hcri_kkt_system_factor(system);
}

/* H w + J'ν = top with J w = −∂c/∂x x_dot, or −c with `to_face`: w in top, ν in the rows' order. */
static void solve(hcri_face *face, const double *x_dot, int to_face, double *top, double *nu) {
    const size_t n = face->n, columns = face->region->set.n;
    for (size_t r = 0; r < face->rows; r++)
        if (face->place[r] != SIZE_MAX)
            face->bottom[face->place[r]] =
                to_face         ? -face->value[r]
                : x_dot == NULL ? 0
                                : -hcri_kernels_best()->dot(columns - n, face->row + r * columns + n, x_dot);
    hcri_kkt_system_solve(&face->system, top, face->bottom);
    for (size_t r = 0; r < face->rows; r++)
        nu[r] = face->place[r] == SIZE_MAX ? 0 : face->bottom[face->place[r]];
}

/* Q (v − y) = Σ ν row + what moves the point along the face, `step`, and onto it with `to_face`; contacts' multipliers
 * from ν. */
static void find_multipliers(hcri_face *face, const double *v, int to_face, double *step) {
    for (size_t j = 0; j < face->n; j++)
        step[j] = v[j] - face->point[j];
    hcri_metric_apply(face->metric, step, face->room);
    solve(face, NULL, to_face, step, face->nu);
    for (size_t i = 0; i < face->contacts; i++) {
        contact_rows *contact = &face->contact[i];
        contact->multiplier = 0;
        for (size_t k = 0; k < (contact->weights == 0 ? 1 : contact->weights); k++)
            contact->multiplier += face->nu[contact->first + k];
    }
}

static hcr_status fail_to_factor(const hcri_face *face, hcr_error *error) {
    if (face->out_of_memory)
        return hcri_fail_memory(error);
    return hcri_fail(error, HCR_ERROR_SOLVER, "the face of a nearest point can't be factored");
}

/* Multipliers to the contacts. The most negative one goes, and when there is none those that are 0; edges stay. Returns
 * whether one was negative. */
static int drop(const hcri_face *face, hcr_contact *contact, size_t *count) {
    size_t least = SIZE_MAX, left = 0;
    for (size_t i = 0; i < *count; i++)
        if (face->contact[i].count == 1 && face->contact[i].multiplier < 0 &&
            (least == SIZE_MAX || face->contact[i].multiplier < face->contact[least].multiplier))
            least = i;
    for (size_t i = 0; i < *count; i++) {
        const double multiplier = face->contact[i].multiplier;
        if (least != SIZE_MAX ? i == least : face->contact[i].count == 1 && !(multiplier > 0))
            continue;
        contact[left++] =
            (hcr_contact){.constraint = contact[i].constraint, .multiplier = multiplier > 0 ? multiplier : 0};
    }
    *count = left;
    return least != SIZE_MAX;
}

hcr_status hcri_face_hold(hcri_face *face, const double *point, const double *v, size_t count,
                          const hcr_contact *contact, hcr_error *error) {
    HCRI_TRY(take_rows(face, point, count, contact, error));
    int good = 1, edges = face->region->varying_equalities != NULL; /* whose multipliers count, too */
    for (size_t i = 0; i < face->contacts; i++) {
        edges |= face->contact[i].count > 1;
        face->nu[face->contact[i].first] = face->contact[i].multiplier;
    }
    if (edges && (good = factor(face, 0)) != 0)
        find_multipliers(face, v, 0, face->top);
    return good && factor(face, 1) ? HCR_OK : fail_to_factor(face, error);
}

hcr_status hcri_face_contacts(hcri_face *face, const double *origin, const double *point, const double *v,
                              hcr_contact *contact, size_t *count, hcr_error *error) {
    *count = touching(face, origin, point, contact);
    do {
        HCRI_TRY(take_rows(face, point, *count, contact, error));
        if (!factor(face, 0))
            return fail_to_factor(face, error);
        find_multipliers(face, v, 0, face->top);
    } while (drop(face, contact, count));
    return HCR_OK;
}

hcr_status hcri_face_polish(hcri_face *face, const double *origin, const double *v, double *point, hcr_error *error) {
    enum { ROUNDS = 20 };
    const size_t n = face->n;
    const double size = hcri_curvature_size(face->region);
    HCRI_SCOPED hcr_contact *contact = calloc(n, sizeof *contact);
    size_t count = 0;
    double before = INFINITY;
    HCRI_ALLOCATED(contact);
    HCRI_TRY(hcri_face_contacts(face, origin, point, v, contact, &count, error));
    for (int round = 0; round < ROUNDS; round++) {
        double moved = 0;
        HCRI_TRY(take_rows(face, point, count, contact, error));
        if (!factor(face, round > 0))
            return fail_to_factor(face, error);
        find_multipliers(face, v, 1, face->top);
        if (drop(face, contact, &count))
            continue;
        for (size_t j = 0; j < n && round > 0; j++) { /* the first multipliers come without curvature: no step yet */
            point[j] += face->top[j];
            moved = fmax(moved, fabs(face->top[j]));
        }
        /* What is left of steps that no longer shrink is rounding. */
        if (round > 0 && (moved <= 1e-13 * size || (moved <= 1e-10 * size && moved > 0.1 * before)))
            return HCR_OK;
        before = round > 0 ? moved : before;
        if (!(moved <= size))
            break;
    }
    return hcri_fail(error, HCR_ERROR_SOLVER, "Newton's method doesn't converge on the face of a nearest point");
}

/* out += how Σ λ ∇c changes as y and x do by `direction`. */
static void add_change(hcri_face *face, const double *direction, double weight, double *out) {
    const size_t columns = face->region->set.n;
    if (face->region->varying_equalities != NULL) {
        for (size_t i = 0; i < face->region->affine.count; i++)
            face->room[i] = weight * face->nu[i];
        hcri_equalities_mix(face->region, face->room, direction + face->n, out);
        hcri_equalities_pull(face->region, direction, 1, face->room, out + face->n);
    }
    for (size_t i = 0; i < face->contacts; i++) {
        const contact_rows *contact = &face->contact[i];
        const hcri_kind *kind = contact->block->kind;
        if (contact->weights == 0) {
            face->out_of_memory |= !hcri_curvature_product(
                &(hcri_curvature){contact->block, contact->inequality, face->point, hcri_curvature_size(face->region),
                                  weight * contact->multiplier, face->room, face->scratch},
                direction, out);
        } else if (kind->add_edge_curvature != NULL) {
            memset(face->room, 0, columns * sizeof *face->room);
            face->out_of_memory |= !kind->add_edge_curvature(contact->block, contact->inequality, face->point,
                                                             face->nu + contact->first, 1, direction, face->room);
            hcri_kernels_best()->combine(columns, 1, out, weight, face->room, out);
        }
    }
}

hcr_status hcri_face_solve(hcri_face *face, const double *x_dot, double *top, hcr_error *error) {
    const size_t n = face->n, columns = face->region->set.n;
    if (x_dot != NULL) {
        memset(face->direction, 0, n * sizeof *face->direction);
        memcpy(face->direction + n, x_dot, (columns - n) * sizeof *x_dot);
        memset(face->sum, 0, columns * sizeof *face->sum);
        add_change(face, face->direction, -1, face->sum);
        hcri_kernels_best()->add(n, face->sum, top);
    }
    /* The rows' own multipliers stay for the edges' curvature. */
    solve(face, x_dot, 0, top, face->solved);
    return face->out_of_memory ? hcri_fail_memory(error) : HCR_OK;
}

hcr_status hcri_face_adjoint(hcri_face *face, const double *w, double *x_bar, hcr_error *error) {
    const size_t n = face->n, columns = face->region->set.n;
    memcpy(face->direction, w, n * sizeof *w);
    memset(face->direction + n, 0, (columns - n) * sizeof *w);
    memset(face->sum, 0, columns * sizeof *face->sum);
    add_change(face, face->direction, -1, face->sum);
    for (size_t r = 0; r < face->rows; r++)
        for (size_t k = n; k < columns; k++)
            face->sum[k] -= face->solved[r] * face->row[r * columns + k];
    memcpy(x_bar, face->sum + n, (columns - n) * sizeof *x_bar);
    return face->out_of_memory ? hcri_fail_memory(error) : HCR_OK;
}
