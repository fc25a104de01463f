// Joints that no position satisfies together: the smallest set by deletion, and how far each of
// them stays open when the others fit.

#include "simulation/diagnosis/diagnosis_context.h"

#include <math.h>
#include <string.h>

enum { TRIES = 12, LARGE = 100 };

/// Multiplications of closings, some seconds: beyond this the search for a smaller
/// set ends, and gaps are not measured.
static const double most_work = 3e9;

int trm_doctor_closes(trm_doctor *doctor, const trm_closing_task *task, int tries, double *q)
{
    trm_posture *const p = &doctor->posture;
    const size_t bytes = (size_t)p->nq * sizeof(double);
    const double most = doctor->model->bodies.width == 6 ? 0.4 : 2; // rad; farther, axes flip
    memcpy(doctor->from, q, bytes);
    double least = trm_posture_close_rows(p, task, q, NULL);
    tries = p->nc > LARGE ? tries / 6 : tries;
    for (int k = 0; k < tries && least > TRM_CLOSED; k++) {
        memcpy(doctor->attempt, doctor->from, bytes);
        trm_posture_any_motion(p, most * (k + 1) / tries, doctor->moved);
        for (int i = 0; task->held && i < p->nv; i++) {
            doctor->moved[i] = task->held[i] ? 0 : doctor->moved[i];
        }
        trm_posture_move(p, doctor->moved, doctor->attempt);
        const double next = trm_posture_close_rows(p, task, doctor->attempt, NULL);
        if (next < 0.99 * least || next <= TRM_CLOSED) {
            least = next;
            memcpy(q, doctor->attempt, bytes);
        }
    }
    return least <= TRM_CLOSED;
}

// -------------------------------------------------------------------------------------- deletion

static void switch_block(trm_doctor *d, int block, char off)
{
    memset(d->row_off + d->model->blocks[block].row, off, (size_t)d->model->blocks[block].rows);
}

static int closes_from(trm_doctor *d, double t, const double *q)
{
    const trm_closing_task task = {.t = t, .row_off = d->row_off};
    memcpy(d->trial, q, (size_t)d->posture.nq * sizeof(double));
    return trm_doctor_closes(d, &task, TRIES, d->trial);
}

/// Largest |r| of a block at the current point.
static double tightness(const trm_doctor *d, int block)
{
    const trm_block *const b = &d->model->blocks[block];
    double max = 0;
    for (int i = b->row; i < b->row + b->rows; i++) {
        max = fmax(max, fabs(d->posture.r[i]));
    }
    return max;
}

/// Joints without force at the least residual are removed together, if the rest still conflicts.
static void drop_bystanders(trm_doctor *d, double t, const double *q)
{
    const int n = d->model->nblocks;
    double most = 0;
    trm_posture_at(&d->posture, t, q);
    for (int b = 0; b < n; b++) {
        most = fmax(most, tightness(d, b));
    }
    for (int b = 0; b < n; b++) {
        switch_block(d, b, tightness(d, b) < 1e-4 * most);
    }
    if (closes_from(d, t, q)) {
        memset(d->row_off, 0, (size_t)d->posture.nc);
    }
}

static int is_off(const trm_doctor *d, int block)
{
    return d->row_off[d->model->blocks[block].row];
}

/// The block that follows `name` in the order of names; -1 at the end.
static int next_by_name(const trm_doctor *d, const char *name)
{
    int next = -1;
    const char *best = NULL;
    for (int b = 0; b < d->model->nblocks; b++) {
        const char *const own = d->model->row_info[d->model->blocks[b].row].name;
        if ((!name || strcmp(own, name) > 0) && (!best || strcmp(own, best) < 0)) {
            best = own;
            next = b;
        }
    }
    return next;
}

