#include "simulation/studies/trajectory.h"
#include "base/accuracy_policy.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH, ANGLE, VELOCITY, RATE };

// -------------------------------------------------------------------------------------- the times

/// Every other time goes.
static void thin(trm_trajectory *m)
{
    const size_t half = (m->n + 1) / 2;
    for (size_t k = 1; k < half; k++) {
        m->t[k] = m->t[2 * k];
        memcpy(m->z + k * m->width, m->z + 2 * k * m->width, m->width * sizeof(double));
    }
    m->n = half;
    m->each *= 2;
}

/// For one more time.
static int make_room(trm_trajectory *m)
{
    enum { NUMBERS = 1 << 22, FEWEST = 64, FIRST = 256 }; // at most 32 MB, or 64 times
    const size_t fitting = NUMBERS / (m->width + 1);
    const size_t most = fitting > FEWEST ? fitting : FEWEST;
    if (m->n < m->room) {
        return 1;
    }
    if (m->room >= most) {
        thin(m);
        return 1;
    }
    const size_t room = m->room == 0 ? FIRST : 2 * m->room;
    const size_t taken = room < most ? room : most;
    double *const t = realloc(m->t, taken * sizeof *t);
    m->t = t ? t : m->t;
    double *const z = realloc(m->z, taken * m->width * sizeof *z + 1);
    m->z = z ? z : m->z;
    m->room = t && z ? taken : m->room;
    return t && z;
}

static int keep(trm_trajectory *m, double t, const double *z, long impacts)
{
    if (!make_room(m)) {
        return 0;
    }
    double *const row = m->z + m->n * m->width;
    m->t[m->n++] = t;
    memcpy(row, z, (m->width - 1) * sizeof *z);
    row[m->width - 1] = (double)impacts;
    return 1;
}

long trm_trajectory_impacts(const trm_trajectory *m, size_t k)
{
    return (long)m->z[(k + 1) * m->width - 1];
}

/// Bodies of a contact are of one part.
static void connect(trm_trajectory *m, const trm_contact_row *contact)
{
    const int n = m->model->sizes.nbody;
    int one = -1;
    for (int k = 0; k < contact->nbodies; k++) {
        const int body = contact->bodies[k];
        if (body < 0 || body >= n) { // the ground
            continue;
        }
        const int other = m->part[body];
        one = one < 0 ? other : one;
        for (int b = 0; b < n && other != one; b++) {
            m->part[b] = m->part[b] == other ? one : m->part[b];
        }
    }
}

static int begin(trm_trajectory *m, const trm_model *model)
{
    m->model = model;
    m->width = (size_t)(model->sizes.nq + model->sizes.nv) + 1;
    m->each = 1;
    m->part = calloc((size_t)model->sizes.nbody + 1, sizeof *m->part);
    for (int b = 0; m->part && model->component && b < model->sizes.nbody; b++) {
        m->part[b] = model->component[model->body_info[b].v0];
    }
    for (int k = 0; m->part && model->component && k < model->ncontacts; k++) {
        connect(m, &model->contacts[k]);
    }
    return m->part != NULL;
}

int trm_trajectory_wants(trm_trajectory *m)
{
    const int wanted = m->each == 0 || m->seen % m->each == 0;
    m->seen += !wanted;
    return wanted;
}

int trm_trajectory_note(trm_trajectory *m, const trm_model *model, double t, const double *z,
                        long impacts)
{
    if (m->each == 0 && !begin(m, model)) {
        return 0;
    }
    return m->seen++ % m->each != 0 || keep(m, t, z, impacts);
}

int trm_trajectory_end(trm_trajectory *m, const trm_model *model, double t, const double *z,
                       long impacts)
{
    if (m->each == 0) {
        return trm_trajectory_note(m, model, t, z, impacts);
    }
    return (m->n > 0 && m->t[m->n - 1] == t) || keep(m, t, z, impacts);
}

void trm_trajectory_forget(trm_trajectory *m)
{
    free(m->t);
    free(m->z);
    free(m->part);
    *m = (trm_trajectory){0};
}

// ------------------------------------------------------------------------------------- differences

static double distance(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return sqrt(sum);
}

/// Angle of the rotation between two unit quaternions: |p - q| = 2
/// sin(angle/4), or |p + q| of the other sign.
static double angle_between(const double *p, const double *q)
{
    double other[4];
    for (int i = 0; i < 4; i++) {
        other[i] = -q[i];
    }
    return 4 * asin(fmin(1, fmin(distance(4, p, q), distance(4, p, other)) / 2));
}

trm_difference trm_difference_of(const trm_model *model, int b, const double *q0, const double *v0,
                                 const double *q1, const double *v1)
{
    const trm_body_info *const body = &model->body_info[b];
    const int linear = model->bodies.dimension, q = body->q0, v = body->v0;
    trm_difference d = {.position = distance(linear, q0 + q, q1 + q),
                        .velocity = distance(linear, v0 + v, v1 + v)};
    if (body->nq > linear) {
        d.angle = linear == 2 ? fabs(q0[q + 2] - q1[q + 2])
                              : angle_between(q0 + q + linear, q1 + q + linear);
        d.rate = distance(body->nv - linear, v0 + v + linear, v1 + v + linear);
    }
    return d;
}

