#include "kernels/elimination_order.h"

#include <math.h>
#include <string.h>

#define NOBODY UINT32_MAX

/* What is left is a graph of nodes; the fill of each eliminated node is kept as the list of those it joined, an element
 * with the node's number. Every list of a node keeps its first room: |nodes| + |elements| never grows. */
typedef struct graph {
    size_t size;
    const size_t *start;
    uint32_t *nodes, *node_count;       /* neighbours that no element joins it with */
    uint32_t *elements, *element_count; /* elements that hold it */
    uint32_t **member;                  /* by element: its nodes … */
    uint32_t *members;                  /* … their number … */
    uint32_t *outside;                  /* … and of those, not in the newest element */
    uint32_t *degree;                   /* a bound of how many neighbours a node has */
    uint32_t *head, *next, *before;     /* nodes by degree, doubly linked */
    unsigned char *done, *absorbed, *waits;
    uint32_t *stamp, now; /* marks */
} graph;

static int make(graph *g, size_t size, const size_t *start, const uint32_t *neighbour, const hcr_allocator *allocator) {
    *g = (graph){.size = size, .start = start};
    g->nodes = hcri_copy_or_zeros(allocator, neighbour, start[size], sizeof *g->nodes);
    g->elements = hcri_allocate(allocator, start[size], sizeof *g->elements);
    g->member = hcri_allocate(allocator, size, sizeof *g->member);
    uint32_t **counts[] = {&g->node_count, &g->element_count, &g->members, &g->outside, &g->degree,
                           &g->head,       &g->next,          &g->before,  &g->stamp};
    int whole = g->nodes != NULL && g->elements != NULL && g->member != NULL;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        whole &= (*counts[k] = hcri_allocate(allocator, size, sizeof(uint32_t))) != NULL;
    whole &= (g->done = hcri_allocate(allocator, size, 1)) != NULL;
    whole &= (g->absorbed = hcri_allocate(allocator, size, 1)) != NULL;
    whole &= (g->waits = hcri_allocate(allocator, size, 1)) != NULL;
    return whole;
}

static void link_node(graph *g, uint32_t i) {
    const uint32_t d = g->degree[i];
    g->before[i] = NOBODY;
    g->next[i] = g->head[d];
    if (g->head[d] != NOBODY)
        g->before[g->head[d]] = i;
    g->head[d] = i;
}

static void unlink_node(graph *g, uint32_t i) {
    if (g->before[i] != NOBODY)
        g->next[g->before[i]] = g->next[i];
    else
        g->head[g->degree[i]] = g->next[i];
    if (g->next[i] != NOBODY)
        g->before[g->next[i]] = g->before[i];
}

static void take(const graph *g, uint32_t i, uint32_t *list, uint32_t *count) {
    if (!g->done[i] && g->stamp[i] != g->now) {
        g->stamp[i] = g->now;
        list[(*count)++] = i;
    }
}

/* The neighbours of p become the element p, in which its own elements vanish. */
static int eliminate(graph *g, uint32_t p, const hcr_allocator *allocator) {
    size_t room = g->node_count[p];
    const uint32_t *nodes = g->nodes + g->start[p], *elements = g->elements + g->start[p];
    for (uint32_t k = 0; k < g->element_count[p]; k++)
        room += g->members[elements[k]];
    uint32_t *list = hcri_allocate(allocator, room, sizeof *list), count = 0;
    if (list == NULL)
        return 0;
    g->now++;
    g->done[p] = 1;
    for (uint32_t k = 0; k < g->node_count[p]; k++)
        take(g, nodes[k], list, &count);
    for (uint32_t k = 0; k < g->element_count[p]; k++) {
        const uint32_t e = elements[k];
        for (uint32_t m = 0; m < g->members[e]; m++)
            take(g, g->member[e][m], list, &count);
        g->absorbed[e] = 1;
        hcri_release(allocator, g->member[e]);
        g->member[e] = NULL;
    }
    g->member[p] = list;
    g->members[p] = count;
    return 1;
}

/* |e without the newest element's nodes|, for all elements that share one with it. */
static void count_outside(graph *g, uint32_t p) {
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t m = 0; m < g->members[p]; m++) {
            const uint32_t i = g->member[p][m], *elements = g->elements + g->start[i];
            for (uint32_t k = 0; k < g->element_count[i]; k++)
                if (pass == 0)
                    g->outside[elements[k]] = g->members[elements[k]];
                else
                    g->outside[elements[k]]--;
        }
}

static void update(graph *g, uint32_t p, uint32_t i, uint32_t left) {
    uint32_t *nodes = g->nodes + g->start[i], *elements = g->elements + g->start[i];
    uint32_t kept = 0, degree = g->members[p] - 1;
    for (uint32_t k = 0; k < g->node_count[i]; k++)
        if (!g->done[nodes[k]] && g->stamp[nodes[k]] != g->now)
            nodes[kept++] = nodes[k];
    g->node_count[i] = kept;
    degree += kept;
    kept = 0;
    for (uint32_t k = 0; k < g->element_count[i]; k++)
        if (!g->absorbed[elements[k]]) {
            degree += g->outside[elements[k]];
            elements[kept++] = elements[k];
        }
    elements[kept++] = p;
    g->element_count[i] = kept;
    if (!g->waits[i])
        unlink_node(g, i);
    g->waits[i] = 0;
    g->degree[i] = degree < left ? degree : left;
    link_node(g, i);
}

hcr_status hcri_elimination_order(size_t size, const size_t *start, const uint32_t *neighbour,
                                  const unsigned char *late, const hcr_allocator *memory, uint32_t *order,
                                  hcr_error *error) {
    graph g;
    HCRI_ALLOCATED(make(&g, size, start, neighbour, memory));
    /* Nodes with so many neighbours come last: they would be looked at in each step. */
    const double dense = fmax(16, 10 * sqrt((double)size));
    size_t placed = 0;
    memset(g.head, 0xff, size * sizeof *g.head);
    for (size_t i = 0; i < size; i++) {
        g.node_count[i] = g.degree[i] = (uint32_t)(start[i + 1] - start[i]);
        g.done[i] = (double)g.degree[i] > dense;
        g.waits[i] = late != NULL && late[i] && g.degree[i] != 0;
        if (!g.done[i] && !g.waits[i])
            link_node(&g, (uint32_t)i);
    }
    for (size_t least = 0; least < size;) {
        const uint32_t p = g.head[least];
        if (p == NOBODY) {
            least++;
            continue;
        }
        unlink_node(&g, p);
        order[placed++] = p;
        HCRI_ALLOCATED(eliminate(&g, p, memory));
        count_outside(&g, p);
        for (uint32_t m = 0; m < g.members[p]; m++) {
            const uint32_t i = g.member[p][m];
            update(&g, p, i, (uint32_t)(size - placed));
            least = g.degree[i] < least ? g.degree[i] : least;
        }
    }
    /* The rest, of which those that have to be late last. */
    memset(g.stamp, 0, size * sizeof *g.stamp);
    for (size_t k = 0; k < placed; k++)
        g.stamp[order[k]] = 1;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < size; i++)
            if (!g.stamp[i] && (late != NULL && late[i]) == pass)
                order[placed++] = (uint32_t)i;
    return HCR_OK;
}
