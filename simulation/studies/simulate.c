/// A whole run, and a second one with a tenth of the error that tells how far the motion is known.
///
/// Their difference is the error of the first, less a tenth. Where it is more than was asked for,
/// the second is the better one and is checked in turn. Where double precision has no finer
/// tolerance, or the finer run fails, the second is ten times as coarse:
///
///     z_1 = z + e,   z_2 = z + 10 e      =>      e = (z_2 - z_1)/9
///
/// Where motions have parted, errors are not in proportion to tolerances; the time up to which the
/// motion is known does not need that.
#include "base/accuracy_policy.h"
#include "program/verdict.h"
#include "trammel/trammel_simulate.h"

#include "base/sized.h"
#include "base/status.h"
#include "integrators/registry.h"
#include "simulation/studies/trajectory.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_model.h"
#include "trammel/trammel_scene.h"
#include "trammel/trammel_simulation.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct trm_result {
    trm_sim *sim;
    int ended_by;
    trm_accuracy accuracy;
    trm_difference *bodies; ///< [nbody] at the end
};

/// One call of trm_simulate.
typedef struct trm_simulating {
    const trm_model *model;
    trm_simulate_options options;
    trm_options method; ///< of the run that is the result
    double least;       ///< part of sizes that its steps leave to roundoff; 0: as they do it
    double first;       ///< rtol of the first run
    double end;         ///< s
    trm_result *result;
    trm_trajectory motion; ///< of that run
    double *scale;         ///< what differences from it are relative to
    int number;            ///< of recorded runs so far
    int stopped;           ///< a callback has stopped the run
    int may_give_up;       ///< it is a better one, which may take too long
    int given_up;          ///< it did
    int lost;              ///< memory was short
    trm_status recorded;   ///< of samples
    trm_error *err;
    long impacts; ///< so far
    double line;  ///< s, the last one
} trm_simulating;

static trm_simulate_options default_simulate_options(void)
{
    return (trm_simulate_options){.verify = 1, .struct_size = sizeof(trm_simulate_options)};
}

void trm_get_default_simulate_options(trm_simulate_options *out, size_t size)
{
    const trm_simulate_options known = default_simulate_options();
    trm_hand_out(out, size, &known, sizeof known);
}

static int is_stopped(const trm_simulating *s)
{
    return s->options.is_stopped && s->options.is_stopped(s->options.user);
}

static int takes_long(const trm_simulating *s)
{
    return s->options.takes_long && s->options.takes_long(s->options.user);
}

// ----------------------------------------------------------------------------------- recorded runs

static void record(trm_simulating *s, trm_sim *sim, double t)
{
    trm_sample sample;
    if (!s->options.record || s->recorded != TRM_OK || s->stopped) {
        return;
    }
    s->recorded = trm_sim_sample(sim, t, &sample, s->err);
    if (s->recorded == TRM_OK) {
        s->stopped = s->options.record(sim, &sample, s->options.user) != 0;
    }
}

/// q and v at t within the last step, as a recording has them; NULL where they have no values.
static const double *state_at(trm_sim *sim, double t)
{
    if (t == sim->run.now.t) {
        return trm_sim_bodies(sim, sim->run.now.z);
    }
    trm_sim_remember(sim);
    const int code = trm_sim_state_within(sim, t);
    trm_sim_recall(sim);
    return code ? NULL : trm_sim_bodies(sim, sim->sample.z);
}

static void keep(trm_simulating *s, trm_sim *sim, double t)
{
    if (!s->options.verify || !trm_trajectory_wants(&s->motion)) {
        return;
    }
    const double *const z = state_at(sim, t);
    if (z && !trm_trajectory_note(&s->motion, s->model, t, z, sim->impacts.count)) {
        s->lost = 1;
    }
}

/// Beside a singular position places of roundoff eps turn rows of length sigma by eps/sigma, and
/// make rates, which follow the rows, err by eps/sigma^2 of themselves. It does not last: the next
/// step has rates of its own.
static int knows_rates(const trm_sim *sim)
{
    const double sigma = sim->run.range.sigma;
    return !(DBL_EPSILON > sim->asked * sigma * sigma) || !(sim->asked > 0);
}