// ------------------------------------------------------------------------------------------ ranges

/// Equations of the user have no bodies: each coordinate is a length of its own, as each velocity.
static int is_of_equations(const trm_model *model)
{
    return model->from_equations || model->sizes.nbody == 0;
}

int trm_trajectory_ranges(const trm_model *model)
{
    return model->sizes.nq > model->sizes.nv ? model->sizes.nq : model->sizes.nv;
}

static void widen(double *scale, double x)
{
    *scale = fmax(*scale, x);
}

/// Of n coordinates the diagonal of the box that they go through.
static double box(const trm_trajectory *m, size_t first, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t k = 0; k < m->n; k++) {
            const double x = m->z[k * m->width + first + (size_t)i];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        sum += (high - low) * (high - low);
    }
    return sqrt(sum);
}

/// The largest length of n coordinates.
static double largest(const trm_trajectory *m, size_t first, int n)
{
    static const double zero[3];
    double most = 0;
    for (size_t k = 0; k < m->n; k++) {
        most = fmax(most, distance(n, m->z + k * m->width + first, zero));
    }
    return most;
}

static double turned(const trm_trajectory *m, size_t first)
{
    double most = 0;
    for (size_t k = 0; k < m->n; k++) {
        most = fmax(most, angle_between(m->z + first, m->z + k * m->width + first));
    }
    return most;
}

static void widen_by_body(const trm_trajectory *m, int b, double *scale)
{
    const trm_body_info *const body = &m->model->body_info[b];
    const int linear = m->model->bodies.dimension;
    const size_t q = (size_t)body->q0, v = (size_t)(m->model->sizes.nq + body->v0),
                 d = (size_t)linear;
    widen(&scale[LENGTH], box(m, q, linear));
    widen(&scale[VELOCITY], largest(m, v, linear));
    if (body->nq > linear) {
        widen(&scale[ANGLE], linear == 2 ? box(m, q + d, 1) : turned(m, q + d));
        widen(&scale[RATE], largest(m, v + d, body->nv - linear));
    }
}

/// What is below `least` is no motion.
static void leave_rest(double *scale, double least)
{
    *scale = *scale > least ? *scale : INFINITY;
}

/// Ranges below roundoff of steps, of places `far` from the origin too, which adds up at random,
/// below ten times what joints leave open, and in which play p moves a place, the diagonal
/// 2 sqrt(3) p of a box, and once more by p rad on an arm of the size, are no motion; nor are rates
/// of what does not move, nor what rates that are roundoff of others add up to: the centre of a
/// coin that whirls in place. Turns are those of bodies with this radius, however far from each
/// other they are.
static void leave_rest_of(const trm_sim *sim, double size, double radius, double far, double *own)
{
    const double rounding = TRM_FINEST;
    const double place = sqrt((double)sim->run.stats.steps) * DBL_EPSILON * far;
    const double gap = 10 * sim->measure.gap_max, play = 2 * sqrt(3) * sim->misfit;
    const double slip = 10 * sim->measure.rate_gap;
    const double speed = rounding * fmax(own[VELOCITY], size * own[RATE]);
    leave_rest(&own[LENGTH],
               own[VELOCITY] > speed ? place + (rounding + fmax(gap, 2 * play)) * size : INFINITY);
    leave_rest(&own[ANGLE], own[RATE] > speed / size
                                ? (radius > 0 ? place / radius : 0) + rounding + fmax(gap, play)
                                : INFINITY);
    leave_rest(&own[VELOCITY], isinf(own[LENGTH]) ? INFINITY : speed + slip * size);
    leave_rest(&own[RATE], isinf(own[ANGLE]) ? INFINITY : speed / size + slip);
}

static void scale_equations(const trm_trajectory *m, const trm_sim *sim, double *scale)
{
    const trm_sizes n = m->model->sizes;
    for (int i = 0; i < trm_trajectory_ranges(m->model); i++) {
        double *const own = scale + (size_t)TRM_MOTION_KINDS * (size_t)i;
        const size_t q = (size_t)i, v = (size_t)(n.nq + i);
        own[LENGTH] = i < n.nq ? box(m, q, 1) : 0;
        own[VELOCITY] = i < n.nv ? largest(m, v, 1) : 0;
        leave_rest_of(sim, 1, 1, 0, own);
    }
}

void trm_trajectory_scales(const trm_trajectory *m, const trm_sim *sim, double *scale)
{
    const trm_model *const model = m->model;
    memset(scale, 0, TRM_MOTION_KINDS * (size_t)trm_trajectory_ranges(model) * sizeof *scale);
    if (is_of_equations(model)) {
        scale_equations(m, sim, scale);
        return;
    }
    for (int b = 0; b < model->sizes.nbody; b++) {
        widen_by_body(m, b, scale + TRM_MOTION_KINDS * m->part[b]);
    }
    for (int b = 0; b < model->sizes.nbody; b++) {
        const trm_body_info *const body = &model->body_info[b];
        const int part = m->part[b];
        if (body->v0 == part) {
            const double h = (sim->run.now.t - m->t[0]) / fmax(1, (double)sim->run.stats.steps);
            const double own = sim->run.extent.known
                                   ? sim->run.extent.size[b]
                                   : sim->run.extent.weight * h * h; // as of steps
            const double far = largest(m, (size_t)body->q0, model->bodies.dimension);
            const double turns = trm_extents_gyration(&model->bodies, b);
            leave_rest_of(sim, fmax(turns, own), turns > 0 ? fmin(turns, own) : own, far,
                          scale + TRM_MOTION_KINDS * part);
        }
    }
}

