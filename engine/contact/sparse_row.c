#include "base/linear/sums.h"
#include "base/rank_numbers.h"
#include "engine/contact/contact.h"
#include "engine/linear/sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ----------------------------------------------------------------------------------------- layout

typedef struct reached {
    int n, nc;
    int *column, *row; ///< NULL: counted only
} reached;

static void append(int *list, int *n, int from, int count, const int *what)
{
    for (int i = 0; i < count && list; i++) {
        list[*n + i] = what ? what[i] : from + i;
    }
    *n += count;
}

/// The number of velocities of the body whose first one is v0; bodies stand in their order.
static int velocities_of(const trm_model *model, int v0)
{
    int lo = 0, hi = model->sizes.nbody - 1;
    while (lo < hi) {
        const int middle = lo + (hi - lo + 1) / 2;
        if (model->body_info[middle].v0 <= v0) {
            lo = middle;
        } else {
            hi = middle - 1;
        }
    }
    return model->body_info[lo].nv;
}

static void find_reach(const trm_model *model, const trm_contact_row *row, reached *out)
{
    const trm_connected_components *all = &model->components;
    out->n = out->nc = 0;
    if (!model->component || model->joints || model->nswitched > 0) { // those tie parts together
        append(out->column, &out->n, 0, model->sizes.nv, NULL);
        append(out->row, &out->nc, 0, model->sizes.nc, NULL);
        return;
    }
    for (int i = 0; i < row->nparts; i++) {
        const int p = all->of_velocity[row->part[i]];
        if (p < 0) {
            append(out->column, &out->n, row->part[i], velocities_of(model, row->part[i]), NULL);
            continue;
        }
        append(out->column, &out->n, 0, all->first_column[p + 1] - all->first_column[p],
               all->column + all->first_column[p]);
        append(out->row, &out->nc, 0, all->first_row[p + 1] - all->first_row[p],
               all->row + all->first_row[p]);
    }
    if (out->column && row->nparts > 1) {
        qsort(out->column, (size_t)out->n, sizeof *out->column, trm_ascending);
        qsort(out->row, (size_t)out->nc, sizeof *out->row, trm_ascending);
    }
}

/// Whether row k reaches the same as the row before it.
static int is_as_before(const trm_model *model, int k)
{
    const trm_contact_row *const row = &model->contacts[k];
    return k > 0 && row->nparts == row[-1].nparts &&
           !memcmp(row->part, row[-1].part, (size_t)row->nparts * sizeof *row->part);
}

void trm_sparse_rows_layout(trm_contact *contact, trm_arena *arena)
{
    const trm_model *const model = contact->model;
    size_t columns = 0, rows = 0, numbers = 0, parts = 0;
    reached next = {0};
    for (int k = 0; k < contact->n; k++) {
        const int again = is_as_before(model, k);
        parts += (size_t)model->contacts[k].nparts + 1;
        if (!again) {
            find_reach(model, &model->contacts[k], &next);
        }
        columns += again ? 0 : (size_t)next.n;
        rows += again ? 0 : (size_t)next.nc;
        numbers += 2 * (size_t)next.n + (size_t)next.nc;
    }
    contact->sparse = trm_arena_take(arena, (size_t)contact->n, sizeof *contact->sparse);
    int *column = trm_arena_take(arena, columns, sizeof *column);
    int *row = trm_arena_take(arena, rows, sizeof *row);
    double *number = trm_arena_take(arena, numbers, sizeof *number);
    contact->body_at = trm_arena_ints(arena, contact->nv);
    TRM_ARENA_INTS(arena, contact->nv + 1, &contact->blocks.parent, &contact->blocks.head);
    contact->blocks.next = trm_arena_take(arena, parts, sizeof *contact->blocks.next);
    contact->blocks.at = trm_arena_take(arena, parts, sizeof *contact->blocks.at);
    for (int k = 0; k < contact->n && contact->sparse; k++) {
        trm_sparse_row *const sparse = &contact->sparse[k];
        if (is_as_before(model, k)) {
            *sparse = sparse[-1];
        } else {
            next = (reached){.column = column, .row = row};
            find_reach(model, &model->contacts[k], &next);
            *sparse = (trm_sparse_row){.n = next.n, .nc = next.nc, .column = column, .row = row};
            column += next.n;
            row += next.nc;
        }
        sparse->G = number;
        sparse->C = sparse->G + sparse->n;
        sparse->L = sparse->C + sparse->n;
        number = sparse->L + sparse->nc;
    }
    const int own = !model->joints; // velocities of a tree's joints are no body's
    for (int b = 0; own && b < model->sizes.nbody && contact->body_at; b++) {
        contact->body_at[model->body_info[b].v0] = b;
    }
}

