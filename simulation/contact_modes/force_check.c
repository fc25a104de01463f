#include "simulation/contact_modes/force_check.h"
#include "base/accuracy_policy.h"
#include "simulation/contact_modes/trial_set.h"

#include <math.h>
#include <string.h>

// --------------------------------------------------------------------------------------- friction

/// A row, or both of a pair in space, at a point.
typedef struct point_of_row {
    const trm_contact_row *row;
    int k, n, index[2];
    double speed; ///< length of the rate
    double load;  ///< coefficient times what presses
    int touches;  ///< friction may act: it is a joint's, or its stop is closed
    int decided;  ///< the rate has a direction
} point_of_row;

/// mu N, by the force of the stop or the multipliers of the joint.
static double load_of(const trm_contact *contact, int k, const double *lambda)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    double square = 0;
    if (row->friction.regularized > 0) {
        return row->coefficient > 0 ? row->coefficient * fabs(contact->force[row->first]) : 0;
    }
    if (row->normal >= 0) {
        const double p = contact->force[row->normal];
        const int side = contact->hold[row->normal] == TRM_HOLD_HIGH ? -1 : 1;
        return contact->hold[row->normal] ? trm_contact_coefficient(contact, k) * fmax(side * p, 0)
                                          : 0;
    }
    for (int i = row->row; i < row->row + row->rows; i++) {
        square += lambda[i] * lambda[i];
    }
    return row->coefficient * sqrt(square);
}

/// A rate below the errors of steps and below roundoff has no direction. What sticks has none: how
/// far it creeps is a gap (trm_sim_note_contacts).
static int has_direction(const trm_contact *contact, const trm_run *run, int k, double speed)
{
    if (contact->hold[k] == TRM_HOLD_STICKS) {
        return 0;
    }
    const int mate = contact->model->contacts[k].mate;
    const double *const v = run->now.z + run->system->nq;
    const double noise =
        fmax(trm_contact_rate_noise(contact, run, k), 2 * trm_contact_band(contact, k));
    const double steps =
        fmax(TRM_ACCURACY_DEFAULT_GOOD, run->options.accuracy) * contact->past.fastest[k];
    const double pair = mate >= 0 ? trm_contact_exact(contact, v, k) : 0;
    return speed > fmax(fmax(noise, contact->impact.slack[k]), fmax(steps, pair));
}

/// A step ends where a rate passes zero: it has no direction there. It ends, too, at the first time
/// at which the rate of what nothing determined has left zero: friction against it begins with the
/// next one, and is due at the end of that.
static int is_decided(trm_contact *contact, const trm_run *run, int k, double speed, int ended)
{
    const int left = contact->past.left[k];
    const int moves = !ended && has_direction(contact, run, k, speed);
    contact->past.left[k] = moves && trm_contact_is_undetermined(contact, k);
    return moves && (left || !contact->past.left[k]);
}

static point_of_row look(trm_contact *contact, const trm_run *run, const trm_force_point *point,
                         int k)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    point_of_row at = {.row = row, .k = k, .n = row->mate >= 0 ? 2 : 1};
    at.index[0] = k;
    at.index[1] = row->mate;
    at.speed = trm_contact_length(contact, contact->rate, k);
    contact->past.fastest[k] = fmax(contact->past.fastest[k], at.speed);
    at.load = row->coefficient > 0 ? load_of(contact, k, point->lambda) : 0;
    at.touches = trm_contact_is_smooth(contact, k) ||
                 (row->friction.given && (row->normal < 0 || contact->hold[row->normal]));
    // several rates may pass zero at the end of a step, to what they gain in the rounding of t
    const double *const a = run->now.dz + run->system->nq,
                        gain = fmax(fabs(trm_contact_moved(contact, a, k)),
                                    fabs(trm_contact_moved(contact, a, at.index[at.n - 1])));
    const double rate = at.speed - point->known * gain;
    at.decided = is_decided(contact, run, k, rate, point->released == 1 + k);
    return at;
}

/// N or N m: the largest friction where it sticks.
static double bound_of(const trm_contact *contact, const point_of_row *at)
{
    return at->touches ? trm_contact_sticking(contact, at->k) + at->load : 0;
}

/// The friction along row j where it slides.
static double sliding_friction(const trm_contact *contact, const point_of_row *at, int j)
{
    const trm_scene_friction *const f = &at->row->friction;
    const double u = at->speed, rate = contact->rate[j];
    const double x = f->stribeck > 0 ? u / f->stribeck : INFINITY;
    const double more = (f->sticking - f->sliding) * exp(-x * x);
    const double dry = contact->scale[at->k] * (f->sliding + more) + at->load;
    const double along = f->regularized > 0 ? rate / hypot(f->regularized, u)
                         : u > 0            ? rate / u
                                            : 0;
    return at->touches ? -along * dry - f->viscous * rate : 0;
}

