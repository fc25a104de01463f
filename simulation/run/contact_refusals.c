/// What contacts are refused by, with the row that is named.
#include "base/status.h"
#include "simulation/contact_modes/active_set.h"
#include "simulation/run/simulation.h"

#include <math.h>
#include <stdio.h>

trm_status trm_sim_refuse_contact(const trm_sim *sim, int row, const char *what, trm_error *err)
{
    const trm_contact_row *info = &sim->model->contacts[row];
    const trm_status status =
        TRM_FAIL(err, TRM_ERR_SINGULAR, info->where, "%sat t = %.9g s: contact '%.60s': %s",
                 sim->run.stats.steps > 0 ? "stopped " : "", sim->run.now.t, info->name, what);
    if (err) {
        err->t = sim->run.now.t;
    }
    return status;
}

/// A limit of row k: the lower one for side 1, the upper one for side -1.
static double limit_of(const trm_sim *sim, int k, int side)
{
    const trm_contact_row *row = &sim->model->contacts[k];
    return side > 0 ? row->lo : row->hi;
}

/// Row k is outside its limit of side `from`. How far row j is beyond its limit of the given side
/// when row k is brought back to its own, m or rad; zero where the joints leave the two rows other
/// motions than against each other. Rows are looked at, joints factored.
static double left_outside(trm_sim *sim, int k, int from, int j, int side)
{
    trm_contact *contact = sim->run.contact;
    const int rows[] = {k, j};
    trm_contact_respond(contact, sim->run.system, 2, rows);
    const double *W = contact->W, opposite = -from * side * W[1];
    if (!(opposite > 0) || opposite * opposite < (1 - TRM_CONTACT_ALIKE) * W[0] * W[3]) {
        return 0;
    }
    const double need = from * (limit_of(sim, k, from) - contact->x[k]);
    const double room = side * (contact->x[j] - limit_of(sim, j, side));
    return fmax(opposite / W[0] * need - room, 0);
}

/// The row that leaves row k no position, where row k is outside its limit of side `from`; -1:
/// none. *by: how far that row would be outside, m or rad.
static int contradicting(trm_sim *sim, int k, int from, double *by)
{
    int worst = -1;
    *by = sim->run.options.tolerance;
    for (int j = 0; j < sim->model->ncontacts && !trm_contact_evaluate_now(&sim->run); j++) {
        for (int side = -1; side <= 1; side += 2) {
            const int has = j != k && isfinite(limit_of(sim, j, side)) &&
                            !(sim->model->contacts[j].stiffness > 0);
            const double beyond = has ? left_outside(sim, k, from, j, side) : 0;
            worst = beyond > *by ? j : worst;
            *by = fmax(beyond, *by);
        }
    }
    return worst;
}

trm_status trm_sim_refuse_outside(trm_sim *sim, int row, trm_error *err)
{
    const trm_contact_row *info = &sim->model->contacts[row];
    const double x = sim->run.contact->x[row];
    const int below = x < info->lo;
    double by;
    const int other = contradicting(sim, row, below ? 1 : -1, &by);
    const trm_contact_row *against = other >= 0 ? &sim->model->contacts[other] : NULL;
    const trm_status status =
        against ? TRM_FAIL(err, TRM_ERR_INCONSISTENT, info->where,
                           "'%.60s' and '%.60s' (%.200s) leave no position: the start is %.6g %s "
                           "outside the first, and at its limit it would be %.6g %s outside the "
                           "second",
                           info->name, against->name, against->where,
                           below ? info->lo - x : x - info->hi, info->unit, by, against->unit)
                : TRM_FAIL(err, TRM_ERR_INCONSISTENT, info->where,
                           "the start is outside the limits of '%.60s': it is at %.6g %s, %s %.6g",
                           info->name, x, info->unit, below ? "below" : "above",
                           below ? info->lo : info->hi);
    if (err) {
        err->t = sim->run.now.t;
    }
    return status;
}

// ------------------------------------------------------------------------------------------ drives
//
// Motions that are given may ask for what limits forbid. With y >= 0 of the rows that touch, side
// the sign of each,
//
//   sum y_k side_k G_k = mu^T G   and   sum y_k side_k u_k < 0
//
// for one motion that the joints allow, hence for all: u is decided by the joints along this sum.
// No impulse keeps every u_k from closing, and by [Stewart 2000] none exists only then. One row
// that the joints decide has y = e_k. mu tells which motions do it: u = ... - mu . g_t.