// --------------------------------------------------------------------------------------- sparsity

/// The place of x in list[n], ascending; n where it is not there.
static int place_of(int n, const int *list, int x)
{
    int lo = 0, hi = n;
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (list[middle] < x) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo < n && list[lo] == x ? lo : n;
}

double trm_sparse_row_multiplier(const trm_sparse_row *sparse, int r)
{
    const int i = place_of(sparse->nc, sparse->row, r);
    return i < sparse->nc ? sparse->L[i] : 0;
}

int trm_sparse_row_place(const trm_sparse_row *sparse, int v0)
{
    return place_of(sparse->n, sparse->column, v0);
}

double trm_sparse_rows_product(const trm_sparse_row *a, const double *x, const trm_sparse_row *b,
                               const double *y)
{
    double sum = 0;
    if (a->column == b->column) {
        return trm_dot(a->n, x, y);
    }
    for (int i = 0, j = 0; i < a->n && j < b->n;) {
        const int c = a->column[i], d = b->column[j];
        sum += c == d ? x[i] * y[j] : 0;
        i += c <= d;
        j += d <= c;
    }
    return sum;
}

static int is_all(const trm_contact *contact, const trm_sparse_row *sparse)
{
    return sparse->n == contact->nv && sparse->nc == contact->nc;
}

void trm_contact_solve_M(trm_contact *contact, trm_system *system, int k, int inverse, double *x)
{
    const trm_sparse_row *const sparse = &contact->sparse[k];
    const trm_bodies *const bodies = &contact->model->bodies;
    if (is_all(contact, sparse)) {
        (inverse ? trm_system_solve_M : trm_system_multiply_M)(system, x);
        return;
    }
    for (int i = 0; i < sparse->n;) {
        const trm_bodies one = trm_bodies_one(bodies, contact->body_at[sparse->column[i]]);
        (inverse ? trm_bodies_solve : trm_bodies_multiply)(&one, x + i);
        i += one.nv;
    }
}

double trm_contact_square(trm_contact *contact, trm_system *system, int k, int inverse,
                          const double *x)
{
    const int n = contact->sparse[k].n;
    double *const Mx = contact->work.alone;
    memcpy(Mx, x, (size_t)n * sizeof *x);
    trm_contact_solve_M(contact, system, k, inverse, Mx);
    return trm_dot(n, Mx, x);
}

int trm_contact_depends(trm_contact *contact, trm_system *system, int k, const double *G,
                        const double *C, double *whole)
{
    const double left = trm_contact_square(contact, system, k, 0, C);
    *whole = trm_contact_square(contact, system, k, 1, G);
    return *whole > 0 ? left <= TRM_DEPENDENT * TRM_DEPENDENT * *whole
                      : contact->model->joints && contact->roundoff[k] > 0; // held by the tree
}

// -------------------------------------------------------------------------------------- responses

/// Of what row k moves contact->blocks.parent := value, where none of it is `value`. Returns
/// nonzero then.
static int take_parts(trm_contact *contact, int k, int value)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    for (int i = 0; i < row->nparts; i++) {
        if (contact->blocks.parent[row->part[i]] == value) {
            return 0;
        }
    }
    for (int i = 0; i < row->nparts; i++) {
        contact->blocks.parent[row->part[i]] = value;
    }
    return 1;
}

