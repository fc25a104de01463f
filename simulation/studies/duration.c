/// How many own periods a run has, and the tolerances for so many.
///
///     omega^2 = int a^T M a dt / int v^T M v dt,     N = omega t_end / 2 pi
///
/// Step errors of one sign change the energy in proportion to N, the frequency with it, and the
/// phase by the integral of that, in proportion to N^2: they must fall with 1/N^2 for the same
/// error at the end.
///
/// omega is a frequency only where the motion comes back. A decay has a rate omega as well, but no
/// phase. So there are two conditions:
///
/// Turns. In a period the direction of the velocity, or a body, turns by at least 2 pi: a motion
/// to and fro turns twice by pi, a wheel or a circle once by 2 pi; a decay or a motion straight
/// ahead does not turn. After a turn by `turned` the motion has made at most turned/2 pi + 1/2
/// periods.
///
/// Damping. An oscillation whose amplitude falls by exp(-delta) in a period forgets its phase
/// within 1/delta periods. The tolerances hold for ten periods, so delta = 1/10 or more needs no
/// smaller tolerances. With this delta the kinetic energy falls by exp(-2*1.5/10) between the two
/// halves of three periods. Where it does, these periods say nothing of the rest of the run, and
/// the count starts again.
///
/// Where steps are limited by stability, the short run changes to ida like the run itself
/// (stiff_switching.c), since a thousand explicit steps would show nothing of the motion.
#include "base/status.h"
#include "integrators/registry.h"
#include "simulation/run/simulation.h"
#include "trammel/trammel_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double held = 10; // periods that the tolerances of trm_choose_options are meant for

/// What is seen of the motion from `begin` on.
typedef struct seen {
    double begin;         // s
    double a2, v2;        // J s: the integrals above, halved
    double s2;            // 1/s: the integral of sum (v_i/size_i)^2
    double turned;        // rad: by the direction of v_i/size_i
    double periods;       // by omega
    double half, v2_half; // s, J s: when half of the periods were over; 0: they are not
} seen;

typedef struct pilot {
    double t_end, t; // s
    double rtol, atol;
    seen now, faded; // faded: what was damped before
    double fastest;  // 1/s: the largest |v_i/size_i| so far
    double *v;       // [nv] v_i/size_i at the last step that showed a direction
    double t_faded;  // s: when that was over
    int steps;
    trm_stiff_switching change;
} pilot;

/// By how much the direction of x differs from that of y.
static double angle_between(int n, const double *x, const double *y)
{
    double xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < n; i++) {
        xx += x[i] * x[i];
        yy += y[i] * y[i];
        xy += x[i] * y[i];
    }
    return xx > 0 && yy > 0 ? acos(fmax(-1, fmin(1, xy / sqrt(xx * yy)))) : 0;
}

/// Velocities below the errors of the steps have no direction: a motion that has died away turns
/// by errors alone. Errors of steps may exceed their tolerances; ten times the tolerance is taken
/// as possible, a choice.
static void note_direction(pilot *p, const trm_run *run)
{
    const double known = 10;
    const int nv = run->system->nv;
    double *const x = p->v + nv, fastest = 0;
    for (int i = 0; i < nv; i++) {
        x[i] = run->now.z[run->system->nq + i] / run->extent.v[i];
        fastest = fmax(fastest, fabs(x[i]));
    }
    p->fastest = fmax(p->fastest, fastest);
    if (fastest > known * (p->atol + p->rtol * p->fastest)) {
        p->now.turned += angle_between(nv, x, p->v);
        memcpy(p->v, x, (size_t)nv * sizeof *x);
    }
}

/// rad/s: of the body that turns the fastest.
static double fastest_spin(const trm_model *model, const double *v)
{
    double fastest = 0;
    for (int b = 0; b < model->sizes.nbody; b++) {
        const trm_body_info *const body = &model->body_info[b];
        double squares = 0;
        for (int k = model->bodies.dimension; k < body->nv; k++) {
            squares += v[body->v0 + k] * v[body->v0 + k];
        }
        fastest = fmax(fastest, sqrt(squares));
    }
    return fastest;
}

static void add_step(pilot *p, const trm_sim *sim)
{
    const trm_run *const run = &sim->run;
    seen *const s = &p->now;
    const double h = run->now.t - p->t;
    s->a2 += h * trm_system_kinetic(run->system, run->now.dz + run->system->nq);
    s->v2 += h * trm_system_kinetic(run->system, run->now.z + run->system->nq);
    for (int i = 0; i < run->system->nv; i++) {
        const double rate = run->now.z[run->system->nq + i] / run->extent.v[i];
        s->s2 += h * rate * rate;
    }
    note_direction(p, run);
    s->turned += h * fastest_spin(sim->model, run->now.z + run->system->nq);
    p->t = run->now.t;
    s->periods = s->v2 > 0 ? sqrt(s->a2 / s->v2) * (p->t - s->begin) / (2 * pi) : 0;
}