/// How far the forces p[n] of the row are from the law of friction.
static double friction_gap(const trm_contact *contact, const point_of_row *at, const double *p)
{
    const trm_scene_friction *const f = &at->row->friction;
    double length = 0, gap = 0;
    for (int i = 0; i < at->n; i++) {
        length = hypot(length, p[i]);
        gap = hypot(gap, p[i] - sliding_friction(contact, at, at->index[i]));
    }
    return at->decided || f->regularized > 0
               ? gap
               : fmax(length - bound_of(contact, at) - f->viscous * at->speed, 0);
}

// --------------------------------------------------------------------------------------- contacts

/// The side at which a limit of the row may press now: 1 drives x up; 0: neither.
static int side_of(const trm_contact *contact, int k)
{
    const int hold = contact->hold[k];
    return hold == TRM_HOLD_LOW ? 1 : hold == TRM_HOLD_HIGH ? -1 : -contact->presses[k];
}

/// What friction adds to the force of a compliant limit.
static double slides_at(const trm_contact *contact, const point_of_row *at)
{
    return at->touches && !contact->hold[at->k] ? sliding_friction(contact, at, at->k) : 0;
}

/// The amount by which the limit pulls. A rigid one shares its row with friction within the bound.
static double pull_of(const trm_contact *contact, const point_of_row *at, int side)
{
    const double p = contact->force[at->k];
    return contact->hold[at->k] ? -side * p - bound_of(contact, at)
                                : -side * (p - slides_at(contact, at));
}

/// A closed limit that presses has no gap: the gap, over the size, times the part of the force.
static double open_force(const trm_contact *contact, const point_of_row *at, int side, double size)
{
    const double x = contact->x[at->k], limit = side > 0 ? at->row->lo : at->row->hi;
    const double length = at->row->unit[0] == 'm' ? size : 1;
    const double gap = side * (x - limit) / length;
    return contact->hold[at->k] ? fabs(gap * contact->force[at->k])
           : gap > 0
               ? fabs(contact->force[at->k] - slides_at(contact, at)) // compliant, out of touch
               : 0;
}

static double grain_of(const trm_contact *contact, const point_of_row *at)
{
    return at->n == 2 ? trm_contact_pair_grain(contact, at->k) : contact->grain[at->k];
}

/// Notes a gap of forces of row k, N or N m, as a part of the largest force there so far. In the
/// last moment of a step that a change ends all forces may jump: what does not last is none.
static void note(trm_force_check *check, const trm_contact *contact, const trm_run *run, int k,
                 int ended, double gap, double *largest)
{
    const double part = gap > 0 ? gap / contact->past.most[k] : isnan(gap) ? INFINITY : 0;
    const int lasts = !ended || contact->past.beyond[k] || isnan(gap);
    contact->past.beyond[k] = part > TRM_CONTACT_GRAIN; // forces and loads agree to that
    if (!lasts) {
        return;
    }
    if (part > fmax(check->friction, check->contacts)) {
        check->worst = k;
        check->t_worst = run->now.t;
    }
    *largest = fmax(part, *largest);
}

/// Power of friction and limits by the law, W; what no law gives is as it is. *amounts: of them.
static double power_of(const trm_contact *contact, const point_of_row *at, int side,
                       double *amounts)
{
    double sum = 0;
    for (int i = 0; i < at->n; i++) {
        const int j = at->index[i];
        const int by_law = !side && (at->row->friction.regularized > 0 ||
                                     (at->row->friction.given && at->decided));
        const double p = by_law ? sliding_friction(contact, at, j) : contact->force[j];
        const double power = p != 0 ? p * (contact->rate[j] - contact->g_t[j]) : 0;
        sum += power;
        *amounts += fabs(power);
    }
    return sum;
}

/// Where the force of a limit jumps below zero, over an edge, the step ends behind the jump; where
/// friction lets go it ends beyond the bound by what the time is rounded to.
static int has_let_go(const trm_contact *contact, const trm_force_point *point, int k)
{
    const int normal = contact->model->contacts[k].normal, limit = normal >= 0 ? normal : k;
    return (1 + k == point->released && contact->hold[k] == TRM_HOLD_STICKS) ||
           (1 + limit == point->released && contact->hold[limit] &&
            side_of(contact, limit) * contact->force[limit] < 0);
}

