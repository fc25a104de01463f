// Joints that no position satisfies together: the smallest set by deletion, and how far each of
// them stays open when the others fit.

#include "base/linear/sums.h"
#include "simulation/diagnosis/diagnosis_context.h"

#include <math.h>
#include <string.h>

enum { TRIES = 12, LARGE = 100 };

/// Multiplications of closings, some seconds: beyond this the search for a smaller
/// set ends, and gaps are not measured.
static const double most_work = 3e9;

int trm_diagnosis_closes(trm_diagnosis_context *context, const trm_closing_task *task, int tries,
                         double *q)
{
    trm_conditioning *const p = &context->conditioning;
    const size_t bytes = (size_t)p->nq * sizeof(double);
    const double most = context->model->bodies.width == 6 ? 0.4 : 2; // rad; farther, axes flip
    memcpy(context->from, q, bytes);
    double least = trm_conditioning_close_rows(p, task, q, NULL);
    tries = p->nc > LARGE ? tries / 6 : tries;
    for (int k = 0; k < tries && least > TRM_CLOSED; k++) {
        memcpy(context->attempt, context->from, bytes);
        trm_conditioning_any_motion(p, most * (k + 1) / tries, context->moved);
        for (int i = 0; task->held && i < p->nv; i++) {
            context->moved[i] = task->held[i] ? 0 : context->moved[i];
        }
        trm_conditioning_move(p, context->moved, context->attempt);
        const double next = trm_conditioning_close_rows(p, task, context->attempt, NULL);
        if (next < 0.99 * least || next <= TRM_CLOSED) {
            least = next;
            memcpy(q, context->attempt, bytes);
        }
    }
    return least <= TRM_CLOSED;
}

// -------------------------------------------------------------------------------------- deletion

static void switch_block(trm_diagnosis_context *d, int block, char off)
{
    memset(d->row_off + d->model->blocks[block].row, off, (size_t)d->model->blocks[block].rows);
}

static int closes_from(trm_diagnosis_context *d, double t, const double *q)
{
    const trm_closing_task task = {.t = t, .row_off = d->row_off};
    memcpy(d->trial, q, (size_t)d->conditioning.nq * sizeof(double));
    return trm_diagnosis_closes(d, &task, TRIES, d->trial);
}

/// Largest |r| of a block at the current point.
static double tightness(const trm_diagnosis_context *d, int block)
{
    const trm_block *const b = &d->model->blocks[block];
    double max = 0;
    for (int i = b->row; i < b->row + b->rows; i++) {
        max = fmax(max, fabs(d->conditioning.r[i]));
    }
    return max;
}

/// Joints without force at the least residual are removed together, if the rest still conflicts.
static void drop_bystanders(trm_diagnosis_context *d, double t, const double *q)
{
    const int n = d->model->nblocks;
    double most = 0;
    trm_conditioning_at(&d->conditioning, t, q);
    for (int b = 0; b < n; b++) {
        most = fmax(most, tightness(d, b));
    }
    for (int b = 0; b < n; b++) {
        switch_block(d, b, tightness(d, b) < 1e-4 * most);
    }
    if (closes_from(d, t, q)) {
        memset(d->row_off, 0, (size_t)d->conditioning.nc);
    }
}

static int is_off(const trm_diagnosis_context *d, int block)
{
    return d->row_off[d->model->blocks[block].row];
}

/// The block that follows `name` in the order of names; -1 at the end.
static int next_by_name(const trm_diagnosis_context *d, const char *name)
{
    int next = -1;
    const char *best = NULL;
    for (int b = 0; b < d->model->nblocks; b++) {
        if (d->model->blocks[b].rows == 0) {
            continue; // a joint that is switched
        }
        const char *const own = d->model->row_info[d->model->blocks[b].row].name;
        if ((!name || strcmp(own, name) > 0) && (!best || strcmp(own, best) < 0)) {
            best = own;
            next = b;
        }
    }
    return next;
}

static void delete_joints(trm_diagnosis_context *d, double t, const double *q)
{
    const char *name = NULL;
    for (int b = next_by_name(d, NULL); b >= 0; b = next_by_name(d, name)) {
        name = d->model->row_info[d->model->blocks[b].row].name;
        if (d->conditioning.work > most_work) {
            d->found.conflicts_unsearched = 1;
            return;
        }
        if (!is_off(d, b)) {
            switch_block(d, b, 1);
            if (closes_from(d, t, q)) {
                switch_block(d, b, 0);
            }
        }
    }
}

// ------------------------------------------------------------------------------------------ gaps

/// g of a distance row is (d^2 - L^2)/(2 L); the gap is d - L.
static double ruler(const trm_model *m, int row, double g)
{
    const trm_row_batch *const rods = &m->batch[TRM_ROW_DISTANCE];
    for (int i = 0; i < rods->n; i++) {
        if (rods->row[i] == row) {
            const double L = rods->constant[i];
            return sqrt(fmax(0, L * (L + 2 * g))) - L;
        }
    }
    return g;
}

