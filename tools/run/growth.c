#include "tools/run/growth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double begins = 0.45, part = 0.1; // of the run
static const double little = 1e-7;             // of the size, and of the speed
static const double far = 0.05;                // of the size: no small disturbance any more
enum { LEAST_STEPS = 60, EVERY = 8 };

void trm_growth_start(trm_growth *growth, const trm_model *model, const trm_options *options,
                      double t_end, int freedoms, int moves)
{
    *growth = (trm_growth){.model = model, .options = *options, .t_end = t_end};
    growth->options.assemble = 1; // the disturbed start is off the constraints
    growth->tried =
        !(freedoms > 1 || (freedoms == 1 && moves)) || trm_model_sizes(model).nbody == 0;
}

void trm_growth_finish(trm_growth *growth)
{
    trm_sim_destroy(growth->companion);
    growth->companion = NULL;
}

static double squares(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

/// rad/s, of what was met so far.
static double frequency(const trm_growth *growth)
{
    return growth->v2 > 0 ? sqrt(growth->a2 / growth->v2) : 0;
}

/// Of two states, velocities over the frequency.
static double distance(const trm_growth *growth, const trm_state *x, const trm_state *y)
{
    const trm_sizes n = trm_model_sizes(growth->model);
    const double omega = frequency(growth);
    double sum = 0;
    for (int i = 0; i < n.nq; i++) {
        sum += (x->q[i] - y->q[i]) * (x->q[i] - y->q[i]);
    }
    for (int i = 0; i < n.nv && omega > 0; i++) {
        sum += (x->v[i] - y->v[i]) * (x->v[i] - y->v[i]) / (omega * omega);
    }
    return sqrt(sum);
}

/// A companion a little beside the run; in another direction for each coordinate.
static void set_out(trm_growth *growth, const trm_sim *sim)
{
    const trm_sizes n = trm_model_sizes(growth->model);
    const trm_state now = trm_sim_state(sim);
    double *const q = malloc((size_t)(n.nq + n.nv) * sizeof *q);
    growth->tried = 1;
    if (q == NULL) {
        return;
    }
    double *const v = q + n.nq;
    growth->size = sqrt(squares(n.nq, now.q) / n.nq);
    for (int i = 0; i < n.nq; i++) {
        q[i] = now.q[i] + little * growth->size * sin(1 + 1.7 * i);
    }
    for (int i = 0; i < n.nv; i++) {
        v[i] = now.v[i] + little * growth->size * frequency(growth) * sin(2 + 2.3 * i);
    }
    if (trm_sim_create(growth->model, &growth->options, &growth->companion, NULL) == TRM_OK &&
        trm_sim_set_state(growth->companion, now.t, q, v, NULL) == TRM_OK) {
        const trm_state beside = trm_sim_state(growth->companion);
        growth->first = growth->largest = distance(growth, &now, &beside);
        growth->t_start = now.t;
        growth->steps = trm_sim_stats(sim).steps;
        growth->most = (long)(1.5 * part / begins * (double)growth->steps);
    } else {
        trm_growth_finish(growth);
    }
    free(q);
}

/// The window ends: what has grown beyond regular motion.
static void judge(trm_growth *growth, double t)
{
    const double window = t - growth->t_start;
    const double regular = 1 + frequency(growth) * window; // 1 + 2 pi N
    const double excess = log(growth->largest / growth->first / regular);
    growth->known = growth->first > 0 && window > 0;
    growth->digits = growth->known && excess > 0 ? excess / window * growth->t_end / log(10) : 0;
    trm_growth_finish(growth);
}

static void follow(trm_growth *growth, const trm_sim *sim)
{
    const trm_state now = trm_sim_state(sim);
    const int ends = now.t >= growth->t_start + part * growth->t_end;
    if (!ends && (trm_sim_stats(sim).steps - growth->steps) % EVERY != 0) {
        return;
    }
    if (trm_sim_step_to(growth->companion, now.t, NULL) != TRM_OK) {
        trm_growth_finish(growth);
        return;
    }
    const trm_state beside = trm_sim_state(growth->companion);
    growth->largest = fmax(growth->largest, distance(growth, &now, &beside));
    if (ends || growth->largest > far * growth->size ||
        trm_sim_stats(growth->companion).steps > growth->most) {
        judge(growth, now.t);
    }
}

/// Whether the motion is larger than the disturbance.
static int moves(const trm_growth *growth, double t)
{
    const double omega = frequency(growth);
    return omega > 0 && omega < INFINITY && sqrt(growth->v2 / t) / omega > 100 * little;
}

void trm_growth_look(trm_growth *growth, const trm_sim *sim)
{
    const trm_sizes n = trm_model_sizes(growth->model);
    const trm_state now = trm_sim_state(sim);
    if (growth->companion != NULL) {
        follow(growth, sim);
        return;
    }
    if (growth->tried) {
        return;
    }
    const trm_stats stats = trm_sim_stats(sim);
    growth->a2 += stats.h * squares(n.nv, now.a);
    growth->v2 += stats.h * squares(n.nv, now.v);
    if (now.t >= begins * growth->t_end) {
        growth->tried = 1;
        if (stats.steps >= LEAST_STEPS && moves(growth, now.t)) {
            set_out(growth, sim);
        }
    }
}
