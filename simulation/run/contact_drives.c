/// Motions that are given may ask for what limits forbid. With y >= 0 of the rows that touch, side
/// the sign of each,
///
///   sum y_k side_k G_k = mu^T G   and   sum y_k side_k u_k < 0
///
/// for one motion that the joints allow, hence for all: u is decided by the joints along this sum.
/// No impulse keeps every u_k from closing, and by [Stewart 2000] none exists only then. One row
/// that the joints decide has y = e_k. mu tells which motions do it: u = ... - mu . g_t.
#include "base/status.h"
#include "simulation/contact_modes/active_set.h"
#include "simulation/run/simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/// Rows that touch at the current point (t, z), or within the next step of a method that steps over
/// contacts, into contact->problem.list. What the joints decide counts beyond its limit by half of
/// the tolerance: until then it may turn round, and its event lies at the whole.
static int list_touching(trm_sim *sim, double t, const double *z)
{
    trm_run *const run = &sim->run;
    trm_contact *const contact = run->contact;
    const double ahead = run->method_ops->steps_contacts ? run->options.h : 0;
    const double tolerance = run->options.tolerance;
    int n = 0, side;
    for (int k = 0; k < contact->n; k++) {
        const double near = fmax(tolerance, ahead * fabs(contact->rate[k]));
        contact->trial.as[k] = contact->trial.was[k] =
            trm_contact_room(contact, k, &side) <= near ? TRM_HOLD_LOW : TRM_HOLD_FREE;
    }
    trm_contact_free_driven(run, contact->trial.as);
    (void)trm_contact_measure_driven(run, t, z); // where all has succeeded
    for (int k = 0; k < contact->n; k++) {
        const int beyond =
            contact->trial.was[k] && trm_contact_room(contact, k, &side) < -tolerance / 2;
        contact->problem.list[n] = k;
        n += contact->trial.as[k] || beyond;
    }
    return n;
}

/// y of n rows of one block, listed, which have answered, in contact->problem.p, signed by their
/// sides. Returns zero where some motion opens all of them.
static int contradict(trm_sim *sim, int n)
{
    trm_contact *const contact = sim->run.contact;
    trm_contact_form_delassus(contact, sim->run.system, n, contact->problem.list);
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i];
        int side;
        (void)trm_contact_room(contact, k, &side);
        contact->problem.b[i] = contact->rate[k];
        contact->problem.noise[i] = trm_contact_rate_noise(contact, &sim->run, k);
        contact->problem.lo[i] = side > 0 ? 0 : -INFINITY;
        contact->problem.hi[i] = side > 0 ? INFINITY : 0;
    }
    return TRM_CONTRADICTION ==
           trm_complementarity_solve(&contact->problem.complementarity, n, contact->problem.W,
                                     contact->problem.b, contact->problem.lo, contact->problem.hi,
                                     contact->problem.noise, contact->problem.p);
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
            mu += contact->problem.p[i] *
                  trm_sparse_row_multiplier(&contact->sparse[contact->problem.list[i]], j);
        }
        drive = fabs(mu * g_t[j]) > most ? j : drive;
        most = fmax(fabs(mu * g_t[j]), most);
    }
    return drive;
}

trm_status trm_sim_refuse_contact(const trm_sim *sim, int row, const char *what, trm_error *err)
{
    const trm_contact_row *info = &sim->model->contacts[row];
    const trm_status status =
        TRM_FAIL(err, TRM_ERR_SINGULAR, info->where, "%sat t = %.9g s: contact '%.60s': %s",
                 sim->run.stats.steps > 0 ? "stopped " : "", sim->run.now.t, info->name, what);
    return trm_at_time(err, sim->run.now.t, status);
}

/// Names what drives the n rows listed.
static trm_status refuse_drive(const trm_sim *sim, int n, int drive, trm_error *err)
{
    const double part = 0.1; // of the largest y: a row that is named; swept in campaign/numbers
    const trm_contact *const contact = sim->run.contact;
    int first = 0, second = -1;
    for (int i = 1; i < n; i++) {
        first = fabs(contact->problem.p[i]) > fabs(contact->problem.p[first]) ? i : first;
    }
    for (int i = 0; i < n; i++) {
        const int named =
            i != first && fabs(contact->problem.p[i]) > part * fabs(contact->problem.p[first]);
        second = named ? i : second;
    }
    char motion[80], what[300];
    trm_run_name_row(&sim->run, drive, motion, sizeof motion);
    snprintf(
        what, sizeof what,
        "%s drives it %s%.60s%s, where no force can stop it: give it more range, or drive by a "
        "servo or a torque",
        motion, second < 0 ? "beyond its limit" : "against '",
        second < 0 ? "" : sim->model->contacts[contact->problem.list[second]].name,
        second < 0 ? "" : "'");
    return trm_sim_refuse_contact(sim, contact->problem.list[first], what, err);
}

/// What trm_sim_refuse_drives does, at t >= now.
static trm_status refuse_drives_at(trm_sim *sim, double t, trm_error *err)
{
    trm_contact *const contact = sim->run.contact;
    const double *const z = t > sim->run.now.t ? sim->sample.z : sim->run.now.z;
    if ((t > sim->run.now.t && trm_sim_close_at(sim, t)) ||
        trm_contact_evaluate_at(&sim->run, t, z)) {
        return TRM_OK;
    }
    const int n = list_touching(sim, t, z);
    trm_contact_solve_responses(contact, sim->run.system, n, contact->problem.list);
    const int blocks = trm_contact_find_blocks(contact, n, contact->problem.list);
    for (int b = 0; b < blocks; b++) {
        const int m = trm_contact_take_block(contact, b, 0, NULL);
        const int drive = contradict(sim, m) ? drive_of(sim, m) : -1;
        if (drive >= 0) {
            return refuse_drive(sim, m, drive, err);
        }
    }
    return TRM_OK;
}

trm_status trm_sim_refuse_drives(trm_sim *sim, int ahead, trm_error *err)
{
    const trm_run *const run = &sim->run;
    const double t = run->now.t, step = fmax(run->h_next, run->options.h),
                 h = step > 0 ? step : trm_run_little_while(run);
    const double most = !ahead ? 0 : run->t_limit > t ? fmin(h, run->t_limit - t) : h;
    trm_status status = refuse_drives_at(sim, t, err);
    for (double s = sqrt(DBL_EPSILON) * most; status == TRM_OK && s > 0 && s <= most; s *= 2) {
        status = refuse_drives_at(sim, t + s, err); // at rest the first rate that is not 0 tells
    }
    return status;
}
