/// When a run goes over to projected steps and when it comes back (docs/explanation/contact.md,
/// "Which level decides"). States, of trm_projected:
///
///   state      what happens                                 goes on with
///   LOCATED    events are located by the chosen method      NO_FORCES, CROWD
///   NO_FORCES  no forces fit at now, or several do          PROJECTED, for one step at first
///   CROWD      located events cost more than projected      PROJECTED, for as many steps at least
///              steps, and do not converge                   as an event costs
///   PROJECTED  steps of `moreau`                            LOCATED, behind as many steps without
///                                                           an impact
///
/// The number of steps is doubled where the run goes over again before it has come as far again. So
/// tries at one time are at most log2 of the run over one step.
#include "simulation/studies/projected_steps.h"
#include "base/accuracy_policy.h"
#include "base/status.h"
#include "simulation/studies/stiff_switching.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// Evaluations of forces in a projected step: in its middle and at its end.
enum { EVALUATIONS = 2 };

/// m or rad: the way that x of row k has moved through, of that unit and as accuracy counts: the
/// largest range of its bodies, no more than a size. Lengths of what only turns move by its angle.
static double moved(const trm_sim *sim, int k)
{
    const trm_contact_row *const row = &sim->model->contacts[k];
    const trm_motion_range *const range = &sim->run.range;
    const double whole = row->unit[0] == 'm' ? sim->whole : 1;
    double way[2] = {0, 0}; // of lengths, of angles
    for (int i = 0; i < row->nbodies; i++) {
        const int b = row->bodies[i];
        if (b >= 0 && b < sim->model->sizes.nbody) {
            const double *most = &range->most[range->group[sim->model->body_info[b].q0] & ~1];
            way[0] = fmax(most[0], way[0]);
            way[1] = fmax(most[1], way[1]);
        }
    }
    way[0] = way[0] > range->least * sim->whole ? way[0] : fmin(way[1], 1) * sim->whole;
    const double of = way[row->unit[0] != 'm'];
    return of > range->least * whole ? fmin(of, whole) : whole;
}

/// 1/s: the largest rate of a gap that may close, of those looked at, in parts of the size, or of
/// the way that it has moved through; of slip too where it may jump, since no forces fit. Play
/// between two limits is a size of its own. What is farther than `part` from its limit counts by
/// the time that it takes to come there.
static double fastest(const trm_sim *sim, double part, int by_motion)
{
    const trm_contact *const contact = sim->run.contact;
    double most = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const trm_contact_row *const row = &contact->model->contacts[k];
        int side;
        const double room = trm_contact_room(contact, k, &side);
        const double play =
            row->hi > row->lo && !sim->projected.jumps ? row->hi - row->lo : INFINITY;
        const double way = fmin(by_motion ? moved(sim, k) : sim->whole, play);
        const double near = isfinite(room) && room > part * way ? part * way / room : 1;
        const int counts = sim->projected.jumps || row->normal < 0;
        most = counts ? fmax(fabs(contact->rate[k]) * near / way, most) : most;
    }
    return most;
}

/// run->work_v := accelerations by forces alone, `ahead` s from now as it moves now. Returns a
/// system's code.
static int fall(trm_sim *sim, double ahead)
{
    trm_run *const run = &sim->run;
    double power, *const z = run->contact->work.z;
    for (int i = 0; i < run->n; i++) {
        z[i] = run->now.z[i] + ahead * run->now.dz[i];
    }
    const int code = trm_system_position(run->system, run->now.t + ahead, z);
    return code ? code
                : trm_system_free_acceleration(run->system, z + run->system->nq, run->work_v,
                                               &power);
}

/// 1/s: the part of themselves by which accelerations by forces alone change. A step of order 1 is
/// off by h times as much. *most: the largest of them, of the size in s^2.
static double changing(trm_sim *sim, double *most)
{
    trm_run *const run = &sim->run;
    const int n = trm_system_motions(run->system);
    const double pace = fmax(run->contact->pace, sim->measure.speed);
    const double ahead = sqrt(DBL_EPSILON) / fmax(pace, DBL_MIN);
    double *const a = run->work_v, *const change = run->work_v2;
    const int code = fall(sim, ahead);
    memcpy(change, a, (size_t)n * sizeof *a);
    const double then = trm_extents_speed(&run->extent, n, a);
    *most = fall(sim, 0) ? 0 : trm_extents_speed(&run->extent, n, a);
    for (int j = 0; j < n; j++) {
        change[j] -= a[j];
    }
    return code || !(*most > 0)
               ? 0
               : trm_extents_speed(&run->extent, n, change) / (ahead * fmax(then, *most));
}