/// The lines that are due since the last step, then its end, whatever is recorded, where its rates
/// are known to what is asked.
static void note_step(trm_simulating *s, trm_sim *sim)
{
    const double t0 = sim->run.before.t, now = sim->run.now.t;
    double last = t0;
    while (!s->stopped && trm_sim_next_line(sim, s->options.every, s->end, &s->line)) {
        record(s, sim, s->line);
        if (s->line < now) {
            keep(s, sim, last = s->line);
        }
        s->stopped |= is_stopped(s); // one step may have millions of lines
    }
    // Between two times at which velocities jump there is one at which they do not
    // (rate_that_counts): the middle of a step that begins with an impact.
    const long impacts = sim->impacts.count;
    if (impacts != s->impacts && last == t0) {
        keep(s, sim, t0 + (now - t0) / 2);
    }
    s->impacts = impacts;
    if (s->line == now || knows_rates(sim)) {
        keep(s, sim, now);
    }
}

static int after_step(trm_sim *sim, void *user)
{
    trm_simulating *const s = user;
    note_step(s, sim);
    if (s->options.observe && s->options.observe(sim, s->options.user)) {
        s->stopped = 1;
    }
    s->stopped |= is_stopped(s);
    s->given_up = s->may_give_up && takes_long(s);
    return s->stopped || s->given_up || s->recorded != TRM_OK || s->lost;
}

static trm_status begin(trm_simulating *s, trm_sim *sim)
{
    const trm_simulate_options *const o = &s->options;
    TRM_TRY(o->begin ? o->begin(sim, s->number, o->user, s->err) : TRM_OK);
    const double t = s->line = sim->run.now.t;
    s->impacts = 0;
    record(s, sim, t);
    keep(s, sim, t);
    return s->recorded;
}

/// The end, if no line was due there.
static void note_end(trm_simulating *s, trm_sim *sim)
{
    const double t = sim->run.now.t;
    const double *const z = trm_sim_bodies(sim, sim->run.now.z);
    if (s->line != t) {
        record(s, sim, t);
    }
    if (s->options.verify && !trm_trajectory_end(&s->motion, s->model, t, z, sim->impacts.count)) {
        s->lost = 1;
    }
}

static int event_that_stops(const trm_sim *sim)
{
    trm_event event;
    const long count = trm_sim_events(sim);
    const int kept = count > 0 && trm_sim_event(sim, count - 1, &event);
    return kept && trm_model_event_info(sim->model, event.event).stops ? event.event : -1;
}

/// What steps with r times the errors of the result leave to roundoff, which is that of its
/// positions: four roundings, over sigma beside a singular position.
static double roundoff(const trm_simulating *s, double least, double r)
{
    const double rounded = 4 * DBL_EPSILON / s->result->sim->monitor.sigma_min;
    return fmax(r * least, fmin(rounded, least));
}

/// Roundoff of velocities may hide all that a stiff start does: only the first run takes it for
/// granted, the others until they are shown that it is none.
static trm_status create(const trm_simulating *s, const trm_options *method, trm_sim **sim,
                         trm_error *err)
{
    TRM_TRY(trm_sim_create(s->model, method, sim, err));
    (*sim)->run.range.rough = method->rtol == s->first;
    return TRM_OK;
}

/// Where several forces of friction fit, a run that checks is to choose others: by Lemke's method
/// from another cover.
static trm_status choose_others(const trm_simulating *s, trm_sim *sim, trm_error *err)
{
    if (sim->model->nloaded == 0) {
        return TRM_OK;
    }
    sim->run.contact->problem.coulomb.checks = 1;
    return trm_sim_set_state(sim, sim->run.now.t, s->model->q0, s->model->v0, err);
}