void trm_force_check_add(trm_force_check *check, trm_contact *contact, const trm_run *run,
                         const trm_force_point *point)
{
    double power = 0, amounts = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (trm_contact_is_second(contact, k)) {
            continue;
        }
        if (contact->model->contacts[k].input >= 0) { // no law gives its force, as of a joint
            const double p = contact->hold[k] ? contact->force[k] : 0;
            power += p != 0 ? p * (contact->rate[k] - contact->g_t[k]) : 0;
            continue;
        }
        const point_of_row at = look(contact, run, point, k);
        if (has_let_go(contact, point, k)) {
            power += power_of(contact, &at, 1, &amounts); // as it is
            continue;
        }
        const int side = side_of(contact, k);
        double p[2] = {contact->force[k], at.n == 2 ? contact->force[at.index[1]] : 0};
        contact->past.most[k] =
            fmax(contact->past.most[k], fmax(bound_of(contact, &at), hypot(p[0], p[1])));
        // a step ends where a force is beyond its bound by its grain, and the force has a grain
        const double grain = 2 * grain_of(contact, &at);
        if (side) {
            const double pull = pull_of(contact, &at, side);
            const double open = open_force(contact, &at, side, point->size);
            note(check, contact, run, k, point->released, fmax(pull, open) - grain,
                 &check->contacts);
        } else {
            double *const largest = at.touches ? &check->friction : &check->contacts;
            note(check, contact, run, k, point->released, friction_gap(contact, &at, p) - grain,
                 largest);
        }
        power += power_of(contact, &at, side, &amounts);
    }
    check->work += point->h * amounts;
    check->work_gap += point->h * fabs(point->booked - power);
}

// -------------------------------------------------------------------------------------- reactions

/// |f| in the mass metric, sqrt(f^T M^-1 f). x: room.
static double length_of(trm_system *system, const double *f, double *x)
{
    double sum = 0;
    memcpy(x, f, (size_t)system->nv * sizeof *f);
    trm_system_solve_M(system, x);
    for (int i = 0; i < system->nv; i++) {
        sum += f[i] * x[i];
    }
    return sqrt(fmax(sum, 0));
}

/// r -= p_k G_k^T. Returns the length of that.
static double add_force(const trm_run *run, int k, double *r, double *x, double *term)
{
    const trm_sparse_row *const reach = &run->contact->sparse[k];
    double sum = 0;
    for (int i = 0; i < reach->n; i++) {
        x[i] = term[i] = run->contact->force[k] * reach->G[i];
        r[reach->column[i]] -= term[i];
    }
    trm_contact_solve_M(run->contact, run->system, k, 1, x);
    for (int i = 0; i < reach->n; i++) {
        sum += term[i] * x[i];
    }
    return sqrt(fmax(sum, 0));
}

/// r += G^T lambda - sum p_k G_k^T. Returns the sum of the lengths of the terms.
static double add_reactions(const trm_run *run, double *r, double *x, double *term)
{
    trm_system *const system = run->system;
    const trm_contact *const contact = run->contact;
    double lengths = 0;
    if (system->nc > 0) {
        trm_system_multiply_GT(system, run->now.lambda, term);
        lengths += length_of(system, term, x);
        for (int i = 0; i < system->nv; i++) {
            r[i] += term[i];
        }
    }
    for (int k = contact ? contact->near[0] : 0; contact && k < contact->n;
         k = contact->near[k + 1]) {
        if (contact->force[k] != 0) {
            lengths += add_force(run, k, r, x, term);
        }
    }
    return lengths;
}

/// max_i |(G a - gamma)_i|/extent_i over the largest of a and M^-1 f in such units.
static double acceleration_gap(const trm_run *run, const double *f, const trm_force_room *room)
{
    trm_system *const system = run->system;
    const double *const v = run->now.z + system->nq, *const a = run->now.dz + system->nq;
    double gap = 0, fastest = 0;
    if (system->nc == 0 || trm_system_acceleration_residual(system, v, a, room->c)) {
        return 0;
    }
    trm_system_leave_out(system, room->c); // what redundant rows contradict each other by
    memcpy(room->x, f, (size_t)system->nv * sizeof *f);
    trm_system_solve_M(system, room->x);
    for (int i = 0; i < trm_system_motions(system); i++) {
        fastest = fmax(fastest, fmax(fabs(a[i]), fabs(room->x[i])) / run->extent.v[i]);
    }
    for (int i = 0; i < system->nc; i++) {
        gap = fmax(gap, fabs(room->c[i]) / run->extent.g[i]);
    }
    return gap > 0 ? gap / fastest : 0;
}

double trm_force_check_reactions(const trm_run *run, const trm_force_room *room)
{
    trm_system *const system = run->system;
    const size_t size = (size_t)system->nv * sizeof(double);
    const double *const v = run->now.z + system->nq, *const a = run->now.dz + system->nq;
    double *const r = room->r, power;
    if (trm_system_position(system, run->now.t, run->now.z) ||
        trm_system_force(system, v, room->f, &power)) {
        return NAN;
    }
    const double accelerations = acceleration_gap(run, room->f, room);
    memcpy(r, a, size);
    trm_system_multiply_M(system, r);
    double lengths = length_of(system, room->f, room->x) + length_of(system, r, room->x);
    for (int i = 0; i < system->nv; i++) {
        r[i] -= room->f[i];
    }
    lengths += add_reactions(run, r, room->x, room->f);
    const double gap = length_of(system, r, room->x);
    return lengths <= room->least ? 0 : fmax(gap > 0 ? gap / lengths : 0, accelerations);
}