static void delete_joints(trm_doctor *d, double t, const double *q)
{
    const char *name = NULL;
    for (int b = next_by_name(d, NULL); b >= 0; b = next_by_name(d, name)) {
        name = d->model->row_info[d->model->blocks[b].row].name;
        if (d->posture.work > most_work) {
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
static double gap_in(const trm_doctor *d, int block, char unit)
{
    const trm_block *const b = &d->model->blocks[block];
    double sum = 0;
    for (int i = b->row; i < b->row + b->rows; i++) {
        const double g = ruler(d->model, i, d->posture.system->g[i]);
        sum += d->model->row_info[i].unit[0] == unit ? g * g : 0;
    }
    return sqrt(sum);
}

static trm_gap gap_of(const trm_doctor *d, int block)
{
    const double m = gap_in(d, block, 'm'), rad = gap_in(d, block, 'r');
    const double none = gap_in(d, block, '\0');
    const int turned = rad * d->posture.size > m;
    return (trm_gap){.row = d->model->blocks[block].row,
                     .size = none > 0 ? none
                             : turned ? rad
                                      : m,
                     .unit = none > 0 ? ""
                             : turned ? "rad"
                                      : "m"};
}

/// The gap of a block when every other row of the conflict weighs ten thousand times more.
static trm_gap measure_gap(trm_doctor *d, double t, const double *q, int block, double *weight)
{
    const trm_block *const b = &d->model->blocks[block];
    for (int i = 0; i < d->posture.nc; i++) {
        weight[i] = i >= b->row && i < b->row + b->rows ? 1 : 1e4;
    }
    const trm_closing_task task = {.t = t, .row_off = d->row_off, .weight = weight};
    memcpy(d->trial, q, (size_t)d->posture.nq * sizeof(double));
    trm_posture_close_rows(&d->posture, &task, d->trial, NULL);
    trm_posture_at(&d->posture, t, d->trial);
    return gap_of(d, block);
}

static int list_gaps(trm_doctor *d, double t, const double *q, trm_conflict *conflict)
{
    trm_gap *const gaps = trm_pieces_take(&d->pool, (size_t)d->model->nblocks, sizeof *gaps);
    double *const weight = trm_pieces_take(&d->pool, (size_t)d->posture.nc, sizeof(double));
    if (!gaps || !weight) {
        return 0;
    }
    const char *name = NULL;
    for (int b = next_by_name(d, NULL); b >= 0; b = next_by_name(d, name)) {
        name = d->model->row_info[d->model->blocks[b].row].name;
        if (!is_off(d, b) && d->posture.work <= 2 * most_work) {
            gaps[conflict->ngaps++] = measure_gap(d, t, q, b, weight);
        }
    }
    conflict->gaps = gaps;
    return 1;
}

// ------------------------------------------------------------------------------------------- rows

/// Rows that pull at the least residual.
static int list_rows(trm_doctor *d, double t, double *q, trm_conflict *conflict)
{
    trm_posture *const p = &d->posture;
    int *const rows = trm_pieces_take(&d->pool, (size_t)p->nc, sizeof(int));
    if (!rows) {
        return 0;
    }
    const trm_closing_task task = {.t = t, .row_off = d->row_off};
    trm_posture_close_rows(p, &task, q, NULL);
    double most = 0;
    for (int i = 0; i < p->nc; i++) {
        most = fmax(most, fabs(p->r[i]));
    }
    for (int i = 0; i < p->nc; i++) {
        if (fabs(p->r[i]) > 1e-4 * most) {
            rows[conflict->nrows++] = i;
        }
    }
    conflict->rows = rows;
    return 1;
}

trm_status trm_doctor_conflict(trm_doctor *doctor, double t, const double *q, trm_error *err)
{
    trm_conflict *const conflict = &doctor->conflict[doctor->found.nconflicts++];
    double *const least =
        trm_pieces_take(&doctor->pool, (size_t)doctor->posture.nq, sizeof(double));
    *conflict = (trm_conflict){.t = t, .t_gap = t};
    if (!least) {
        return trm_doctor_no_memory(err);
    }
    memcpy(least, q, (size_t)doctor->posture.nq * sizeof(double));
    memset(doctor->row_off, 0, (size_t)doctor->posture.nc);
    conflict->elsewhere = closes_from(doctor, t, q);
    if (!conflict->elsewhere) {
        drop_bystanders(doctor, t, q);
        delete_joints(doctor, t, q);
    }
    if (!list_rows(doctor, t, least, conflict) || !list_gaps(doctor, t, least, conflict)) {
        return trm_doctor_no_memory(err);
    }
    doctor->sets[doctor->found.nsets++] = (trm_redundancy){
        .rows = conflict->rows, .nrows = conflict->nrows, .kind = TRM_CONTRADICTORY};
    doctor->found.sets = doctor->sets;
    doctor->found.conflicts = doctor->conflict;
    return TRM_OK;
}
