#include "tools/run/growth.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static const double begins = 0.2,
                    part = 0.07; // of the run; of its cost: looking costs the rest of a tenth
static const double little = 1e-3, far = 0.05; // of the size, and of the speed
static const double coarse = 1e-5;        // relative tolerance: a hundredth of what is looked at
static const double swing = 4, least = 8; // of D, see growth.h; own periods
enum { LEAST_STEPS = 60, EVERY = 8 };

void trm_growth_start(trm_growth *growth, const trm_model *model, const trm_options *options,
                      double t_end, int freedoms, int moves)
{
    *growth = (trm_growth){.model = model, .options = *options, .t_end = t_end};
    growth->options.assemble = 1; // the disturbed start is off the constraints
    if (options->rtol > 0 && options->rtol < coarse) {
        growth->options.atol *= coarse / options->rtol;
        growth->options.rtol = coarse;
    }
    growth->never =
        !(freedoms > 1 || (freedoms == 1 && moves)) || trm_model_sizes(model).nbody == 0;
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

// ------------------------------------------------------------------------------------ the
// companion

static void end_companion(trm_growth *growth)
{
    trm_sim_destroy(growth->companion);
    free(growth->z);
    growth->companion = NULL;
    growth->z = NULL;
}

/// The companion goes on from growth->z at now. Returns zero where it does not close, or stays
/// where the run is.
static int set_out(trm_growth *growth, const trm_state *now)
{
    const int nq = trm_model_sizes(growth->model).nq;
    growth->spent += (double)trm_sim_stats(growth->companion).force_evals;
    if (trm_sim_set_state(growth->companion, now->t, growth->z, growth->z + nq, NULL) != TRM_OK) {
        return 0;
    }
    const trm_state beside = trm_sim_state(growth->companion);
    return distance(growth, now, &beside) > 0;
}

static double distance_now(const trm_growth *growth, const trm_state *now)
{
    const trm_state beside = trm_sim_state(growth->companion);
    return distance(growth, now, &beside);
}

static void keep(trm_growth *growth, double t, double log_D)
{
    if (growth->n == TRM_GROWTH_KEPT) { // every other one
        growth->n /= 2;
        for (int i = 0; i < growth->n; i++) {
            growth->t[i] = growth->t[2 * i];
            growth->log_D[i] = fmax(growth->log_D[2 * i], growth->log_D[2 * i + 1]);
        }
    }
    growth->t[growth->n] = t;
    growth->log_D[growth->n++] = log_D;
}

/// Inputs as the run has them; in another direction for each coordinate.
static void start_companion(trm_growth *growth, const trm_sim *sim)
{
    const trm_sizes n = trm_model_sizes(growth->model);
    const trm_state now = trm_sim_state(sim);
    growth->z = malloc((size_t)(n.nq + n.nv) * sizeof *growth->z);
    if (growth->z == NULL ||
        trm_sim_create(growth->model, &growth->options, &growth->companion, NULL) != TRM_OK) {
        end_companion(growth);
        return;
    }
    growth->size = sqrt(squares(n.nq, now.q) / n.nq);
    for (int i = 0; i < n.nq; i++) {
        growth->z[i] = now.q[i] + little * growth->size * sin(1 + 1.7 * i);
    }
    for (int i = 0; i < n.nv; i++) {
        growth->z[n.nq + i] =
            now.v[i] + little * growth->size * frequency(growth) * sin(2 + 2.3 * i);
    }
    for (int i = 0; i < n.ninput; i++) {
        (void)trm_sim_set_input(growth->companion, i, trm_sim_input(sim, i), NULL);
    }
    if (!set_out(growth, &now)) {
        end_companion(growth);
        return;
    }
    growth->t_start = now.t;
    growth->way_start = growth->way;
    keep(growth, now.t, log(distance_now(growth, &now)));
}

/// Back along the line between the two, to where it began. Returns zero where that cannot be.
static int bring_back(trm_growth *growth, const trm_state *now, const trm_state *beside, double D)
{
    const trm_sizes n = trm_model_sizes(growth->model);
    const double s = little * growth->size / D;
    for (int i = 0; i < n.nq; i++) {
        growth->z[i] = now->q[i] + s * (beside->q[i] - now->q[i]);
    }
    for (int i = 0; i < n.nv; i++) {
        growth->z[n.nq + i] = now->v[i] + s * (beside->v[i] - now->v[i]);
    }
    if (!set_out(growth, now)) {
        return 0;
    }
    growth->offset += log(D / distance_now(growth, now));
    return 1;
}

// ----------------------------------------------------------------------------------------- verdict

static double largest_until(const trm_growth *growth, double t)
{
    double largest = -INFINITY;
    for (int i = 0; i < growth->n && growth->t[i] <= t; i++) {
        largest = fmax(largest, growth->log_D[i]);
    }
    return largest;
}

/// The window ends. See growth.h.
static void judge(trm_growth *growth)
{
    const double t = growth->n > 0 ? growth->t[growth->n - 1] : 0, W = t - growth->t_start;
    const double periods = frequency(growth) * W / (2 * pi);
    if (growth->n > 0 && W > 0) {
        const double whole = largest_until(growth, t);
        const double half = largest_until(growth, growth->t_start + W / 2);
        const double beyond = whole - growth->log_D[0] - log(1 + 2 * pi * periods);
        const int counts = periods >= least && whole - half > log(2 * swing);
        const double later = counts ? whole - half - log(2) : 0;
        const double pace = fmax(fmax(beyond, 2 * later), 0); // of the window
        growth->known = 1;
        growth->per_way = pace / (growth->way - growth->way_start);
    }
    end_companion(growth);
}

void trm_growth_finish(trm_growth *growth)
{
    if (growth->companion != NULL) {
        judge(growth);
    }
    growth->digits = growth->known ? growth->per_way * growth->way / log(10) : 0;
}

/// Evaluations of the companion, in parts of those that the whole run is going to take.
static double cost(const trm_growth *growth, const trm_sim *sim, double t)
{
    const double mine = growth->spent + (double)trm_sim_stats(growth->companion).force_evals;
    return mine * t / ((double)trm_sim_stats(sim).force_evals * growth->t_end);
}

static void follow(trm_growth *growth, const trm_sim *sim)
{
    const trm_state now = trm_sim_state(sim);
    trm_sample sample;
    if (trm_sim_stats(sim).steps < growth->look_step) {
        return;
    }
    growth->look_step = trm_sim_stats(sim).steps + EVERY;
    while (trm_sim_state(growth->companion).t < now.t) {
        if (cost(growth, sim, now.t) > part || trm_sim_step(growth->companion, NULL) != TRM_OK) {
            judge(growth);
            return;
        }
    }
    if (trm_sim_sample(growth->companion, now.t, &sample, NULL) != TRM_OK) {
        judge(growth);
        return;
    }
    const double D = distance(growth, &now, &sample.state);
    keep(growth, now.t, growth->offset + log(D));
    if (D > far * growth->size && !bring_back(growth, &now, &sample.state, D)) {
        judge(growth);
    }
}

// --------------------------------------------------------------------------------------------- run

/// Whether the motion is larger than the disturbance.
static int moves(const trm_growth *growth, double t)
{
    const double omega = frequency(growth);
    return omega > 0 && omega < INFINITY && sqrt(growth->v2 / t) / omega > little;
}

/// What is known of the motion: its own frequency, the way it has gone.
static void measure(trm_growth *growth, const trm_sim *sim, const trm_state *now)
{
    const int nv = trm_model_sizes(growth->model).nv;
    const double h = trm_sim_stats(sim).h, v2 = squares(nv, now->v);
    growth->way += h * sqrt(v2);
    if (growth->companion == NULL) { // its distances are by one frequency
        growth->a2 += h * squares(nv, now->a);
        growth->v2 += h * v2;
    }
}

void trm_growth_look(trm_growth *growth, const trm_sim *sim)
{
    if (growth->never) {
        return;
    }
    const trm_state now = trm_sim_state(sim);
    measure(growth, sim, &now);
    if (growth->companion != NULL) {
        follow(growth, sim);
    } else if (!growth->tried && now.t >= begins * growth->t_end) {
        growth->tried = 1;
        if (trm_sim_stats(sim).steps >= LEAST_STEPS && moves(growth, now.t)) {
            start_companion(growth, sim);
        }
    }
}
