/// Contacts at the start of a run: limits that it keeps, overlaps that are parted, and the active
/// set; and between steps: how far they are off their limits, and what the caller sees of them.
#include "base/status.h"
#include "program/run_details.h"
#include "simulation/contact_modes/active_set.h"
#include "simulation/run/simulation.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <string.h>

/// A limit of row k: the lower one for side 1, the upper one for side -1.
static double limit_of(const trm_sim *sim, int k, int side)
{
    const trm_contact_row *row = &sim->model->contacts[k];
    return side > 0 ? row->lo : row->hi;
}

/// The row that leaves row k no position, where row k is outside its limit of side `from`; -1:
/// none. *by: how far that row would be beyond its limit, m or rad, when row k is brought back to
/// its own: the joints leave the two no other motions than against each other.
static int contradicting(trm_sim *sim, int k, int from, double *by)
{
    trm_contact *const contact = sim->run.contact;
    const double *const W = contact->problem.W;
    int worst = -1;
    *by = contact->given[k];
    for (int j = 0; j < sim->model->ncontacts && !trm_contact_evaluate_now(&sim->run); j++) {
        const int rows[] = {k, j};
        if (j == k || sim->model->contacts[j].stiffness > 0) {
            continue;
        }
        trm_contact_solve_responses(contact, sim->run.system, 2, rows);
        trm_contact_form_delassus(contact, sim->run.system, 2, rows);
        const int side = from * W[1] > 0 ? -1 : 1;
        const double need = from * (limit_of(sim, k, from) - contact->x[k]);
        const double room = side * (contact->x[j] - limit_of(sim, j, side));
        const double beyond = fabs(W[1]) / W[0] * need - room;
        if (W[1] * W[1] >= (1 - TRM_CONTACT_ALIKE) * W[0] * W[3] && beyond > *by) {
            worst = j;
            *by = beyond;
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
    return trm_at_time(err, sim->run.now.t, status);
}

trm_status trm_sim_refuse_undefined_gap(trm_sim *sim, trm_error *err)
{
    const trm_run *run = &sim->run;
    const trm_contact *contact = run->contact;
    if (contact && contact->blocks.full) {
        return trm_run_fail(run, TRM_ERR_DIVERGED, TRM_BALLS_OVERLAP, err);
    }
    for (int k = contact ? contact->near[0] : 0; contact && k < contact->n;
         k = contact->near[k + 1]) {
        const trm_contact_row *info = &sim->model->contacts[k];
        if (!isnan(contact->x[k])) {
            continue;
        }
        const trm_status status =
            TRM_FAIL(err, TRM_ERR_CALLBACK, info->where,
                     "%sat t = %.9g s: the gap of '%.60s' is not defined%s",
                     run->stats.steps > 0 ? "stopped " : "", run->now.t, info->name,
                     info->touch ? ": the shapes have no normal there" : "");
        return trm_at_time(err, run->now.t, status);
    }
    return TRM_OK;
}

/// Parts what overlaps at a start by the least motion in the mass metric: W p + x - lo >= 0 _|_ p
/// >= 0, seen from the start. Of the motion each pass leaves what it is beside the radius of what
/// touches; where it does not fall, it is the least from there. What none parts is refused.
static void part_overlaps(trm_sim *sim)
{
    enum { PASSES = 40 }; // of a third of the radius they leave 1e-19
    trm_run *const run = &sim->run;
    trm_contact *const contact = run->contact;
    const size_t size = (size_t)contact->nv * sizeof(double);
    trm_contact_seat(contact, run->system, run->now.t, run->now.z, trm_contact_deepest(contact));
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    const double deep = trm_contact_deepest(contact);
    double moved = deep > 0 ? INFINITY : 0;
    memset(contact->work.parted, 0, size);
    for (int pass = 0; pass < PASSES && moved > run->options.tolerance * sim->whole; pass++) {
        if (trm_contact_evaluate_now(run) ||
            trm_contact_part(contact, run->system, deep, run->now.z) ||
            trm_run_correct(run, run->now.t, run->now.z)) {
            break;
        }
        const double before = moved;
        moved = trm_extents_speed(&run->extent, contact->nv, contact->work.f);
        memset(contact->work.parted, 0, moved < before ? 0 : size);
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
    for (int i = 0; i < row->nbodies; i++) {
        const int b = row->bodies[i];
        least = b >= 0 && b < model->sizes.nbody ? fmin(least, sim->run.extent.size[b]) : least;
    }
    return row->unit[0] != 'm' ? 1 : isfinite(least) ? least : sim->whole;
}

/// Row k is at its limits, or outside them: it presses, or the start is refused.
static trm_status begin_limits(trm_sim *sim, int k, trm_error *err)
{
    trm_contact *const contact = sim->run.contact;
    const trm_contact_row *const row = &sim->model->contacts[k];
    const double x = contact->x[k], tolerance = contact->given[k];
    int side;
    if (row->stiffness > 0) {
        contact->presses[k] = x < row->lo ? -1 : x > row->hi;
    } else if (trm_contact_room(contact, k, &side) < -tolerance) {
        return refuse_outside(sim, k, err);
    }
    if (row->one_way && row->teeth > 0 && row->teeth <= tolerance) {
        return TRM_FAIL(err, TRM_ERR_SCENE, row->where,
                        "'%s': teeth of %g %s are below the tolerance of %g %s; leave `teeth` "
                        "out for a freewheel",
                        row->name, row->teeth, row->unit, tolerance, row->unit);
    }
    return TRM_OK;
}

/// Friction of row k sticks where it has no rate.
static void begin_friction(trm_contact *contact, int k)
{
    const int still =
        trm_contact_length(contact, contact->rate, k) <= contact->given[k] * contact->pace;
    trm_contact_aim(contact, contact->rate, 1, k);
    contact->slip[k] = still ? 0 : contact->rate[k] > 0 ? 1 : -1;
    contact->hold[k] = still ? TRM_HOLD_STICKS : TRM_HOLD_FREE;
    contact->at[k] = contact->x[k];
}

/// Nothing has happened yet.
static void forget_contacts(trm_sim *sim)
{
    sim->ended_by_contact = 0;
    sim->returns = (trm_returns){.t = -INFINITY, .other = -1};
    sim->impacts = (trm_impacts){.last = NAN, .rest = NAN};
    sim->projected = (trm_projected){.state = sim->projected.state == TRM_PROJECTED ? TRM_PROJECTED
                                                                                    : TRM_LOCATED,
                                     .t_mark = sim->run.now.t,
                                     .t_failed = sim->run.now.t};
}

/// To which accuracy rows are known at the start.
static void set_tolerances(trm_sim *sim)
{
    const trm_run *const run = &sim->run;
    trm_contact *const contact = run->contact;
    contact->closed = run->options.tolerance;
    contact->pace = fmax(trm_extents_speed(&run->extent, trm_system_motions(run->system),
                                           run->now.z + run->system->nq),
                         sqrt(run->extent.weight / sim->whole)); // a fall through its size
    contact->reach = sim->whole;
    contact->unit = sim->model->joints ? run->extent.v : NULL;
    for (int k = 0; k < contact->n; k++) {
        contact->given[k] = run->options.tolerance * size_of_row(sim, k);
    }
}

trm_status trm_sim_begin_contacts(trm_sim *sim, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    forget_contacts(sim);
    if (!contact) {
        return TRM_OK;
    }
    trm_contact_start(contact);
    set_tolerances(sim);
    sim->locator.t_flight_ends = INFINITY;
    trm_contact_seat(contact, run->system, run->now.t, run->now.z, 0);
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    trm_contact_begin_one_way(contact, run->options.tolerance);
    TRM_TRY(trm_sim_refuse_undefined_gap(sim, err));
    if (run->options.assemble) {
        part_overlaps(sim);
    }
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        TRM_TRY(begin_limits(sim, k, err));
        if (sim->model->contacts[k].friction.given) {
            begin_friction(contact, k);
        }
    }
    contact->balls.follows = run->method_ops->steps_contacts;
    int any = 0;
    TRM_TRY(trm_sim_take_switches(sim, &any, err));
    if (run->method_ops->steps_contacts) {
        trm_contact_let_go(contact);
        return TRM_OK;
    }
    const trm_status status = trm_sim_settle_contacts(sim, -1, TRM_HOLD_FREE, err);
    return sim->projected.state == TRM_PROJECTED_NO_FORCES ? TRM_OK : status;
}

// -------------------------------------------------------------------------------- between steps

/// The impacts that a method's own steps have found.
static void note_impacts(trm_sim *sim)
{
    const trm_contact *contact = sim->run.contact;
    sim->impacts.last =
        contact->impact.count > sim->impacts.count ? sim->run.now.t : sim->impacts.last;
    sim->impacts.count = contact->impact.count;
    sim->impacts.energy_lost = contact->impact.energy_lost;
}

void trm_sim_note_contacts(trm_sim *sim)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    if (!contact) {
        return;
    }
    if (run->method_ops->steps_contacts) {
        note_impacts(sim);
    }
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    trm_contact_follow_rims(contact, run->method_ops->steps_contacts);
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const trm_contact_row *row = &sim->model->contacts[k];
        int side;
        const double room = trm_contact_room(contact, k, &side);
        // What has left is at its limits where they are, not beyond them by what resting allows.
        const int left = room > contact->given[k] && !run->method_ops->steps_contacts;
        contact->at_rest[k] = contact->at_rest[k] && (contact->slip[k] || !left);
        contact->driven[k] = row->friction.given || !left ? contact->driven[k] : 0;
        if (contact->driven[k] && trm_contact_is_freewheel(contact, k)) {
            trm_contact_follow(contact, k);
        }
        const double gap = contact->hold[k] ? fabs(contact->x[k] - contact->at[k]) : fmax(-room, 0);
        const double size = row->unit[0] == 'm' ? sim->whole : 1;
        sim->measure.gap_max = fmax(sim->measure.gap_max, gap / size);
    }
}