/// The size of g over the rows of one unit in a block.
static double gap_in(const trm_diagnosis_context *d, int block, char unit)
{
    const trm_block *const b = &d->model->blocks[block];
    double sum = 0;
    for (int i = b->row; i < b->row + b->rows; i++) {
        const double g = ruler(d->model, i, d->conditioning.system->g[i]);
        sum += d->model->row_info[i].unit[0] == unit ? g * g : 0;
    }
    return sqrt(sum);
}

static trm_gap gap_of(const trm_diagnosis_context *d, int block)
{
    const double m = gap_in(d, block, 'm'), rad = gap_in(d, block, 'r');
    const double none = gap_in(d, block, '\0');
    const int turned = rad * d->conditioning.size > m;
    return (trm_gap){.row = d->model->blocks[block].row,
                     .size = none > 0 ? none
                             : turned ? rad
                                      : m,
                     .unit = none > 0 ? ""
                             : turned ? "rad"
                                      : "m"};
}

/// The gap of a block when every other row of the conflict weighs ten thousand times more.
static trm_gap measure_gap(trm_diagnosis_context *d, double t, const double *q, int block,
                           double *weight)
{
    const trm_block *const b = &d->model->blocks[block];
    for (int i = 0; i < d->conditioning.nc; i++) {
        weight[i] = i >= b->row && i < b->row + b->rows ? 1 : 1e4;
    }
    const trm_closing_task task = {.t = t, .row_off = d->row_off, .weight = weight};
    memcpy(d->trial, q, (size_t)d->conditioning.nq * sizeof(double));
    trm_conditioning_close_rows(&d->conditioning, &task, d->trial, NULL);
    trm_conditioning_at(&d->conditioning, t, d->trial);
    return gap_of(d, block);
}

static int list_gaps(trm_diagnosis_context *d, double t, const double *q, trm_conflict *conflict)
{
    trm_gap *const gaps = trm_pool_take(&d->pool, (size_t)d->model->nblocks, sizeof *gaps);
    double *const weight = trm_pool_take(&d->pool, (size_t)d->conditioning.nc, sizeof(double));
    if (!gaps || !weight) {
        return 0;
    }
    const char *name = NULL;
    for (int b = next_by_name(d, NULL); b >= 0; b = next_by_name(d, name)) {
        name = d->model->row_info[d->model->blocks[b].row].name;
        if (!is_off(d, b) && d->conditioning.work <= 2 * most_work) {
            gaps[conflict->ngaps++] = measure_gap(d, t, q, b, weight);
        }
    }
    conflict->gaps = gaps;
    return 1;
}

// ------------------------------------------------------------------------------------------- rows

/// Rows that pull at the least residual.
static int list_rows(trm_diagnosis_context *d, double t, double *q, trm_conflict *conflict)
{
    trm_conditioning *const p = &d->conditioning;
    int *const rows = trm_pool_take(&d->pool, (size_t)p->nc, sizeof(int));
    if (!rows) {
        return 0;
    }
    const trm_closing_task task = {.t = t, .row_off = d->row_off};
    trm_conditioning_close_rows(p, &task, q, NULL);
    const double most = trm_max_norm(p->nc, p->r);
    for (int i = 0; i < p->nc; i++) {
        if (fabs(p->r[i]) > 1e-4 * most) {
            rows[conflict->nrows++] = i;
        }
    }
    conflict->rows = rows;
    return 1;
}

trm_status trm_diagnosis_conflict(trm_diagnosis_context *context, double t, const double *q,
                                  trm_error *err)
{
    trm_conflict *const conflict = &context->conflict[context->found.nconflicts++];
    double *const least =
        trm_pool_take(&context->pool, (size_t)context->conditioning.nq, sizeof(double));
    *conflict = (trm_conflict){.t = t, .t_gap = t};
    if (!least) {
        return trm_diagnosis_no_memory(err);
    }
    memcpy(least, q, (size_t)context->conditioning.nq * sizeof(double));
    memset(context->row_off, 0, (size_t)context->conditioning.nc);
    conflict->elsewhere = closes_from(context, t, q);
    if (!conflict->elsewhere) {
        drop_bystanders(context, t, q);
        delete_joints(context, t, q);
    }
    if (!list_rows(context, t, least, conflict) || !list_gaps(context, t, least, conflict)) {
        return trm_diagnosis_no_memory(err);
    }
    context->sets[context->found.nsets++] = (trm_redundancy){
        .rows = conflict->rows, .nrows = conflict->nrows, .kind = TRM_REDUNDANCY_CONTRADICTORY};
    context->found.sets = context->sets;
    context->found.conflicts = context->conflict;
    return TRM_OK;
}
