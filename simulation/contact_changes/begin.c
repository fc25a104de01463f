/// Contacts at a start, and joints that are switched on a run.
#include "base/accuracy_policy.h"
#include "base/status.h"
#include "simulation/contact_changes/contact_changes.h"
#include "simulation/contact_modes/switches.h"

#include <math.h>
#include <stdio.h>

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
    trm_contact_solve_responses(contact, sim->run.system, 2, rows);
    trm_contact_form_delassus(contact, sim->run.system, 2, rows);
    const double *W = contact->problem.W, opposite = -from * side * W[1];
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
    *by = sim->run.contact->given[k];
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

static trm_status refuse_outside(trm_sim *sim, int row, trm_error *err)
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

static trm_status refuse_switch(const trm_sim *sim, const trm_switching *s, double near,
                                trm_error *err)
{
    const trm_contact_row *const row = &sim->model->contacts[s->row];
    char what[200];
    if (s->failure == TRM_SWITCH_APART) {
        snprintf(what, sizeof what,
                 "it cannot close here: it is %.6g %s apart, and closes within %.3g; a weld closes "
                 "where it is",
                 sim->run.contact->x[s->row], row->unit, near);
    } else {
        snprintf(what, sizeof what,
                 "it cannot close here: motors or other joints keep its bodies moving against each "
                 "other, by %.6g %s/s",
                 sim->run.contact->rate[s->row], row->unit);
    }
    return trm_sim_refuse_contact(sim, s->row, what, err);
}

/// What the inputs of switches say. Positions are known to the accuracy of the run.
static trm_status take_switches(trm_sim *sim, int *any, trm_error *err)
{
    trm_run *const run = &sim->run;
    const double known = TRM_ACCURACY_MOTION * run->options.accuracy;
    const double near = fmax(run->options.tolerance, known * (sim->size > 0 ? sim->size : 1));
    trm_switching s;
    const int code = trm_switches_take(run, near, &s);
    *any = s.any;
    if (code || s.failure) {
        return code ? trm_run_fail_code(run, code, err) : refuse_switch(sim, &s, near, err);
    }
    if (s.struck) {
        sim->impacts.count++;
        sim->impacts.energy_lost += s.lost;
        sim->impacts.last = run->now.t;
        if (run->method_ops->steps_contacts) {
            run->contact->impact.count++;
            run->contact->impact.energy_lost += s.lost;
        }
        trm_locator_velocities_jump(&sim->locator);
    }
    return TRM_OK;
}