/// How far row k is inside its nearest limit, m or rad, and *side of that limit: 1 the lower one.
static double room_of(const trm_contact *contact, int k, int *side)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    const double low = contact->x[k] - row->lo, high = row->hi - contact->x[k];
    *side = low <= high ? 1 : -1;
    return row->stiffness > 0 || row->normal >= 0 ? INFINITY : fmin(low, high);
}

/// Rows that touch now, or within the next step of a method that steps over contacts, into
/// contact->list. What the joints decide counts beyond its limit by half of the tolerance: until
/// then it may turn round, and its event lies at the whole.
static int list_touching(trm_sim *sim)
{
    trm_run *const run = &sim->run;
    trm_contact *const contact = run->contact;
    const double ahead = run->method_ops->steps_contacts ? run->options.h : 0;
    const double tolerance = run->options.tolerance;
    int n = 0, side;
    for (int k = 0; k < contact->n; k++) {
        const double near = fmax(tolerance, ahead * fabs(contact->rate[k]));
        contact->as[k] = room_of(contact, k, &side) <= near ? TRM_HOLD_LOW : TRM_HOLD_FREE;
        contact->was[k] = contact->as[k];
    }
    trm_contact_free_driven(run, contact->as);
    (void)trm_contact_measure_driven(run, run->now.t, run->now.z); // where all succeeded before
    for (int k = 0; k < contact->n; k++) {
        const int beyond = contact->was[k] && room_of(contact, k, &side) < -tolerance / 2;
        contact->list[n] = k;
        n += contact->as[k] || beyond;
    }
    return n;
}

/// y of those n rows, in contact->p, signed by their sides. Returns zero where some motion opens
/// all of them.
static int contradict(trm_sim *sim, int n)
{
    trm_contact *const contact = sim->run.contact;
    int *const side = contact->kin;
    trm_contact_respond(contact, sim->run.system, n, contact->list);
    for (int i = 0; i < n; i++) {
        const int k = contact->list[i];
        (void)room_of(contact, k, &side[i]);
        contact->b[i] = side[i] * contact->rate[k];
        contact->noise[i] = trm_contact_rate_noise(contact, &sim->run, k);
        contact->lo[i] = 0;
        contact->hi[i] = INFINITY;
        for (int j = 0; j <= i; j++) {
            contact->W[i * n + j] *= side[i] * side[j];
            contact->W[j * n + i] = contact->W[i * n + j];
        }
    }
    const int code =
        trm_complementarity_solve(&contact->complementarity, n, contact->W, contact->b, contact->lo,
                                  contact->hi, contact->noise, contact->p);
    for (int i = 0; i < n; i++) {
        contact->p[i] *= side[i];
    }
    return code == TRM_CONTRADICTION;
}

/// The row of the joints that moves the n rows most along y; -1: none moves with the time.
static int drive_of(const trm_sim *sim, int n)
{
    const trm_contact *const contact = sim->run.contact;
    const double *const g_t = sim->run.system->g_t;
    int drive = -1;
    double most = 0;
    for (int j = 0; j < contact->nc; j++) {
        double mu = 0;
        for (int i = 0; i < n; i++) {
            mu += contact->p[i] * contact->L[i * contact->nc + j];
        }
        drive = fabs(mu * g_t[j]) > most ? j : drive;
        most = fmax(fabs(mu * g_t[j]), most);
    }
    return drive;
}

trm_status trm_sim_refuse_drives(trm_sim *sim, trm_error *err)
{
    const double part = 0.1; // of the largest y: a row that is named
    trm_contact *const contact = sim->run.contact;
    if (trm_contact_evaluate_now(&sim->run)) {
        return TRM_OK;
    }
    const int n = list_touching(sim);
    const int drive = n > 0 && contradict(sim, n) ? drive_of(sim, n) : -1;
    if (drive < 0) {
        return TRM_OK;
    }
    int first = 0, second = -1;
    for (int i = 1; i < n; i++) {
        first = fabs(contact->p[i]) > fabs(contact->p[first]) ? i : first;
    }
    for (int i = 0; i < n; i++) {
        const int named = i != first && fabs(contact->p[i]) > part * fabs(contact->p[first]);
        second = named ? i : second;
    }
    char motion[80], what[300];
    trm_run_name_row(&sim->run, drive, motion, sizeof motion);
    snprintf(what, sizeof what,
             "%s drives it %s%.60s%s, where no force can stop it: give it more range, or drive by a "
             "servo or a torque",
             motion, second < 0 ? "beyond its limit" : "against '",
             second < 0 ? "" : sim->model->contacts[contact->list[second]].name,
             second < 0 ? "" : "'");
    return trm_sim_refuse_contact(sim, contact->list[first], what, err);
}