/// Whether the motion came back, and is still there; else what is damped counts no longer.
static int comes_back(pilot *p)
{
    const double enough = 3, rounding = 1e-6;
    seen *const s = &p->now;
    if (s->half == 0 && s->periods >= enough / 2) {
        s->half = p->t;
        s->v2_half = s->v2;
    }
    if (s->periods < enough || s->turned < 2 * pi - rounding || p->t == s->half) {
        return 0;
    }
    const double first = s->v2_half / (s->half - s->begin);
    const double second = (s->v2 - s->v2_half) / (p->t - s->half);
    if (second >= exp(-enough / held) * first) {
        return 1;
    }
    p->faded = *s;
    p->t_faded = p->t;
    p->now = (seen){.begin = p->t};
    return 0;
}

/// After a step; nonzero when enough is known: three periods, or a twentieth of the run, or when
/// another method has to go on.
static int look(trm_sim *sim, void *user)
{
    enum { MOST_STEPS = 1000 };
    pilot *const p = user;
    add_step(p, sim);
    if (comes_back(p) || p->t >= p->t_end / 20 || ++p->steps >= MOST_STEPS) {
        return 1;
    }
    trm_stiff_switching_observe(&p->change, sim);
    return p->change.change_wanted;
}

/// Whether anything moves by more than its tolerance: else there is no phase.
static int is_motion(const seen *s, double seconds, double rtol)
{
    const double omega = seconds > 0 ? 2 * pi * s->periods / seconds : 0; // rad/s
    return omega > 0 && omega < INFINITY && sqrt(s->s2 / seconds) / omega > rtol;
}

/// In the whole run. What was damped counts until as much time has gone by since.
static double periods_of(const pilot *p)
{
    const double since = p->t - p->now.begin, before = p->t_faded - p->faded.begin;
    const seen *const s = since > before ? &p->now : &p->faded;
    const double seconds = fmax(since, before);
    const double periods = fmin(s->periods, s->turned / (2 * pi) + 0.5);
    return is_motion(s, seconds, p->rtol) ? periods * p->t_end / seconds : 0;
}

static trm_status run_pilot(pilot *p, trm_sim **sim, trm_error *err)
{
    const int nv = (*sim)->run.system->nv;
    p->v = calloc((size_t)(2 * nv + 1), sizeof *p->v);
    if (!p->v) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "no memory for the length of a run");
    }
    trm_status status = TRM_OK;
    do { // what fails here fails again in the run
        if (p->change.change_wanted) {
            status = trm_stiff_switching_apply(&p->change, sim, err);
        }
    } while (status == TRM_OK && trm_sim_run(*sim, p->t_end, look, p, NULL) == TRM_STOPPED &&
             p->change.change_wanted);
    free(p->v);
    return status;
}

static trm_status count_periods(const trm_model *model, const trm_options *options, double t_end,
                                double *periods, trm_error *err)
{
    trm_sim *sim = NULL;
    trm_error refused = {0};
    pilot p = {.t_end = t_end, .rtol = options->rtol, .atol = options->atol};
    trm_status status = trm_sim_create(model, options, &sim, &refused);
    if (status == TRM_ERR_MEMORY || status == TRM_ERR_OPTIONS) {
        return TRM_FAIL(err, status, refused.where, "%s", refused.message);
    }
    if (status == TRM_OK) {
        trm_stiff_switching_start(&p.change, model, options, 1);
        status = run_pilot(&p, &sim, err);
        *periods = status == TRM_OK ? periods_of(&p) : 0;
    } else {
        status = TRM_OK; // so will the run be refused
    }
    trm_sim_destroy(sim);
    return status;
}

trm_status trm_options_for_duration(const trm_model *model, double accuracy, double t_end,
                                    trm_options *options, trm_duration *out, trm_error *err)
{
    const double worth = 0.5; // a change of the tolerances by less is none
    if (!model || !options || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !model     ? "model"
                        : !options ? "options"
                                   : "out",
                        "expected a model, options and a place for the length, got NULL");
    }
    if (!(accuracy > 0 && accuracy < 1) || !(t_end >= 0 && t_end < INFINITY)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, accuracy > 0 && accuracy < 1 ? "t_end" : "accuracy",
                        "expected an accuracy between 0 and 1 and a finite end, got %g and %g",
                        accuracy, t_end);
    }
    *out = (trm_duration){.accuracy = accuracy};
    TRM_TRY(trm_options_check(options, err));
    const trm_method *const method =
        trm_method_find(options->integrator, options->stabilization).method;
    if (!method->adaptive || t_end == 0) {
        return TRM_OK;
    }
    TRM_TRY(count_periods(model, options, t_end, &out->periods, err));
    const double factor = out->periods > held ? held * held / (out->periods * out->periods) : 1;
    if (factor < worth) {
        const double wanted = factor * options->rtol, finest = trm_choice_finest(model);
        out->accuracy =
            wanted < finest ? accuracy * fmin(finest, options->rtol) / wanted : accuracy;
        options->atol = fmin(options->atol, fmax(factor * options->atol, finest));
        options->rtol = fmin(options->rtol, fmax(wanted, finest));
    }
    return TRM_OK;
}