/// C and L of those of list[n] that joints hold, of as many together as move different things.
static void answer_together(trm_contact *contact, trm_system *system, int n, const int *list)
{
    double *const a = contact->work.MC, *const lambda = contact->work.c;
    int left = 0;
    for (int i = 0; i < n; i++) {
        const trm_sparse_row *const sparse = &contact->sparse[list[i]];
        contact->work.round[i] = sparse->nc > 0 && !is_all(contact, sparse) ? 0 : -1;
        left += contact->work.round[i] == 0;
        if (contact->work.round[i] == 0) {
            (void)take_parts(contact, list[i], 0);
        }
    }
    for (int round = 1; left > 0; round++) {
        memset(a, 0, (size_t)contact->nv * sizeof *a);
        for (int i = 0; i < n; i++) {
            if (contact->work.round[i] == 0 && take_parts(contact, list[i], round)) {
                contact->work.round[i] = round;
                trm_sparse_row_add(&contact->sparse[list[i]], 1, contact->sparse[list[i]].G, a);
            }
        }
        trm_system_respond(system, a, lambda);
        for (int i = 0; i < n; i++) {
            const trm_sparse_row *const sparse = &contact->sparse[list[i]];
            for (int j = 0; j < sparse->n && contact->work.round[i] == round; j++) {
                sparse->C[j] = a[sparse->column[j]];
            }
            for (int j = 0; j < sparse->nc && contact->work.round[i] == round; j++) {
                sparse->L[j] = lambda[sparse->row[j]];
            }
            left -= contact->work.round[i] == round;
        }
    }
}

/// Rows that are switched on and are not in list[n] hold as joints do, and stand behind it in
/// `all`. Returns how many there are then.
static int list_with_switched(const trm_contact *contact, int n, const int *list, int *all)
{
    int m = n;
    memcpy(all, list, (size_t)n * sizeof *list);
    for (int k = 0; k < contact->n && contact->model->nswitched > 0; k++) {
        int listed = !trm_contact_is_on(contact, k);
        for (int i = 0; i < n && !listed; i++) {
            listed = list[i] == k;
        }
        if (!listed) {
            all[m++] = k;
        }
    }
    return m;
}

/// contact->work.MC := M C of row k.
static const double *find_MC(trm_contact *contact, trm_system *system, int k)
{
    const trm_sparse_row *const own = &contact->sparse[k];
    memcpy(contact->work.MC, own->C, (size_t)own->n * sizeof(double));
    trm_contact_solve_M(contact, system, k, 0, contact->work.MC);
    return contact->work.MC;
}

/// Takes out of C and L of the first n of m rows what moves those behind them: C_k -= C_s W_ss^+
/// W_sk. A row that these hold already keeps nothing but roundoff, which counts as 0.
static void keep_switched(trm_contact *contact, trm_system *system, const int *rows, int n, int m)
{
    const int nv = contact->nv, nc = contact->nc, held = m - n;
    double *const W = contact->work.on_W, *const y = contact->work.on_y;
    for (int i = n; i < m; i++) {
        const double *const MC = find_MC(contact, system, rows[i]);
        for (int j = n; j < m; j++) {
            W[(i - n) * held + j - n] = trm_dot(nv, MC, contact->sparse[rows[j]].C);
        }
    }
    for (int k = 0; k < n; k++) {
        const trm_sparse_row *const own = &contact->sparse[rows[k]];
        const double *MC = find_MC(contact, system, rows[k]);
        for (int i = n; i < m; i++) {
            y[i - n] = trm_dot(nv, MC, contact->sparse[rows[i]].C);
        }
        const double whole = trm_dot(nv, MC, own->C);
        (void)trm_semidefinite_solve(&contact->problem.complementarity, held, NULL, W, held,
                                     INFINITY, y);
        for (int i = n; i < m; i++) {
            const trm_sparse_row *const on = &contact->sparse[rows[i]];
            for (int j = 0; j < nv; j++) {
                own->C[j] -= y[i - n] * on->C[j];
            }
            for (int j = 0; j < nc; j++) {
                own->L[j] -= y[i - n] * on->L[j];
            }
        }
        MC = find_MC(contact, system, rows[k]);
        if (trm_dot(nv, MC, own->C) <= TRM_CONTACT_ALIKE * whole) {
            memset(own->C, 0, (size_t)nv * sizeof *own->C);
        }
    }
}

