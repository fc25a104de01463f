#include "tools/run/growth.h"

#include "tools/run/growth_numbers.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

void trm_growth_start(trm_growth *growth, const trm_model *model, const trm_options *options,
                      double t_end, int freedoms, int moves)
{
    *growth = (trm_growth){.model = model, .options = *options, .t_end = t_end};
    growth->options.assemble = 1; // the disturbed start is off the constraints
    growth->autonomous = !moves;
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

/// |x'|, of velocities, and accelerations over the frequency; m.
static double speed(double omega, double v2, double a2)
{
    return sqrt(v2 + a2 / (omega * omega));
}

/// Of y from x, velocities over the frequency, as a part of the way that x goes in a radian of its
/// own motion. Where x is slower than usual, of the usual way.
static double distance(const trm_growth *growth, const trm_state *x, const trm_state *y)
{
    const trm_sizes n = trm_model_sizes(growth->model);
    const double omega = frequency(growth);
    double q2 = 0, v2 = 0;
    for (int i = 0; i < n.nq; i++) {
        q2 += (x->q[i] - y->q[i]) * (x->q[i] - y->q[i]);
    }
    for (int i = 0; i < n.nv; i++) {
        v2 += (x->v[i] - y->v[i]) * (x->v[i] - y->v[i]);
    }
    const double now = speed(omega, squares(n.nv, x->v), squares(n.nv, x->a));
    return sqrt(q2 + v2 / (omega * omega)) * omega / fmax(now, growth->usual);
}

// ------------------------------------------------------------------------------- the companion

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
    growth->shift = 0;
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

/// The companion's errors grow too: as large as they may be. See growth.h.
static void choose_tolerance(trm_growth *growth)
{
    const double N = TRM_GROWTH_WINDOW * frequency(growth) * growth->t_end / (2 * pi);
    const double rtol = TRM_GROWTH_LITTLE / fmax(N * N, 10);
    trm_options *const options = &growth->options;
    if (options->rtol > 0 && options->rtol < rtol) {
        options->atol *= rtol / options->rtol;
        options->rtol = rtol;
    }
}

/// Inputs as the run has them; in another direction for each coordinate.
static void start_companion(trm_growth *growth, const trm_sim *sim)
{
    const trm_sizes n = trm_model_sizes(growth->model);
    const trm_state now = trm_sim_state(sim);
    choose_tolerance(growth);
    growth->z = malloc((size_t)(n.nq + n.nv) * sizeof *growth->z);
    if (growth->z == NULL ||
        trm_sim_create(growth->model, &growth->options, &growth->companion, NULL) != TRM_OK) {
        end_companion(growth);
        return;
    }
    const double omega = frequency(growth), radius = growth->usual / omega;
    for (int i = 0; i < n.nq; i++) {
        growth->z[i] = now.q[i] + TRM_GROWTH_LITTLE * radius * sin(1 + 1.7 * i);
    }
    for (int i = 0; i < n.nv; i++) {
        growth->z[n.nq + i] = now.v[i] + TRM_GROWTH_LITTLE * radius * omega * sin(2 + 2.3 * i);
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
    const double s = TRM_GROWTH_LITTLE / D;
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

/// e-folds in the window that are more than regular motion and the companion's errors explain, and
/// how many an exponential needs to show. See growth.h.
static void judge(trm_growth *growth)
{
    const double t = growth->n > 0 ? growth->t[growth->n - 1] : 0, W = t - growth->t_start;
    const double way = growth->way - growth->way_start;
    if (growth->n > 0 && W > 0 && way > 0) {
        const double N = frequency(growth) * W / (2 * pi), rtol = growth->options.rtol;
        const double own = rtol > 0 ? N * sqrt(rtol / TRM_GROWTH_LITTLE) : 0;
        const double whole = largest_until(growth, t) - growth->log_D[0];
        const double half = largest_until(growth, growth->t_start + W / 2) - growth->log_D[0];
        const double regular = log(1 + 2 * pi * N) + own, regular_half = log(4) + own;
        const int halves = N >= TRM_GROWTH_PERIODS;
        const double later = halves ? 2 * (whole - half - regular_half) : 0;
        const double unseen = halves ? fmin(regular, 2 * regular_half) : regular;
        growth->known = 1;
        growth->per_way = fmax(fmax(whole - regular, later), 0) / way;
        growth->unseen_per_way = unseen / way;
    }
    end_companion(growth);
}

void trm_growth_finish(trm_growth *growth)
{
    if (growth->companion != NULL) {
        judge(growth);
    }
    if (growth->known) {
        growth->digits = growth->per_way * growth->way / log(10);
        growth->unseen = growth->unseen_per_way * growth->way / log(10);
    }
}

/// Evaluations of the companion, in parts of those that the whole run is going to take.
static double cost(const trm_growth *growth, const trm_sim *sim, double t)
{
    const double mine = growth->spent + (double)trm_sim_stats(growth->companion).force_evals;
    return mine * t / ((double)trm_sim_stats(sim).force_evals * growth->t_end);
}

/// The companion at the time of the run, or, where nothing depends on the time, where it is nearest
/// to it: that is followed from look to look by its velocities. Returns the distance, NaN where it
/// cannot be had.
static double meet(trm_growth *growth, const trm_state *now, trm_sample *sample)
{
    const int nv = trm_model_sizes(growth->model).nv;
    const double last = trm_sim_state(growth->companion).t;
    const double t =
        fmin(fmax(now->t + growth->shift, last - trm_sim_stats(growth->companion).h), last);
    if (trm_sim_sample(growth->companion, t, sample, NULL) != TRM_OK) {
        return NAN;
    }
    if (growth->autonomous) {
        const trm_state *const y = &sample->state;
        double along = 0;
        for (int i = 0; i < nv; i++) {
            along += y->a[i] * (now->v[i] - y->v[i]);
        }
        growth->shift = t - now->t + along / fmax(squares(nv, y->a), growth->a2 / growth->seen);
    }
    return distance(growth, now, &sample->state);
}

static void follow(trm_growth *growth, const trm_sim *sim)
{
    const trm_state now = trm_sim_state(sim);
    trm_sample sample;
    if (trm_sim_stats(sim).steps < growth->look_step) {
        return;
    }
    growth->look_step = trm_sim_stats(sim).steps + (long)TRM_GROWTH_EVERY;
    while (trm_sim_state(growth->companion).t < now.t + growth->shift) {
        if (cost(growth, sim, now.t) > TRM_GROWTH_SHARE ||
            trm_sim_step(growth->companion, NULL) != TRM_OK) {
            judge(growth);
            return;
        }
    }
    const double D = meet(growth, &now, &sample);
    if (isnan(D)) {
        judge(growth);
        return;
    }
    keep(growth, now.t, growth->offset + log(D));
    if (D > TRM_GROWTH_FAR && !bring_back(growth, &now, &sample.state, D)) {
        judge(growth);
    }
}

// --------------------------------------------------------------------------------------------- run

static int moves(const trm_growth *growth)
{
    const double omega = frequency(growth);
    return omega > 0 && omega < INFINITY && growth->usual > 0;
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
        growth->seen += h;
        const double omega = frequency(growth);
        growth->usual = omega > 0 ? speed(omega, growth->v2, growth->a2) / sqrt(growth->seen) : 0;
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
    } else if (!growth->tried && now.t >= TRM_GROWTH_BEGINS * growth->t_end) {
        growth->tried = 1;
        if ((double)trm_sim_stats(sim).steps >= TRM_GROWTH_LEAST_STEPS && moves(growth)) {
            start_companion(growth, sim);
        }
    }
}