trm_contact_info trm_model_contact_info(const trm_model *model, int contact)
{
    if (!model || contact < 0 || contact >= model->ncontacts) {
        return (trm_contact_info){0};
    }
    const trm_contact_row *row = &model->contacts[contact];
    return (trm_contact_info){row->name, row->where, row->unit, row->lo, row->hi};
}

/// Sliding friction has a direction, or with a bound of 0 a viscous part alone.
static trm_contact_mode mode_of(const trm_contact *contact, int k)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    if (row->input >= 0) {
        return contact->hold[k] ? TRM_CONTACT_MODE_LOCKED : TRM_CONTACT_MODE_OPEN;
    }
    if (contact->hold[k]) {
        return (trm_contact_mode)contact->hold[k];
    }
    if (trm_contact_is_smooth(contact, k)) {
        return TRM_CONTACT_MODE_REGULARIZED;
    }
    if (trm_contact_is_undetermined(contact, k)) {
        return TRM_CONTACT_UNDETERMINED;
    }
    const int acts = row->friction.given &&
                     (contact->slip[k] || trm_contact_length(contact, contact->force, k) > 0);
    return !acts                 ? TRM_CONTACT_MODE_OPEN
           : contact->at_rest[k] ? TRM_CONTACT_MODE_STICKS // at its bound, kept by others
                                 : TRM_CONTACT_SLIDES;
}