double trm_trajectory_step(const trm_trajectory *m, const trm_sim *sim, const double *scale,
                           double rtol, double least)
{
    const int own = is_of_equations(m->model);
    double most = 0;
    for (int k = 0; k < (own ? trm_trajectory_ranges(m->model) : m->model->sizes.nbody); k++) {
        const double *const by = scale + TRM_MOTION_KINDS * (own ? k : m->part[k]);
        const double size = own || !sim->run.extent.known ? 0 : sim->run.extent.size[k];
        most = isfinite(by[LENGTH]) ? fmax(most, rtol + least * size / by[LENGTH]) : most;
        most = isfinite(by[ANGLE]) ? fmax(most, rtol + least / by[ANGLE]) : most;
    }
    return most;
}

static trm_apart apart_in_equations(const trm_trajectory *m, const double *scale, size_t k,
                                    const double *q, const double *v)
{
    const trm_sizes n = m->model->sizes;
    const double *const own = m->z + k * m->width;
    trm_apart out = {.body = -1};
    for (int i = 0; i < n.nq; i++) {
        const double off = fabs(q[i] - own[i]);
        out.place = fmax(out.place, off / scale[TRM_MOTION_KINDS * i + LENGTH]);
        out.length = fmax(out.length, off);
    }
    for (int i = 0; i < n.nv; i++) {
        const double off = fabs(v[i] - own[n.nq + i]);
        out.rate = fmax(out.rate, off / scale[TRM_MOTION_KINDS * i + VELOCITY]);
    }
    return out;
}

trm_apart trm_trajectory_apart(const trm_trajectory *m, const double *scale, size_t k,
                               const double *q, const double *v)
{
    const trm_model *const model = m->model;
    const double *const own = m->z + k * m->width;
    trm_apart out = {.body = -1};
    if (is_of_equations(model)) {
        return apart_in_equations(m, scale, k, q, v);
    }
    for (int b = 0; b < model->sizes.nbody; b++) {
        const trm_difference d = trm_difference_of(model, b, own, own + model->sizes.nq, q, v);
        const double *const by = scale + TRM_MOTION_KINDS * m->part[b];
        const double place = fmax(d.position / by[LENGTH], d.angle / by[ANGLE]);
        const double rate = fmax(d.velocity / by[VELOCITY], d.rate / by[RATE]);
        if (out.body < 0 || !(fmax(place, rate) <= fmax(out.place, out.rate))) {
            out.body = b;
        }
        out.place = place <= out.place ? out.place : place; // NaN counts
        out.rate = rate <= out.rate ? out.rate : rate;
        out.length = fmax(out.length, d.position);
        out.angle = fmax(out.angle, d.angle);
    }
    return out;
}

/// What a rounding by `one` leaves open of a body's place or angle by coordinate k: no more than it
/// goes through. A component of a quaternion changes with what is across to it.
static double rounded(const trm_trajectory *m, const trm_body_info *body, const double *q, int k,
                      double one)
{
    static const double zero[4];
    const int linear = m->model->bodies.dimension, last = body->nq - 1;
    const double *const own = q + body->q0;
    const double time = m->t[m->n - 1] - m->t[0];
    const size_t v = (size_t)(m->model->sizes.nq + body->v0);
    if (k < linear || linear == 2) {
        return fmin(one, time * largest(m, v + (size_t)k, 1));
    }
    const double across =
        hypot(distance(k - linear, own + linear, zero), distance(last - k, own + k + 1, zero));
    return fmin(one, time * across * largest(m, v + (size_t)linear, body->nv - linear));
}

double trm_trajectory_rounded(const trm_trajectory *m, const double *scale, const double *q,
                              double far, int *body_of)
{
    const trm_model *const model = m->model;
    const int linear = model->bodies.dimension;
    double most = 0;
    for (int b = 0; b < model->sizes.nbody && !is_of_equations(model); b++) {
        const trm_body_info *const body = &model->body_info[b];
        const double *const by = scale + TRM_MOTION_KINDS * m->part[b];
        for (int k = 0; k < body->nq; k++) {
            const double own = by[k < linear ? LENGTH : ANGLE];
            const int turns = k >= linear && linear == 3; // half of an angle
            const double size = fmax(fabs(q[body->q0 + k]), k < linear ? far : 0);
            const double one = (turns ? 2 : 1) * DBL_EPSILON * size;
            const double off = one > most * own ? rounded(m, body, q, k, one) / own : 0;
            *body_of = off > most ? b : *body_of;
            most = fmax(most, off);
        }
    }
    return most;
}