/// The run that is the result from here on, from its start.
static trm_status run_recorded(trm_simulating *s)
{
    trm_result *const result = s->result;
    trm_sim *sim = NULL;
    s->first = s->number == 0 ? s->method.rtol : s->first;
    TRM_TRY(create(s, &s->method, &sim, s->err));
    if (s->number == 0) {
        s->method.accuracy = s->result->accuracy.asked = sim->asked;
    }
    s->least = sim->run.range.least = s->least > 0 ? s->least : sim->run.range.least;
    sim->asked = s->result->accuracy.asked; // a better run is held to no more
    trm_sim_destroy(result->sim);
    result->sim = sim;
    result->ended_by = -1;
    trm_trajectory_forget(&s->motion);
    TRM_TRY(begin(s, sim));
    trm_status status = TRM_OK;
    if (s->end > sim->run.now.t && !s->stopped) {
        status = trm_sim_run(sim, s->end, after_step, s, s->err);
        s->stopped |= status == TRM_STOPPED && is_stopped(s); // within a step, by its flag
    }
    if (status == TRM_STOPPED && !s->stopped && !s->given_up && s->recorded == TRM_OK && !s->lost) {
        result->ended_by = event_that_stops(sim);
        status = TRM_OK;
    }
    if (status >= 0) {
        note_end(s, sim);
        status = s->stopped ? TRM_STOPPED : status;
    }
    if (s->options.finish) {
        s->options.finish(s->number, s->options.user);
    }
    s->number++;
    status = s->recorded != TRM_OK ? s->recorded : status;
    return s->lost ? TRM_FAIL(s->err, TRM_ERR_MEMORY, NULL, "not enough memory for a run") : status;
}

// -------------------------------------------------------------------------------- runs that check

/// A run that checks, beside the motion that it checks.
typedef struct checking {
    trm_simulating *of;
    trm_trajectory motion;           ///< of its own, for the run that checks it
    size_t next;                     ///< time of the other's motion
    double asked;                    ///< INFINITY: nothing
    double part;                     ///< of the differences that are errors of the other
    double place, rate, rate_before; ///< largest so far; that of the last time
    long struck;                     ///< impacts of both runs up to the last time
    double t_struck, t_jump;         ///< s: of the last impact; of that before rates differed by
                                     ///< more than asked: INFINITY: they do not
    double since_jump;               ///< the largest difference since then
    double known_until;              ///< s
    int apart;                       ///< it is not known beyond
    int real;                        ///< what is below roundoff of places moves all the same
    int body;
    trm_apart last;
    long most_steps;
    int gives_up;
} checking;

/// s: the shortest in which a body moves through its range.
static double time_of_motion(const checking *c)
{
    const int n = TRM_MOTION_KINDS * trm_trajectory_ranges(c->of->model);
    double least = INFINITY;
    for (int i = 0; i + 3 < n; i += TRM_MOTION_KINDS) { // length, angle, velocity, rate
        const double *const own = c->of->scale + i;
        least = isfinite(own[0]) && own[2] > 0 ? fmin(own[0] / own[2], least) : least;
        least = isfinite(own[1]) && own[3] > 0 ? fmin(own[1] / own[3], least) : least;
    }
    return isfinite(least) && isfinite(c->asked) ? least : 0;
}

/// At impacts velocities jump, at times that differ by an error, and the last flights may be one
/// run's alone: where one of the runs had an impact since the last time, what was there counts, and
/// what is above what is asked where it lasts. Behind an impact what moves bodies by no more than
/// is asked for does not: w of their speed for A/w of the time in which they move through their
/// range; in flights of at most that height, 4 sqrt(A) of the time h/sqrt(2 g h) for a fall h.
static double rate_that_counts(checking *c, double t, double rate, long struck)
{
    const double counts = struck != c->struck && !(rate <= c->rate_before) ? c->rate_before : rate;
    const double asked = c->asked;
    c->t_struck = struck != c->struck ? t : c->t_struck;
    c->struck = struck;
    c->rate_before = rate;
    if (c->part * rate <= asked) {
        c->t_jump = INFINITY;
        c->since_jump = 0;
        return counts;
    }
    c->t_jump = fmin(c->t_jump, c->t_struck);
    c->since_jump = counts <= c->since_jump ? c->since_jump : counts; // NaN counts
    const double moved = c->part * fmax(rate, c->since_jump) * (t - c->t_jump);
    const double motion = time_of_motion(c), flight = 4 * sqrt(asked) * motion;
    return moved <= asked * motion && t - c->t_struck <= flight ? 0 : c->since_jump;
}