trm_status trm_sim_switch_joints(trm_sim *sim, trm_error *err)
{
    trm_run *const run = &sim->run;
    int any = 0;
    TRM_TRY(take_switches(sim, &any, err));
    if (!any) {
        return TRM_OK;
    }
    trm_contact_measure(run->contact, run->system, run->now.t, run->now.z);
    TRM_TRY(run->method_ops->steps_contacts
                ? TRM_OK
                : trm_sim_resolve_contacts(sim, -1, TRM_HOLD_FREE, err));
    sim->locator.h_before = 0;
    sim->locator.t_expected = -INFINITY;
    const int code = trm_sim_measure_shifted(sim);
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

trm_status trm_sim_break_overloaded(trm_sim *sim, int *any, trm_error *err)
{
    trm_run *const run = &sim->run;
    if (sim->model->nbreaking == 0 || run->method_ops->steps_contacts) {
        return TRM_OK;
    }
    const int code = trm_contact_accelerate(run);
    const int k = code ? -1 : trm_switches_overloaded(run);
    if (k >= 0) {
        *any = 1;
        run->inputs_changed |=
            trm_input_set(&run->system->inputs[sim->model->contacts[k].input], run->now.t, 0);
    }
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

trm_status trm_sim_refuse_undefined_gap(trm_sim *sim, trm_error *err)
{
    const trm_run *run = &sim->run;
    const trm_contact *contact = run->contact;
    if (contact && contact->blocks.full) {
        return trm_run_fail(run, TRM_ERR_DIVERGED, TRM_BALLS_OVERLAP, err);
    }
    for (int k = 0; contact && k < contact->n; k++) {
        const trm_contact_row *info = &sim->model->contacts[k];
        if (!isnan(contact->x[k])) {
            continue;
        }
        const trm_status status = TRM_FAIL(
            err, TRM_ERR_CALLBACK, info->where,
            "%sat t = %.9g s: the gap of '%.60s' is not defined%s",
            run->stats.steps > 0 ? "stopped " : "", run->now.t, info->name,
            info->touch ? ": a rim lies flat there, or the shapes have no normal; a rod, a "
                          "box or stops at points of the rim can lie flat"
                        : "");
        if (err) {
            err->t = run->now.t;
        }
        return status;
    }
    return TRM_OK;
}

/// Parts what overlaps at a start by the least motion in the mass metric: W p + x - lo >= 0 _|_ p
/// >= 0, by Newton's method. What no motion parts is left, and refused.
static void part_overlaps(trm_sim *sim)
{
    enum { PASSES = 10 }; // it converges by squares
    trm_run *const run = &sim->run;
    trm_contact *const contact = run->contact;
    for (int pass = 0; pass < PASSES; pass++) {
        const double deep = trm_contact_deepest(contact);
        if (!(deep > 0) || trm_contact_evaluate_now(run) ||
            trm_contact_part(contact, run->system, deep, run->now.z) ||
            trm_run_correct(run, run->now.t, run->now.z)) {
            break;
        }
        trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    }
    contact->blocks.full = 0; // of the start, not of what follows
}

/// m, or 1 rad: the least size of the parts that x of row k depends on.
static double size_of_row(const trm_sim *sim, int k)
{
    const trm_model *const model = sim->model;
    const trm_contact_row *const row = &model->contacts[k];
    double least = INFINITY;
    for (int i = 0; i < row->nbodies && !model->joints; i++) {
        const int b = row->bodies[i];
        least = b >= 0 && b < model->sizes.nbody
                    ? fmin(least, sim->run.extent.q[model->body_info[b].q0])
                    : least;
    }
    const double whole = sim->size > 0 ? sim->size : 1;
    return row->unit[0] != 'm' ? 1 : isfinite(least) ? least : whole;
}

trm_status trm_sim_begin_contacts(trm_sim *sim, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    sim->ended_by_contact = 0;
    sim->contact_changes = sim->contact_changes_before = 0;
    sim->t_contact_changes = -INFINITY;
    sim->returns = (trm_returns){.t = -INFINITY, .other = -1};
    sim->impacts = (trm_impacts){.last = NAN, .rest = NAN};
    sim->projected = (trm_projected){.state = sim->projected.state == TRM_PROJECTED ? TRM_PROJECTED
                                                                                    : TRM_LOCATED,
                                     .t_mark = run->now.t};
    if (!contact) {
        return TRM_OK;
    }
    trm_contact_start(contact);
    contact->rtol = run->pair->adaptive ? run->options.rtol : 0;
    contact->atol = run->pair->adaptive ? run->options.atol : 0;
    for (int i = 0; i < contact->nv; i++) { // of large bodies the part of their speed counts
        contact->unit[i] = fmin(run->extent.v[i], 1);
    }
    for (int k = 0; k < contact->n; k++) {
        contact->given[k] = run->options.tolerance * size_of_row(sim, k);
    }
    contact->closed = run->options.tolerance;
    sim->locator.t_flight_ends = INFINITY;
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    trm_contact_begin_one_way(contact, run->options.tolerance);
    TRM_TRY(trm_sim_refuse_undefined_gap(sim, err));
    if (run->options.assemble) {
        part_overlaps(sim);
    }
    for (int k = 0; k < contact->n; k++) {
        const trm_contact_row *row = &sim->model->contacts[k];
        const double x = contact->x[k], tolerance = contact->given[k];
        const int below = x<row->lo - tolerance, above = x> row->hi + tolerance;
        if (row->stiffness > 0) {
            contact->presses[k] = x < row->lo ? -1 : x > row->hi;
        } else if (below || above) {
            return refuse_outside(sim, k, err);
        }
        if (row->one_way && row->teeth > 0 && row->teeth <= tolerance) {
            return TRM_FAIL(err, TRM_ERR_SCENE, row->where,
                            "'%s': teeth of %g %s are below the tolerance of %g %s; leave `teeth` "
                            "out for a freewheel",
                            row->name, row->teeth, row->unit, tolerance, row->unit);
        }
        if (row->friction.given) {
            const int still = trm_contact_length(contact, contact->rate, k) <= tolerance;
            trm_contact_aim(contact, contact->rate, 1, k);
            contact->slip[k] = still ? 0 : contact->rate[k] > 0 ? 1 : -1;
            contact->hold[k] = still ? TRM_HOLD_STICKS : TRM_HOLD_FREE;
            contact->at[k] = x;
        }
    }
    int any = 0;
    TRM_TRY(take_switches(sim, &any, err));
    if (run->method_ops->steps_contacts) {
        trm_contact_let_go(contact);
        return TRM_OK;
    }
    const trm_status status = trm_sim_resolve_contacts(sim, -1, TRM_HOLD_FREE, err);
    return sim->projected.state == TRM_PROJECTED_NO_FORCES ? TRM_OK : status;
}