/// The longest projected step, s, in which contacts overlap by no more than the option says and
/// forces change by no larger part, and no balls meet that are not looked at: they come in by v h,
/// and by a h^2 from rest.
static double step_now(trm_sim *sim)
{
    double a;
    const double part = sim->run.options.overlap;
    const double most = fmax(fastest(sim, part, 0), changing(sim, &a));
    const double pace = trm_contact_pace(sim->run.contact, sim->run.now.z);
    return fmin(part / fmax(most, sqrt(part * a)), 1 / pace);
}

// ------------------------------------------------------------------------------------------ crowds

static void mark(trm_sim *sim)
{
    trm_projected *const p = &sim->projected;
    p->t_mark = sim->run.now.t;
    p->evals_mark = trm_sim_stats(sim).force_evals;
    p->changes_mark = sim->impacts.changes;
    p->concerned = p->set_going = 0;
    p->fastest = 0;
    p->mark++;
}

/// Strikes by which a contact comes to rest: its rate falls by e at each, down to roundoff.
static double strikes_to_rest(const trm_contact *contact)
{
    double e = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        e = fmax(contact->model->contacts[k].restitution, e);
    }
    return e < 1 ? fmax(log(DBL_EPSILON) / log(e), 1) : INFINITY;
}

/// Whether events that set contacts going have cost more since the mark than projected steps. Their
/// overlap and change of forces are those of the steps, or of errors of the motion where they are
/// less: a part of the way of what has moved, not of what stands. Contacts must have been set going
/// anew once each on the average, too: bouncing to rest converges, and friction and smooth motion
/// cost the same beside it. Events of several parts may converge together: what lasts no longer
/// than one step has not shown that steps save any, unless each would have come to rest.
static int events_crowd(trm_sim *sim)
{
    trm_projected *const p = &sim->projected;
    const double part = fmin(TRM_ACCURACY_MOTION * sim->asked, sim->run.options.overlap);
    p->fastest = fmax(p->fastest, fastest(sim, INFINITY, 1));
    const double evals = (double)(trm_sim_stats(sim).force_evals - p->evals_mark);
    const double anew = (double)(p->concerned + p->set_going),
                 changes = (double)(sim->impacts.changes - p->changes_mark);
    const double worth =
        part * evals * anew / (EVALUATIONS * changes * (sim->run.now.t - p->t_mark)); // 1/s
    double most;
    if (!(worth > p->fastest)) {
        mark(sim);
    } else if (p->set_going > p->concerned) {
        p->fastest = fmax(p->fastest, changing(sim, &most));
    }
    const int lasts = sim->run.now.t - p->t_mark >= step_now(sim);
    const double rest = (double)p->concerned * strikes_to_rest(sim->run.contact);
    return p->set_going > p->concerned && worth > p->fastest &&
           (lasts || (double)p->set_going > rest);
}

// ---------------------------------------------------------------------------------- there and back

/// `next` goes on with what is known of both methods.
static void go_over(trm_sim *sim, trm_sim *next, const trm_projected *projected)
{
    next->projected = *projected;
    next->projected.evals_mark = trm_sim_stats(next).force_evals;
    next->projected.steps_mark = next->projected.steps_begin = trm_sim_stats(next).steps;
    next->projected.impacts_mark = next->projected.impacts_begin = next->impacts.count;
    next->projected.t_mark = next->run.now.t;
    next->chosen = projected->state == TRM_PROJECTED ? sim->run.options : sim->chosen;
    next->stiff_switching = sim->stiff_switching;
    next->first_stiffness = sim->first_stiffness;
    next->forces.t_none = NAN;
    trm_stiff_switching_become(sim, next);
}

/// s: the time in which the fastest body has moved through its size: slower ones rest beside it.
static double longest(const trm_sim *sim)
{
    return 1 / fmax(sim->measure.speed, DBL_MIN);
}

/// The step that fits now; the method counts from here.
static void choose_step(trm_sim *sim)
{
    trm_run *const run = &sim->run;
    run->options.h = fmin(step_now(sim), longest(sim));
    run->t_origin = run->now.t;
    run->count = 0;
}

/// The run by projected steps. Without forces, and without a step either, there is none.
static trm_status create(trm_sim *sim, const trm_options *options, trm_sim **out, trm_error *err)
{
    const int tries = sim->projected.state == TRM_PROJECTED_NO_FORCES ? 2 : 1;
    for (int i = 0; i < tries; i++) {
        trm_sim_destroy(*out);
        *out = NULL;
        TRM_TRY(trm_sim_create_from(sim, options, out, err));
        (*out)->projected.state = TRM_PROJECTED;
        (*out)->projected.jumps = sim->projected.jumps;
        choose_step(*out);
        const trm_status status = i + 1 < tries ? trm_sim_advance(*out, INFINITY, err) : TRM_OK;
        if (status != TRM_OK) {
            trm_sim_destroy(*out);
            return status;
        }
    }
    return TRM_OK;
}