/// z is at t, within the last step of sim; an impact is at the begin of a step.
static void compare(checking *c, const trm_sim *sim, double t, const double *z)
{
    const trm_apart at =
        trm_trajectory_apart(&c->of->motion, c->of->scale, c->next, z, z + c->of->model->sizes.nq);
    const long struck = trm_trajectory_impacts(&c->of->motion, c->next) + sim->impacts.count;
    const double place = c->part * at.place;
    const double rate = c->part * rate_that_counts(c, t, at.rate, struck);
    const double worst = place <= rate ? rate : place, before = fmax(c->place, c->rate);
    c->last = at;
    c->body = !(worst <= before) || c->body < 0 ? at.body : c->body;
    c->place = place <= c->place ? c->place : place; // NaN counts
    c->rate = rate <= c->rate ? c->rate : rate;
    c->apart |= !(worst <= c->asked);
    c->known_until = c->apart || isfinite(c->t_jump) ? c->known_until : t;
}

static int after_checking_step(trm_sim *sim, void *user)
{
    checking *const c = user;
    const trm_trajectory *const other = &c->of->motion;
    for (; c->next < other->n && other->t[c->next] <= sim->run.now.t; c->next++) {
        const double t = other->t[c->next];
        const double *const z = t >= sim->run.before.t ? state_at(sim, t) : NULL;
        if (z) {
            compare(c, sim, t, z);
        }
    }
    c->of->stopped |= is_stopped(c->of);
    c->gives_up = trm_sim_stats(sim).steps > c->most_steps || takes_long(c->of);
    return c->of->stopped || c->gives_up;
}

/// To the end of the other run, past events that stop: one that has ended that run may come a
/// rounding earlier here.
static trm_status run_to_compare(checking *c, trm_sim *sim, double end, trm_error *err)
{
    trm_status status = TRM_STOPPED;
    if (c->of->motion.n > 0 && c->of->motion.t[0] == sim->run.now.t) {
        compare(c, sim, sim->run.now.t, trm_sim_bodies(sim, sim->run.now.z));
        c->next++;
    }
    while (status == TRM_STOPPED && !c->of->stopped && !c->gives_up) {
        status = trm_sim_run(sim, end, after_checking_step, c, err); // each call makes a step
    }
    return status;
}

/// The options whose errors are r times those of o.
static trm_options scaled_options(const trm_options *o, double r)
{
    trm_options out = *o;
    const trm_method *const method = trm_method_find(o->integrator, o->stabilization).method;
    if (method->adaptive) {
        out.rtol = r * o->rtol;
        out.atol = r * o->atol;
        out.accuracy = r * o->accuracy;
        out.overlap = fmin(r * o->overlap, 0.5);
    } else {
        out.h = o->h * pow(r, 1.0 / method->order);
    }
    return out;
}

/// What a step may err by, relative to the motion, with r times the tolerances of the result.
static double step_error(const trm_simulating *s, double r)
{
    return trm_trajectory_step(&s->motion, s->result->sim, s->scale, r * s->method.rtol,
                               roundoff(s, s->least, r));
}

/// Whether a finer run has at most half the error, and thus tells more than half of the other's.
static int can_be_finer(const trm_simulating *s)
{
    const trm_options *const o = &s->method;
    const trm_method *const method = trm_method_find(o->integrator, o->stabilization).method;
    return !method->adaptive ||
           (trm_method_steps(o->integrator) * o->rtol / 10 >= TRM_FINEST_ACCURACY &&
            step_error(s, 0.1) <= step_error(s, 1) / 2);
}