/// Row k answers nothing where the joints hold it already, or decide it: roundoff is left of C. In
/// models with switched joints, which may be what decides it, C tells. contact->whole, of these.
/// Nor does the direction of a pair that sticks by the other one, where held rows decide it.
static void forget_roundoff(trm_contact *contact, trm_system *system, int k)
{
    const trm_sparse_row *const own = &contact->sparse[k];
    const int one = contact->driven[k] == TRM_CONTACT_LED_ONE && contact->hold[k];
    const int driven = contact->driven[k] == 1 || one;
    const int asks =
        contact->model->nswitched > 0 && !one && (driven || contact->model->contacts[k].input >= 0);
    if (asks ? trm_contact_depends(contact, system, k, own->G, own->C, &contact->whole[k])
             : driven) {
        memset(own->C, 0, (size_t)own->n * sizeof *own->C);
    }
}

static void answer(trm_contact *contact, trm_system *system, int n, const int *list)
{
    answer_together(contact, system, n, list);
    for (int i = 0; i < n; i++) {
        const trm_sparse_row *const sparse = &contact->sparse[list[i]];
        if (contact->work.round[i] < 0) {
            memcpy(sparse->C, sparse->G, (size_t)sparse->n * sizeof *sparse->C);
        }
        if (contact->work.round[i] < 0 && is_all(contact, sparse)) {
            trm_system_respond(system, sparse->C, sparse->L);
        } else if (contact->work.round[i] < 0) {
            trm_contact_solve_M(contact, system, list[i], 1, sparse->C);
        }
        forget_roundoff(contact, system, list[i]);
    }
}

void trm_contact_solve_responses(trm_contact *contact, trm_system *system, int n, const int *list)
{
    int *const rows = contact->blocks.responding;
    const int m = list_with_switched(contact, n, list, rows);
    answer(contact, system, m, rows);
    if (m > n) {
        keep_switched(contact, system, rows, n, m);
    }
}

/// W of row i of list[n], by its contact->work.MC, and of those up to itself that move a part of
/// what it moves: the last one is blocks->head of the part, the one before each of them next[],
/// whose place in the list is at[]. Switched joints tie all parts together.
static void pair_up(trm_contact *contact, int n, const int *list, int i, int *links)
{
    const trm_sparse_row *const own = &contact->sparse[list[i]];
    const trm_contact_row *const row = &contact->model->contacts[list[i]];
    trm_contact_blocks *const blocks = &contact->blocks;
    const int tied = contact->model->nswitched > 0;
    for (int r = 0; r < (tied ? 1 : row->nparts); r++) {
        int *const head = &blocks->head[tied ? 0 : row->part[r]];
        blocks->at[*links] = i;
        blocks->next[*links] = *head;
        *head = (*links)++;
        for (int link = *head; link >= 0; link = blocks->next[link]) {
            const int j = blocks->at[link];
            const trm_sparse_row *const other = &contact->sparse[list[j]];
            contact->problem.W[i * n + j] = contact->problem.W[j * n + i] =
                trm_sparse_rows_product(own, contact->work.MC, other, other->C);
        }
    }
}

void trm_contact_form_delassus(trm_contact *contact, trm_system *system, int n, const int *list)
{
    int links = 0;
    memset(contact->problem.W, 0, (size_t)n * (size_t)n * sizeof(double));
    contact->blocks.head[0] = -1;
    for (int i = 0; i < n; i++) {
        const trm_contact_row *const row = &contact->model->contacts[list[i]];
        for (int r = 0; r < row->nparts; r++) {
            contact->blocks.head[row->part[r]] = -1;
        }
    }
    for (int i = 0; i < n; i++) {
        (void)find_MC(contact, system, list[i]);
        pair_up(contact, n, list, i, &links);
    }
}

/// The next pivot of A[n][n]: the row of which the largest part of `whole` is left; -1: none.
static int most_independent(int n, const double *A, const double *whole)
{
    int pivot = -1;
    double most = TRM_CONTACT_ALIKE;
    for (int i = 0; i < n; i++) {
        const double part = A[i * n + i] / whole[i];
        pivot = part > most ? i : pivot;
        most = fmax(part, most);
    }
    return pivot;
}

