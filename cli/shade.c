/* Lines across the window are cut into what is inside and what isn't. Neighbouring lines whose pieces lie over each
 * other one by one make a polygon; where pieces split or join, another one begins. */
#include "shade.h"

#include "command.h"
#include "report.h"
#include "tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 401, COLUMNS = 401, BISECTIONS = 12 };

struct piece {                /* of a line */
    size_t line, first, last; /* columns */
    double end[2];            /* where it begins and ends */
    size_t below, above;      /* pieces of the lines below and above that touch it: how many … */
    size_t over;              /* … and one that it lies over */
};

struct work {
    const struct slice *slice;
    struct shade *shade;
    size_t pieces, capacity;
    struct piece *piece;
};

void shade_free(struct shade *shade) {
    free(shade->start);
    free(shade->corner);
    *shade = (struct shade){0};
}

static double column_at(const struct slice *slice, size_t j) {
    return slice->lower[0] + (slice->upper[0] - slice->lower[0]) * (double)j / (COLUMNS - 1);
}

static double line_at(const struct slice *slice, size_t i) {
    return slice->lower[1] + (slice->upper[1] - slice->lower[1]) * (double)i / (LINES - 1);
}

static int add_piece(struct work *work, size_t line, size_t first, size_t last) {
    if (work->pieces == work->capacity) {
        work->capacity = 2 * work->capacity + 1024;
        void *grown = realloc(work->piece, work->capacity * sizeof *work->piece);
        if (grown == NULL)
            return report_memory();
        work->piece = grown;
    }
    work->piece[work->pieces++] = (struct piece){line, first, last, {0, 0}, 0, 0, 0};
    return EXIT_DONE;
}

static int find_pieces(struct work *work) {
    double *point = values_make(LINES * COLUMNS, 2);
    unsigned char *inside = calloc(LINES * COLUMNS, 1);
    int code = point == NULL || inside == NULL ? report_memory() : EXIT_DONE;
    for (size_t i = 0; i < LINES && code == EXIT_DONE; i++)
        for (size_t j = 0; j < COLUMNS; j++) {
            point[2 * (i * COLUMNS + j)] = column_at(work->slice, j);
            point[2 * (i * COLUMNS + j) + 1] = line_at(work->slice, i);
        }
    if (code == EXIT_DONE)
        code = slice_inside(work->slice, LINES * COLUMNS, point, inside);
    for (size_t i = 0; i < LINES && code == EXIT_DONE; i++)
        for (size_t j = 0, end; j < COLUMNS && code == EXIT_DONE; j = end + 1) {
            for (end = j; end < COLUMNS && inside[i * COLUMNS + end]; end++) {
            }
            if (end > j)
                code = add_piece(work, i, j, end - 1);
        }
    free(point);
    free(inside);
    return code;
}

/* The ends of the pieces, between the last column inside and the first outside. */
static int find_ends(struct work *work) {
    const struct slice *slice = work->slice;
    const size_t ends = 2 * work->pieces;
    double *in = values_make(ends, 1), *out = values_make(ends, 1), *point = values_make(ends, 2);
    unsigned char *inside = calloc(ends + 1, 1);
    int code = in == NULL || out == NULL || point == NULL || inside == NULL ? report_memory() : EXIT_DONE;
    for (size_t e = 0; e < ends && code == EXIT_DONE; e++) {
        const struct piece *piece = &work->piece[e / 2];
        const size_t column = e % 2 == 0 ? piece->first : piece->last;
        const size_t next = e % 2 == 0 ? column - (column > 0) : column + (column + 1 < COLUMNS);
        in[e] = column_at(slice, column);
        out[e] = column_at(slice, next);
        point[2 * e + 1] = line_at(slice, piece->line);
    }
    for (int round = 0; round < BISECTIONS && code == EXIT_DONE; round++) {
        for (size_t e = 0; e < ends; e++)
            point[2 * e] = (in[e] + out[e]) / 2;
        code = slice_inside(slice, ends, point, inside);
        for (size_t e = 0; e < ends && code == EXIT_DONE; e++)
            *(inside[e] ? &in[e] : &out[e]) = point[2 * e];
    }
    for (size_t e = 0; e < ends && code == EXIT_DONE; e++)
        work->piece[e / 2].end[e % 2] = in[e];
    free(in);
    free(out);
    free(point);
    free(inside);
    return code;
}