/// What is known of the result by a run that checks it, and not better than what both may have in
/// common: roundoff adds up at random, errors that a method allows in each step one by one.
static void take(trm_simulating *s, double r, const checking *c, const trm_sim *sim)
{
    trm_accuracy *const a = &s->result->accuracy;
    const trm_state one = trm_sim_state(s->result->sim), other = trm_sim_state(sim);
    a->runs = a->runs > 0 ? a->runs + 1 : 2;
    const double apart = c->place <= c->rate ? c->rate : c->place;
    const double steps = (double)trm_sim_stats(s->result->sim).steps;
    const double allowed = s->result->sim->run.range.allowed / DBL_EPSILON;
    const double common = fmax(sqrt(steps), 4) + steps * allowed; // a step has four
    int body = c->body;
    // a rounded length shifts where it rests, and does not add up
    const double far = trm_turning_ends_farthest(&s->result->sim->turning) / common;
    const double rounding =
        common * trm_trajectory_rounded(&s->motion, s->scale, one.q, far, &body);
    a->differs = apart <= rounding ? rounding : apart;
    a->known_until = c->known_until;
    a->body = apart <= rounding ? body : c->body;
    a->position = c->part * c->last.length;
    a->angle = c->part * c->last.angle;
    a->rating = trm_verdict_of_end(a->differs, a->asked);
    a->unchecked = NULL;
    // steps leave more to roundoff than to their tolerance; forces of friction were no others
    const int rounded = r > 1 && step_error(s, 1) > 2 * s->method.rtol && s->model->nloaded == 0;
    a->limit = step_error(s, 1) == 0 ? "nothing moves by more than roundoff"
               : a->asked > 0 && fmax(rounding, rounded ? apart : 0) > a->asked
                   ? "double precision reaches no more of so small a motion"
                   : NULL;
    for (int b = 0; s->result->bodies && b < s->model->sizes.nbody; b++) {
        s->result->bodies[b] = trm_difference_of(s->model, b, one.q, one.v, other.q, other.v);
    }
}

/// A run whose errors are r times those of the result: how far they differ.
static trm_status check(trm_simulating *s, double r, checking *c)
{
    enum { TIMES = 20, MORE = 1000 }; // steps of the result: a run that takes more tells too late
    trm_options options = scaled_options(&s->method, r);
    if (options.stabilization == TRM_STABILIZATION_GGL) {
        // near singular positions errors have a floor in proportion (ggl.c); options end below 0.01
        options.damping = fmin(2 * options.damping, 0.0099);
    }
    const trm_sim *const result = s->result->sim;
    const double asked = s->result->accuracy.asked;
    *c = (checking){.of = s,
                    .asked = asked > 0 ? asked : INFINITY,
                    .part = r > 1 ? 1 / (r - 1) : 1,
                    .known_until = s->motion.t[0],
                    .body = -1,
                    .t_struck = -INFINITY,
                    .t_jump = INFINITY,
                    .most_steps = MORE + TIMES * trm_sim_stats(result).steps};
    trm_sim *sim = NULL;
    trm_error refused = {0};
    TRM_TRY(create(s, &options, &sim, &refused));
    sim->run.range.least = roundoff(s, s->least, r);
    trm_status status = choose_others(s, sim, &refused);
    if (status == TRM_OK) {
        status = run_to_compare(c, sim, result->run.now.t, &refused);
    }
    if (status == TRM_OK) {
        take(s, r, c, sim);
        c->real = result->run.range.rough && sim->run.range.bounded && step_error(s, 1) == 0;
    }
    trm_sim_destroy(sim);
    return status;
}

/// Whether a run with `part` of the tolerances of the result may be made: it takes 1/part^(1/p)
/// times the steps at order p.
static int may_run(const trm_simulating *s, double part)
{
    const trm_options *const o = &s->method;
    const int order = trm_method_find(o->integrator, o->stabilization).method->order;
    const double times = pow(part, -1.0 / (order > 0 ? order : 1));
    return !s->options.may_verify || s->options.may_verify(times, s->options.user);
}