static trm_status take(trm_sim *sim, trm_error *err)
{
    trm_projected p = sim->projected;
    const trm_state_blocks blocks = trm_sim_blocks(sim);
    const double t = sim->run.now.t;
    const long changes = sim->impacts.changes - p.changes_mark;
    trm_options options = trm_default_options(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2);
    trm_sim *next = NULL;
    options.misfit = sim->run.options.misfit;
    options.overlap = sim->run.options.overlap;
    options.tolerance = sim->run.options.tolerance;
    options.assemble = 1;
    p.jumps = sim->projected.jumps = p.state == TRM_PROJECTED_NO_FORCES;
    TRM_TRY(create(sim, &options, &next, err));
    const long evals = trm_sim_stats(sim).force_evals - p.evals_mark;
    const long first = p.state == TRM_PROJECTED_CROWD ? evals / (EVALUATIONS * changes) : 1;
    p.quiet = t - p.t_back < p.lasted ? 2 * p.quiet : first;
    p.told.from = p.told.intervals++ == 0 ? t : p.told.from;
    p.told.to = t; // the run may end there
    p.told.crowds += p.state == TRM_PROJECTED_CROWD;
    p.state = TRM_PROJECTED;
    next->size_of_chosen = trm_saved_size(&blocks);
    go_over(sim, next, &p);
    return TRM_OK;
}

static void note_interval(trm_sim *sim)
{
    trm_projected *const p = &sim->projected;
    p->told.steps = p->told.steps_before + trm_sim_stats(sim).steps - p->steps_begin;
    p->told.to = sim->run.now.t;
}

trm_status trm_projected_steps_back(trm_sim *sim, trm_error *err)
{
    trm_options options = sim->chosen;
    trm_sim *next = NULL;
    options.assemble = 1;
    TRM_TRY(trm_sim_create_from(sim, &options, &next, err));
    note_interval(sim);
    trm_projected p = sim->projected;
    p.told.steps_before = p.told.steps;
    p.lasted = sim->run.now.t - p.t_mark;
    p.t_back = sim->run.now.t;
    p.state = next->projected.state; // forces may not fit yet
    go_over(sim, next, &p);
    mark(sim);
    return TRM_OK;
}

/// Whether as many steps as one located event costs have seen no impact, and all of the interval
/// are as many as its impacts would have cost: locating the next one costs no more. Where nothing
/// moves nothing strikes, and a drive that is at rest may set out within a step.
static int has_ended(trm_sim *sim)
{
    trm_projected *const p = &sim->projected;
    const long steps = trm_sim_stats(sim).steps;
    if (sim->impacts.count > p->impacts_mark) {
        p->impacts_mark = sim->impacts.count;
        p->steps_mark = steps;
    }
    const long all = steps - p->steps_begin, struck = p->impacts_mark - p->impacts_begin;
    const int rests = !p->jumps && step_now(sim) >= longest(sim);
    return all > 0 && (rests || (steps - p->steps_mark >= p->quiet && all >= struck * p->quiet));
}

static trm_status change(trm_sim *sim, trm_error *err)
{
    trm_projected *const p = &sim->projected;
    if (p->state == TRM_PROJECTED) {
        note_interval(sim);
        TRM_TRY(has_ended(sim) ? trm_projected_steps_back(sim, err) : TRM_OK);
    } else if (p->mark == 0) {
        mark(sim);
    } else if (p->state == TRM_LOCATED && events_crowd(sim)) {
        p->state = TRM_PROJECTED_CROWD;
    }
    if (p->state == TRM_PROJECTED_NO_FORCES || p->state == TRM_PROJECTED_CROWD) {
        const trm_status status = take(sim, err);
        if (status != TRM_OK && status != TRM_ERR_MEMORY && sim->run.stats.steps == 0) {
            sim->run.options.hand_over = 0; // a start without forces: its own error
            return trm_sim_begin_here(sim, err);
        }
        TRM_TRY(status);
    }
    if (p->state == TRM_PROJECTED) {
        choose_step(sim);
    }
    return TRM_OK;
}

trm_status trm_projected_steps_where_due(trm_sim *sim, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    if (!sim->run.contact || sim->phase != TRM_SIM_READY ||
        (!sim->run.options.hand_over && sim->projected.state != TRM_PROJECTED)) {
        return TRM_OK;
    }
    TRM_TRY(trm_sim_enter_to_move(sim, err));
    return trm_sim_leave(sim, change(sim, err));
}