static int touch(const struct piece *a, const struct piece *b) {
    return b->line == a->line + 1 && a->first <= b->last && b->first <= a->last;
}

static void find_neighbours(struct work *work) {
    for (size_t p = 0, q = 0; p < work->pieces; p++) {
        while (q < work->pieces && work->piece[q].line <= work->piece[p].line)
            q++;
        for (size_t k = q; k < work->pieces && work->piece[k].line == work->piece[p].line + 1; k++)
            if (touch(&work->piece[p], &work->piece[k])) {
                work->piece[p].above++;
                work->piece[k].below++;
                work->piece[k].over = p;
            }
    }
}

static int add_corner(struct shade *shade, double x, double y) {
    if (shade->corners == shade->corner_capacity) {
        shade->corner_capacity = 2 * shade->corner_capacity + 1024;
        void *grown = realloc(shade->corner, 2 * shade->corner_capacity * sizeof *shade->corner);
        if (grown == NULL)
            return report_memory();
        shade->corner = grown;
    }
    shade->corner[2 * shade->corners] = x;
    shade->corner[2 * shade->corners++ + 1] = y;
    return EXIT_DONE;
}

static int start_polygon(struct shade *shade) {
    if (shade->polygons == shade->polygon_capacity) {
        shade->polygon_capacity = 2 * shade->polygon_capacity + 64;
        void *grown = realloc(shade->start, shade->polygon_capacity * sizeof *shade->start);
        if (grown == NULL)
            return report_memory();
        shade->start = grown;
    }
    shade->start[shade->polygons++] = shade->corners;
    return EXIT_DONE;
}

static int follows(const struct work *work, size_t p) {
    const struct piece *piece = &work->piece[p];
    return piece->below == 1 && work->piece[piece->over].above == 1;
}

/* The chain that begins with piece p: up along the left ends, down along the right ones. */
static int add_chain(struct work *work, size_t p) {
    size_t count = 1, capacity = 16, *chain = malloc(capacity * sizeof *chain);
    if (chain == NULL)
        return report_memory();
    chain[0] = p;
    int code = start_polygon(work->shade);
    for (size_t q = p + 1; q < work->pieces && work->piece[q].line <= work->piece[chain[count - 1]].line + 1; q++) {
        if (!follows(work, q) || work->piece[q].over != chain[count - 1])
            continue;
        if (count == capacity) {
            size_t *grown = realloc(chain, 2 * capacity * sizeof *chain);
            if (grown == NULL) {
                free(chain);
                return report_memory();
            }
            chain = grown;
            capacity *= 2;
        }
        chain[count++] = q;
    }
    for (size_t k = 0; k < 2 * count && code == EXIT_DONE; k++) {
        const struct piece *piece = &work->piece[chain[k < count ? k : 2 * count - 1 - k]];
        code = add_corner(work->shade, piece->end[k >= count], line_at(work->slice, piece->line));
    }
    free(chain);
    return code;
}

/* Between two pieces that touch and aren't of one chain. */
static int add_joint(struct work *work, const struct piece *low, const struct piece *high) {
    const double left = fmax(low->end[0], high->end[0]), right = fmin(low->end[1], high->end[1]);
    const double bottom = line_at(work->slice, low->line), top = line_at(work->slice, high->line);
    int code = start_polygon(work->shade);
    for (int k = 0; k < 4 && code == EXIT_DONE; k++)
        code = add_corner(work->shade, k == 0 || k == 3 ? left : right, k < 2 ? bottom : top);
    return code;
}

int shade_make(const struct slice *slice, struct shade *shade) {
    struct work work = {.slice = slice, .shade = shade};
    int code = find_pieces(&work);
    if (code == EXIT_DONE)
        code = find_ends(&work);
    if (code == EXIT_DONE)
        find_neighbours(&work);
    for (size_t p = 0; p < work.pieces && code == EXIT_DONE; p++) {
        if (!follows(&work, p))
            code = add_chain(&work, p);
        for (size_t q = p + 1; q < work.pieces && work.piece[q].line <= work.piece[p].line + 1 && code == EXIT_DONE;
             q++)
            if (touch(&work.piece[p], &work.piece[q]) && !follows(&work, q))
                code = add_joint(&work, &work.piece[p], &work.piece[q]);
    }
    free(work.piece);
    return code;
}