/// By a finer run, or by a coarser one where there is none. Returns whether the finer one differs
/// by more than was asked for.
static int is_off(trm_simulating *s, checking *c)
{
    const double asked = s->result->accuracy.asked;
    trm_status status = TRM_ERR_OPTIONS;
    trm_trajectory_scales(&s->motion, s->result->sim, s->scale);
    if (can_be_finer(s)) {
        status = check(s, 0.1, c);
        if (status == TRM_OK) {
            return asked > 0 &&
                   (c->real || !(c->place <= asked && c->rate <= asked)); // finer runs have that
        }
    }
    if (!s->stopped && (s->result->accuracy.runs == 0 || status != TRM_OK) && may_run(s, 10)) {
        status = check(s, 10, c);
    }
    return 0;
}

static const char *why_unchecked(const trm_simulating *s, const checking *c)
{
    return s->stopped    ? "the second run was stopped"
           : c->gives_up ? "the second run took too long"
                         : "the second run failed";
}

/// The tolerances of the next run, over those of the result: errors are in proportion to them, and
/// are to be half of what was asked for; a tenth where that does, as the second run has them.
static double next_part(const trm_simulating *s)
{
    const trm_accuracy *const a = &s->result->accuracy;
    const double wanted = a->asked / (2 * fmin(a->differs, 1));
    const double least = trm_choice_finest(s->model, s->method.integrator) / s->method.rtol;
    return fmin(0.1, fmax(wanted, least));
}

typedef struct kept { // a result, and what is known of it
    trm_options method;
    double least;
    trm_accuracy known;
} kept;

/// A run with `part` of the tolerances takes the place of the result, unless it fails, as one that
/// hits roundoff may, or takes too long; with 1 that result is made once more, and stays.
static trm_status replace(trm_simulating *s, double part, const kept *by)
{
    trm_accuracy *const a = &s->result->accuracy;
    const int back = part == 1, runs = a->runs;
    s->method = scaled_options(&by->method, part);
    s->least = roundoff(s, by->least, part);
    s->may_give_up = !back;
    s->given_up = 0;
    *a = back ? by->known : *a;
    a->runs = runs;
    const trm_status status = run_recorded(s);
    s->may_give_up = 0;
    if (!back && (status < 0 || s->given_up)) {
        return replace(s, 1, by);
    }
    a->runs += part < 0.1; // one that has not been made yet
    return back && status == TRM_OK ? TRM_STOPPED : status;
}

/// The result, checked; a better one in its place where it is off, unless finer runs come no nearer
/// to each other twice: then roundoff decides, as where singular positions are passed fast. Motions
/// that part, by chaos or at a branch, are far apart, and later.
static trm_status verify(trm_simulating *s)
{
    enum { BETTER = 3 };
    checking c = {0};
    trm_accuracy *const a = &s->result->accuracy;
    kept before = {.method = s->method};
    int worse = 0;
    for (int k = 0; k <= BETTER && may_run(s, 0.1); k++) { // the last result too is checked
        const int off = is_off(s, &c);
        a->unchecked = a->runs > 0 ? NULL : why_unchecked(s, &c);
        if (a->runs == 0 && !s->stopped && !c.gives_up) {
            a->rating = TRM_VERDICT_POOR; // what a finer run does not get through is no result
        }
        const int poor = before.known.rating == TRM_VERDICT_POOR,
                  no_nearer = k > 0 && off && a->differs >= before.known.differs &&
                              !(poor && a->known_until > before.known.known_until);
        worse += no_nearer;
        const int rounding = no_nearer && (worse > 1 || k == BETTER);
        if (!off || s->options.keep_first || s->stopped ||
            (!rounding && (k == BETTER || !may_run(s, next_part(s))))) {
            break;
        }
        const kept now = {s->method, s->least, *a};
        before = no_nearer ? before : now;
        const trm_status status =
            replace(s, rounding ? 1 : next_part(s), rounding ? &before : &now);
        if (status == TRM_STOPPED && !s->stopped) {
            break; // there is no better one
        }
        TRM_TRY(status);
    }
    s->stopped = 0; // what was recorded is whole
    return TRM_OK;
}