int trm_contact_agree(trm_contact *contact, int n, int stride, const int *list, double *b)
{
    double *const A = contact->problem.part, *const whole = contact->problem.lo;
    double *const left = contact->problem.hi;
    int closed = 0, worst = 0;
    for (int i = 0; i < n; i++) {
        const int switched = contact->model->contacts[list[i]].input >= 0;
        memcpy(A + i * n, contact->problem.W + i * stride, (size_t)n * sizeof *A);
        whole[i] = switched ? contact->whole[list[i]] : A[i * n + i];
        left[i] = b[i];
        closed |= switched;
    }
    for (int step = 0; closed && step < n; step++) {
        const int p = most_independent(n, A, whole);
        if (p < 0) {
            break;
        }
        whole[p] = INFINITY;
        for (int i = 0; i < n; i++) {
            const double part = isfinite(whole[i]) ? A[i * n + p] / A[p * n + p] : 0;
            for (int j = 0; j < n; j++) {
                A[i * n + j] -= part * A[p * n + j];
            }
            left[i] -= part * left[p];
        }
    }
    for (int i = 0; i < n; i++) {
        left[i] = closed && isfinite(whole[i]) ? left[i] : 0;
        b[i] -= left[i];
        worst = fabs(left[i]) > fabs(left[worst]) ? i : worst;
    }
    return worst;
}

// ----------------------------------------------------------------------------------------- blocks

int trm_contact_root_of(int *parent, int part)
{
    while (parent[part] != part) {
        part = parent[part] = parent[parent[part]];
    }
    return part;
}

void trm_contact_join(const trm_model *model, int n, const int *list, int *parent)
{
    parent[model->sizes.nv] = model->sizes.nv;
    for (int join = 0; join < 2; join++) {
        for (int i = 0; i < n; i++) {
            const trm_contact_row *const row = &model->contacts[list ? list[i] : i];
            for (int b = 0; b < row->nparts; b++) { // each for itself, then all for the last
                const int p = join ? trm_contact_root_of(parent, row->part[b]) : row->part[b];
                const int first = join ? trm_contact_root_of(parent, row->part[0]) : p;
                parent[first] = p;
            }
        }
    }
}

int trm_contact_block_of(const trm_model *model, int *parent, int k)
{
    const trm_contact_row *const row = &model->contacts[k];
    return row->nparts > 0 ? trm_contact_root_of(parent, row->part[0]) : model->sizes.nv;
}

int trm_contact_find_blocks(trm_contact *contact, int n, const int *list)
{
    int blocks = 0, *const head = contact->blocks.head;
    memmove(contact->blocks.all, list, (size_t)n * sizeof *list);
    trm_contact_join(contact->model, n, list, contact->blocks.parent);
    for (int i = 0; i < n; i++) {
        contact->blocks.block[i] =
            trm_contact_block_of(contact->model, contact->blocks.parent, list[i]);
        head[contact->blocks.block[i]] = -1;
    }
    memset(contact->blocks.first, 0, (size_t)(n + 1) * sizeof *contact->blocks.first);
    for (int i = 0; i < n; i++) { // the first row of a block is where its number is met
        int *const number = &head[contact->blocks.block[i]];
        const int full = *number >= 0 && contact->blocks.first[*number + 1] == contact->room;
        contact->blocks.full |= full; // and the next one begins
        *number = *number < 0 || full ? blocks++ : *number;
        contact->blocks.block[i] = *number;
        contact->blocks.first[*number + 1]++;
    }
    for (int b = 0; b < blocks; b++) {
        contact->blocks.first[b + 1] += contact->blocks.first[b];
    }
    for (int i = 0; i < n; i++) {
        contact->blocks.order[contact->blocks.first[contact->blocks.block[i]]++] = i;
    }
    memmove(contact->blocks.first + 1, contact->blocks.first,
            (size_t)blocks * sizeof *contact->blocks.first);
    contact->blocks.first[0] = 0;
    return blocks;
}

int trm_contact_take_block(trm_contact *contact, int b, int first, int *among)
{
    int n = 0, found = 0;
    for (int i = contact->blocks.first[b]; i < contact->blocks.first[b + 1]; i++) {
        contact->problem.list[n++] = contact->blocks.all[contact->blocks.order[i]];
        found += contact->blocks.order[i] < first;
    }
    *(among ? among : &found) = found;
    return n;
}