int trm_sim_contact(const trm_sim *sim, int contact, trm_contact_state *out)
{
    if (!sim || !out || !sim->run.contact || contact < 0 || contact >= sim->model->ncontacts) {
        return 0;
    }
    trm_contact *const c = sim->run.contact;
    const trm_state now = trm_sim_state_of(&sim->run, &sim->run.now);
    if (trm_sim_enter(sim, NULL)) { // another thread's
        return 0;
    }
    const int code = sim->phase != TRM_SIM_READY ? 1
                     : sim->was_pressed          ? 0
                                                 : trm_sim_press(sim, &now); // once for all rows
    (void)trm_contact_measure_one(c, sim->run.system, sim->run.now.t, sim->run.now.z, contact);
    ((trm_sim *)sim)->is_pressed = code == 0;
    (void)trm_sim_leave(sim, TRM_OK);
    *out = (trm_contact_state){.mode = mode_of(c, contact),
                               .x = trm_contact_along(c, c->x, contact) + c->base[contact],
                               .rate = trm_contact_along(c, c->rate, contact),
                               .force = code ? NAN : trm_contact_along(c, c->force, contact)};
    return 1;
}

double trm_sim_friction_bound(const trm_sim *sim, int k)
{
    trm_contact_state state;
    if (!trm_sim_contact(sim, k, &state) || isnan(state.force) ||
        !sim->model->contacts[k].friction.given) {
        return NAN;
    }
    const trm_contact *const c = sim->run.contact; // the load of what is open is an old one
    return state.mode == TRM_CONTACT_MODE_OPEN ? 0 : trm_contact_sticking(c, k) + c->load[k];
}

trm_impacts trm_sim_impacts(const trm_sim *sim)
{
    trm_impacts out = sim ? sim->impacts : (trm_impacts){.last = NAN, .rest = NAN};
    out.projected = sim ? sim->projected.told : out.projected;
    return out;
}