// ------------------------------------------------------------------------------------------ calls

static trm_status check_arguments(const trm_simulating *s, trm_error *err)
{
    const trm_simulate_options *const o = &s->options;
    if (o->struct_size != sizeof *o) {
        return TRM_FAIL(
            err, TRM_ERR_OPTIONS, "trm_simulate_options",
            "the options do not come from trm_default_simulate_options of this version");
    }
    if (!(s->end >= 0) || s->end == INFINITY) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "end", "expected a finite end >= 0, got %g", s->end);
    }
    if (!(o->every >= 0) || o->every == INFINITY) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "every", "expected a finite time >= 0, got %g",
                        o->every);
    }
    return o->method ? trm_options_check(o->method, err) : TRM_OK;
}

static trm_status simulate(trm_simulating *s, double accuracy)
{
    trm_accuracy *const a = &s->result->accuracy;
    TRM_TRY(check_arguments(s, s->err));
    if (s->options.method) {
        s->method = *s->options.method;
    } else {
        TRM_TRY(trm_choose_options(s->model, accuracy, &s->method, NULL, s->err));
    }
    a->unchecked = "nobody has asked for it";
    TRM_TRY(run_recorded(s));
    if (!s->options.verify) {
        return TRM_OK;
    }
    a->unchecked = "no step was taken";
    if (trm_sim_stats(s->result->sim).steps == 0 || s->motion.n == 0) {
        return TRM_OK;
    }
    a->unchecked = "the run took long";
    return verify(s);
}

trm_status trm_simulate(const trm_model *model, double end, double accuracy,
                        const trm_simulate_options *options, trm_result **out, trm_error *err)
{
    TRM_CLEAR(out);
    if (!model || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, model ? "out" : "model",
                        "expected a model and a place for the result, got NULL");
    }
    trm_result *const result = *out = calloc(1, sizeof *result);
    trm_simulating s = {.model = model,
                        .options = options ? *options : trm_default_simulate_options(),
                        .end = end,
                        .result = result,
                        .err = err};
    const size_t ranges = (size_t)trm_trajectory_ranges(model);
    s.scale = calloc(TRM_MOTION_KINDS * ranges + 1, sizeof *s.scale);
    if (result) {
        *result =
            (trm_result){.ended_by = -1,
                         .accuracy = {.body = -1, .known_until = NAN, .differs = NAN},
                         .bodies = calloc((size_t)model->sizes.nbody + 1, sizeof *result->bodies)};
    }
    const trm_status status =
        result && s.scale && result->bodies
            ? simulate(&s, accuracy)
            : TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a run");
    trm_trajectory_forget(&s.motion);
    free(s.scale);
    return status;
}

void trm_result_destroy(trm_result *result)
{
    if (result) {
        trm_sim_destroy(result->sim);
        free(result->bodies);
        free(result);
    }
}

trm_sim *trm_result_sim(const trm_result *result)
{
    return result ? result->sim : NULL;
}

trm_sim *trm_result_take_sim(trm_result *result)
{
    trm_sim *const sim = trm_result_sim(result);
    if (result) {
        result->sim = NULL;
    }
    return sim;
}

int trm_result_ended_by(const trm_result *result)
{
    return result ? result->ended_by : -1;
}

static trm_accuracy known_accuracy(const trm_result *result)
{
    return result ? result->accuracy
                  : (trm_accuracy){.body = -1, .known_until = NAN, .unchecked = "there is no run"};
}

void trm_result_get_accuracy(const trm_result *result, trm_accuracy *out, size_t size)
{
    const trm_accuracy known = known_accuracy(result);
    trm_hand_out(out, size, &known, sizeof known);
}

trm_difference trm_result_difference(const trm_result *result, int body)
{
    const int known = result && result->bodies && result->sim && body >= 0 &&
                      body < result->sim->model->sizes.nbody;
    return known ? result->bodies[body] : (trm_difference){0};
}
