// Minimal dependent sets and their kinds; which multipliers are unique.
//
//   structural     dependent at a generic closed position, and w . g''(z, z) = 0 for free
//                  motions z: the dependence does not stop the motion
//   singular-here  dependent in the position examined only, or w . g''(z, z) != 0: the freedom z
//                  that the dependence leaves is blocked by second order

#include "simulation/diagnosis/diagnosis_context.h"

#include <math.h>
#include <string.h>

enum { MOTIONS = 3 };

/// w . r of a set, rows of unit length.
static double tension(const trm_conditioning *p, int n, const int *rows, const double *w)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        const double length = p->length[rows[i]];
        sum += w[i] * p->r[rows[i]] / (length > 1e-12 ? length : 1);
    }
    return sum;
}

static double tension_beside(trm_diagnosis_context *d, double s, int n, const int *rows,
                             const double *w)
{
    trm_conditioning *const p = &d->conditioning;
    for (int i = 0; i < p->nv; i++) {
        d->moved[i] = s * p->grain * d->direction[i];
    }
    memcpy(d->trial, d->generic, (size_t)p->nq * sizeof(double));
    trm_conditioning_move(p, d->moved, d->trial);
    return trm_conditioning_at(p, d->generic_t, d->trial) ? 0 : tension(p, n, rows, w);
}

/// Whether w . g''(z, z) differs from zero for some free motion z.
static int blocks_motion(trm_diagnosis_context *d, int n, const int *rows, const double *w)
{
    const double s = 1e-3;
    double total = 0;
    for (int i = 0; i < n; i++) {
        total += fabs(w[i]);
    }
    for (int k = 0; k < MOTIONS && trm_conditioning_free_motion(&d->conditioning, d->direction);
         k++) {
        const double bend = tension_beside(d, s, n, rows, w) + tension_beside(d, -s, n, rows, w) -
                            2 * tension_beside(d, 0, n, rows, w);
        if (fabs(bend) > 1e-3 * s * s * total * d->conditioning.grain * d->conditioning.grain /
                             d->conditioning.size) {
            return 1;
        }
    }
    return 0;
}

/// Returns zero without memory.
static int keep(trm_diagnosis_context *d, int n, const int *rows, const double *w, int here)
{
    int *const own = trm_pool_take(&d->pool, (size_t)n, sizeof(int));
    if (!own) {
        return 0;
    }
    const int singular = here || blocks_motion(d, n, rows, w);
    memcpy(own, rows, (size_t)n * sizeof(int));
    d->sets[d->found.nsets++] = (trm_redundancy){.rows = own,
                                                 .nrows = n,
                                                 .kind = singular ? TRM_REDUNDANCY_SINGULAR_HERE
                                                                  : TRM_REDUNDANCY_STRUCTURAL};
    return 1;
}

/// All sets left in `from`; `here`: singular in this position only. Where the search takes too
/// long, the rest as found by elimination.
static int take_all(trm_diagnosis_context *d, trm_row_sets *from, int here)
{
    const size_t nc = (size_t)d->conditioning.nc;
    int *const rows = trm_pool_take(&d->pool, nc, sizeof(int));
    double *const w = trm_pool_take(&d->pool, nc, sizeof(double));
    int ok = rows && w;
    while (ok && from->d > 0 && from->work <= TRM_SETS_WORK) {
        const int n = trm_row_sets_take(from, rows, w);
        ok = keep(d, n, rows, w, here);
    }
    const int left = ok && from->d > 0 ? trm_row_sets_reduce(from) : 0;
    for (int k = 0; ok && k < left; k++) {
        const int n = trm_row_sets_column(from, k, rows, w);
        ok = keep(d, n, rows, w, here);
        d->found.nunsearched++;
    }
    return ok;
}

static int mark_unique(trm_diagnosis_context *d, const trm_row_sets *sets)
{
    int *const unique = trm_pool_take(&d->pool, (size_t)d->conditioning.nc, sizeof(int));
    for (int i = 0; unique && i < d->conditioning.nc; i++) {
        unique[i] = trm_row_sets_unique(sets, i);
        d->found.nundetermined += !unique[i];
    }
    d->found.unique = unique;
    return unique != NULL;
}

static int look(trm_diagnosis_context *d, double t, const double *q, trm_row_sets *sets)
{
    return trm_conditioning_at(&d->conditioning, t, q) == 0 &&
           trm_conditioning_rank(&d->conditioning) &&
           trm_row_sets_open(sets, &d->conditioning, &d->pool);
}

trm_status trm_diagnosis_sets(trm_diagnosis_context *context, trm_error *err)
{
    trm_row_sets generic, here;
    int ok = look(context, context->generic_t, context->generic, &generic) &&
             take_all(context, &generic, 0) && look(context, 0, context->q, &here) &&
             mark_unique(context, &here);
    if (ok) {
        for (int k = 0; k < context->found.nsets; k++) {
            trm_row_sets_forget(&here, context->sets[k].rows[0]);
        }
        here.work = generic.work;
        ok = take_all(context, &here, 1);
    }
    context->found.sets = context->sets;
    return ok ? TRM_OK : trm_diagnosis_no_memory(err);
}
