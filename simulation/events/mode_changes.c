/// Switches of the state: their branches, and the times of changes.
#include "engine/enclosure/switch_numbers.h"
#include "simulation/events/switching_functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------- hovering
//
// A motion may come to rest on an edge: under -sign(v)*sqrt(abs(v)) v is zero after a finite time,
// and stays zero. Rounding alone then decides on which side of the edge it is, and each change of
// the branch leads to the next one. So a switch that changes several times in a row within
// rounding of its edge keeps its branch as long as it stays there. The formula of the branch is
// continued behind the edge, with its value at the edge where it has no other. If this formula
// drives the motion away from the edge, as -sign(v) does, the switch changes as usual.

static double rounding_at_edge(const trm_hover *hover)
{
    return TRM_SWITCH_EDGE * DBL_EPSILON * hover->reach;
}

/// The step is accepted with the functions g1.
static void note_hovering(trm_ahead *ahead, const trm_run *run)
{
    for (int k = 0; k < ahead->model->nswitches; k++) {
        trm_hover *const hover = &ahead->hover[k];
        const double d = ahead->timed[k] ? NAN : fabs(trm_ahead_inside(ahead, k, ahead->g1[k]));
        hover->rests = hover->stays;
        hover->stays = hover->turns = 0;
        if (isfinite(d)) {
            hover->reach = fmax(hover->reach, d);
            hover->strayed = fmax(hover->strayed, d);
            hover->count = hover->strayed > rounding_at_edge(hover) ? 0 : hover->count;
            hover->through = d > hover->through ? 0 : hover->through;
            const double middle = fabs(trm_ahead_inside(ahead, k, ahead->g_middle[k]));
            const int far = !(fmax(d, middle) <= run->options.rtol * hover->reach);
            hover->within = far ? 0 : hover->within;
        }
    }
}

/// Whether switch k stays on its edge in the step just taken: hovering, or in a step too short to
/// bring it behind the edge that it has gone through.
static int hovers(const trm_ahead *ahead, const trm_run *run, int k)
{
    const trm_hover *const hover = &ahead->hover[k];
    const double d = fmax(fabs(trm_ahead_inside(ahead, k, ahead->g_middle[k])),
                          fabs(trm_ahead_inside(ahead, k, ahead->g1[k])));
    const int short_step = run->now.t - run->before.t <= 4 * trm_ahead_slack(run);
    return (short_step && hover->through > 0 && d <= hover->through) ||
           (hover->count >= TRM_SWITCH_HOVERS && d <= rounding_at_edge(hover));
}

// ---------------------------------------------------------------------------------------- settling

double trm_ahead_rate(trm_ahead *ahead, trm_run *run, int which)
{
    trm_system *system = run->system;
    double later;
    trm_ahead_a_little_later(ahead, run, &later);
    trm_system_switching(system, later, ahead->z, ahead->z + system->nq, ahead->g_inside);
    const double after = ahead->g_inside[which];
    trm_system_switching(system, run->now.t, run->now.z, run->now.z + system->nq, ahead->g0);
    return (after - ahead->g0[which]) / (later - run->now.t);
}

/// How far from its edge rounding may have left the function of switch k, which moves by `rate`: of
/// its variables and terms, and of the time.
static double blur(trm_ahead *ahead, trm_run *run, int k, double rate, double part)
{
    const trm_switch_place at = trm_ahead_place_of(ahead, k);
    return rate * trm_ahead_slack(run) +
           trm_ahead_blur(ahead, run, at.formula, at.k, &run->now, part, NULL, 0);
}

/// The branch of switch k where its function is `now`, and `later` behind an edge that it is on.
static trm_branch fresh(trm_ahead *ahead, int k, double now, double later)
{
    ahead->branch[k] = trm_ahead_branch_of(ahead, k, now);
    return trm_ahead_inside(ahead, k, now) == 0 ? trm_ahead_branch_of(ahead, k, later)
                                                : ahead->branch[k];
}

/// The branch of switch k behind a change of inputs, or of velocities by an impact, from its
/// functions at now, g0, and `delta` later, g_inside. Where they are on different sides of an edge
/// of the branch that was in force, and now is there to rounding, the later one decides.
static trm_branch settled(trm_ahead *ahead, trm_run *run, int k, double delta)
{
    const double now = ahead->g0[k], later = ahead->g_inside[k];
    const double d = trm_ahead_inside(ahead, k, now), d_later = trm_ahead_inside(ahead, k, later);
    const int in = d >= 0, in_later = d_later >= 0;
    if (ahead->unsettled || (!in && !in_later)) {
        return fresh(ahead, k, now, later);
    }
    if (in && in_later) {
        return ahead->branch[k];
    }
    const double rate = fabs(d_later - d) / delta;
    const int on_edge = fabs(d) <= blur(ahead, run, k, rate, TRM_SWITCH_EDGE * DBL_EPSILON);
    const int stays = on_edge ? in_later : in;
    return stays ? ahead->branch[k] : fresh(ahead, k, on_edge ? later : now, later);
}

static void settle_one(trm_ahead *ahead, trm_run *run, int k, double delta)
{
    const trm_branch before = ahead->branch[k];
    ahead->hover[k].through = 0;
    ahead->branch[k] = ahead->then[k];
    ahead->branch[k] = settled(ahead, run, k, delta);
    trm_ahead_lay_down(ahead, run, k, ahead->g0[k], ahead->g_inside[k]);
    ahead->changed |= ahead->branch[k] != before || ahead->branch[k] != ahead->then[k];
}

/// All of them once, from functions under the branches held (NULL: of the functions themselves).
/// Returns how many have another branch than before, or have begun to rest.
static int settle_all(trm_ahead *ahead, trm_run *run, const trm_branch *held)
{
    trm_system *const system = run->system;
    double later;
    int moved = 0;
    trm_system_hold(system, held);
    trm_ahead_a_little_later(ahead, run, &later);
    trm_system_switching(system, later, ahead->z, ahead->z + system->nq, ahead->g_inside);
    trm_system_switching(system, run->now.t, run->now.z, run->now.z + system->nq, ahead->g0);
    for (int k = 0; k < system->nswitches; k++) {
        if (!ahead->timed[k]) {
            const trm_branch before = ahead->branch[k];
            const int rested = ahead->hover[k].rests;
            settle_one(ahead, run, k, later - run->now.t);
            moved += ahead->branch[k] != before || ahead->hover[k].rests > rested;
        }
    }
    return moved;
}

static int is_one_resting(const trm_ahead *ahead)
{
    int n = 0;
    for (int k = 0; k < ahead->model->nswitches; k++) {
        n += ahead->hover[k].rests;
    }
    return n > 0;
}

/// Functions of functions: again under the branches found, from the inner ones to the outer ones.
/// Rounding leaves an inner function before its edge that has gone through it, as mod(x, 1) where
/// an event at x = 0 changes the force. A state that is given lies on its edges exactly: there
/// functions have the values of this moment, mod(x, 1) == 0 holds, unless one rests.
void trm_ahead_settle(trm_ahead *ahead, trm_run *run)
{
    const int n = run->system->nswitches;
    ahead->h_before = 0;
    if (ahead->nstate == 0) {
        return;
    }
    ahead->gap_seen = 0;
    (void)settle_all(ahead, run, NULL);
    for (int i = 0; i < n && (!ahead->unsettled || is_one_resting(ahead)); i++) {
        if (settle_all(ahead, run, ahead->branch) == 0) {
            break;
        }
    }
    trm_system_hold(run->system, NULL);
    memcpy(ahead->then, ahead->branch, (size_t)n * sizeof *ahead->then);
}

// ---------------------------------------------------------------------------------------- locating

/// Functions in the middle of the step, in ahead->g_middle: of the cubic through both ends with
/// their rates, which needs no dense output. Those of contacts that hold need forces: they stay.
static void functions_in_the_middle(trm_ahead *ahead, trm_run *run)
{
    const double t = run->before.t + 0.5 * (run->now.t - run->before.t);
    const int held = run->contact && trm_contact_list_held(run->contact) > 0;
    trm_ahead_between(run, 0.5, ahead->z);
    memcpy(ahead->g_middle, ahead->g0, (size_t)ahead->nall * sizeof *ahead->g0);
    (void)trm_ahead_functions_at(ahead, run, t, ahead->z, held ? 0 : -1, ahead->g_middle);
}

/// Whether switch k may have been outside within the step although it is inside at the end: its
/// distance is small relative to its changes in this step and the last.
static int may_have_left(const trm_ahead *ahead, const trm_run *run, int k)
{
    const double h = run->now.t - run->before.t;
    const double g0 = ahead->g0[k], g1 = ahead->g1[k], middle = ahead->g_middle[k];
    const double here = fmax(fabs(g1 - g0), fmax(fabs(middle - g0), fabs(middle - g1)));
    const double last =
        ahead->h_before > 0 ? fabs(g0 - ahead->g_left[k]) * h / ahead->h_before : INFINITY;
    const double nearest =
        fmin(fmin(trm_ahead_inside(ahead, k, g0), trm_ahead_inside(ahead, k, g1)),
             trm_ahead_inside(ahead, k, middle));
    return !(nearest > TRM_SWITCH_NEAR * fmax(here, last));
}

/// A moment: a time in the step, and how far inside a switch is there.
typedef struct moment {
    double t, d;
} moment;

/// A moment outside, by more than is given to a function that comes to its edge, or leaves it.
static int is_out(const trm_ahead *ahead, moment m)
{
    return m.d < -ahead->given;
}

static moment moment_at(trm_ahead *ahead, trm_run *run, int k, double t)
{
    if (trm_ahead_switching_at(ahead, run, t, k, ahead->g_inside)) {
        return (moment){t, NAN};
    }
    return (moment){t, trm_ahead_inside(ahead, k, ahead->g_inside[k])};
}

/// The first moment outside, between a moment inside and a moment outside: the Illinois method,
/// with bisection where it is slow.
static double edge(trm_ahead *ahead, trm_run *run, int k, moment in, moment out)
{
    enum { MOST = 100 };
    double weight_in = in.d, weight_out = out.d;
    int last = 0;
    for (int i = 0; i < MOST; i++) {
        const double width = out.t - in.t;
        if (!(width > 2 * DBL_EPSILON * fabs(out.t))) {
            break;
        }
        const double x = weight_in / (weight_in - weight_out);
        const int slow = i % 3 == 2 || !(x > 0 && x < 1);
        double t = in.t + (slow ? 0.5 : x) * width;
        t = t > in.t && t < out.t ? t : in.t + 0.5 * width;
        const moment here = moment_at(ahead, run, k, t);
        if (!(t > in.t && t < out.t) || isnan(here.d)) {
            break;
        }
        if (here.d >= 0) {
            in = here;
            weight_in = here.d;
            weight_out *= last == 1 ? 0.5 : 1;
            last = 1;
        } else {
            out = here;
            weight_out = here.d;
            weight_in *= last == -1 ? 0.5 : 1;
            last = -1;
        }
    }
    return out.t;
}

/// The minimum of a smooth d between three moments, the middle one
/// lowest: by thirds of the parabola.
static moment lowest(trm_ahead *ahead, trm_run *run, int k, moment a, moment b, moment c)
{
    enum { MOST = 12 };
    for (int i = 0; i < MOST && b.d >= 0; i++) {
        const double p = (b.t - a.t) * (b.d - c.d), q = (b.t - c.t) * (b.d - a.d);
        const double top = (b.t - a.t) * p - (b.t - c.t) * q;
        double t = b.t - 0.5 * top / (p - q);
        if (!(t > a.t && t < c.t) || t == b.t) {
            t = b.t - a.t > c.t - b.t ? 0.5 * (a.t + b.t) : 0.5 * (b.t + c.t);
        }
        const moment here = moment_at(ahead, run, k, t);
        if (here.d < b.d) {
            a = t > b.t ? b : a;
            c = t > b.t ? c : b;
            b = here;
        } else if (t > b.t) {
            c = here;
        } else {
            a = here;
        }
    }
    return b;
}

enum { PARTS = TRM_STEP_PARTS };

/// At the end of part i of the step.
static moment moment_of_part(trm_ahead *ahead, trm_run *run, int k, int i)
{
    const double t0 = run->before.t, h = run->now.t - t0;
    return (moment){t0 + h * i / PARTS,
                    trm_ahead_inside(ahead, k, trm_ahead_part(ahead, run, k, i))};
}

/// Roundoff of a gap; zero of other functions.
static double mesh_of(const trm_ahead *ahead, const trm_run *run, int k)
{
    const int i = k - ahead->model->nswitches;
    return i >= 0 && i % TRM_CONTACT_FUNCTIONS < 2 ? run->contact->mesh[i / TRM_CONTACT_FUNCTIONS]
                                                   : 0;
}

/// A step begins on the edge, after a change. Moments at ever shorter distances show whether the
/// switch goes inside (the moment at the beginning then counts as inside) or leaves, at the time
/// returned. INFINITY: it does not leave before m[1].
static double begins(trm_ahead *ahead, trm_run *run, int k, moment *m)
{
    enum { MOST = 24 };
    const double slack = trm_ahead_slack(run), t0 = m[0].t;
    double largest = 0;
    for (int i = 1; i <= PARTS; i++) {
        largest = fmax(largest, fabs(m[i].d));
    }
    const double noise =
        TRM_SWITCH_ROUNDING * largest + 8 * (fabs(m[0].d) + mesh_of(ahead, run, k));
    moment near[MOST] = {m[1]};
    int n = 1;
    while (n < MOST && (near[n - 1].t - t0) / 4 > slack) {
        near[n] = moment_at(ahead, run, k, t0 + (near[n - 1].t - t0) / 4);
        if (!(fabs(near[n].d) > noise)) {
            break;
        }
        n++;
    }
    m[0] = near[n - 1];
    if (m[0].d < 0) {
        return t0;
    }
    for (int i = n - 2; i >= 0; i--) {
        if (near[i].d < 0) {
            return edge(ahead, run, k, near[i + 1], near[i]);
        }
    }
    return INFINITY;
}

/// The first moment outside in a dip between a and c: by the parabola through three moments, of
/// which any may be lowest. INFINITY: it stays inside.
static double dips(trm_ahead *ahead, trm_run *run, int k, const moment m[3])
{
    const double p = (m[1].t - m[0].t) * (m[1].d - m[2].d);
    const double q = (m[1].t - m[2].t) * (m[1].d - m[0].d);
    const double top = (m[1].t - m[0].t) * p - (m[1].t - m[2].t) * q;
    const double t = m[1].t - 0.5 * top / (p - q);
    const int first = t > m[0].t && t<m[1].t, second = t> m[1].t && t < m[2].t;
    const moment *a = first ? &m[0] : &m[1];
    const int turned_down = m[1].d > fmin(m[0].d, m[2].d) && m[1].d > fmax(m[0].d, m[2].d);
    if ((!first && !second && t != m[1].t) || turned_down) {
        return INFINITY;
    }
    moment low = t == m[1].t ? m[1] : moment_at(ahead, run, k, t);
    if (low.d >= 0 && low.d < a[0].d && low.d < a[1].d) {
        low = lowest(ahead, run, k, a[0], low, a[1]);
    } else if (low.d >= 0 && m[1].d <= m[0].d && m[1].d <= m[2].d) {
        low = lowest(ahead, run, k, m[0], m[1], m[2]);
    }
    return is_out(ahead, low)
               ? edge(ahead, run, k, low.t > m[1].t && m[1].d >= 0 ? m[1] : m[0], low)
               : INFINITY;
}

/// When switch k leaves its branch first; INFINITY: it does not.
static double leaves(trm_ahead *ahead, trm_run *run, int k)
{
    const double t0 = run->before.t;
    moment m[PARTS + 1];
    m[0] = (moment){t0, trm_ahead_inside(ahead, k, ahead->g0[k])};
    m[PARTS] = (moment){run->now.t, trm_ahead_inside(ahead, k, ahead->g1[k])};
    for (int i = 1; i < PARTS; i++) {
        m[i] = moment_of_part(ahead, run, k, i);
    }
    const int on_edge = m[0].d <= 8 * mesh_of(ahead, run, k) && !(ahead->given > 0);
    double first = on_edge ? begins(ahead, run, k, m) : INFINITY;
    int in = 0; // the last one that is not outside
    for (int i = 1; i <= PARTS && isinf(first); i++) {
        first = is_out(ahead, m[i]) ? edge(ahead, run, k, m[in], m[i]) : INFINITY;
        in = m[i].d < 0 ? in : i;
        if (i < PARTS && isinf(first) && !is_out(ahead, m[i + 1])) {
            first = dips(ahead, run, k, &m[i - 1]);
        }
    }
    return first;
}

/// When switch k leaves its branch in a window before `to`, where the ends of the parts of the
/// step are inside; INFINITY: it does not.
static double leaves_in_a_window(trm_ahead *ahead, trm_run *run, int k, double to)
{
    const double t0 = run->before.t, h = run->now.t - t0;
    const trm_switch_place at = trm_ahead_place_of(ahead, k);
    const double t =
        trm_ahead_hidden(ahead, run, at.formula, at.k, fmin(to, run->now.t) - trm_ahead_slack(run));
    const moment in = {t0, trm_ahead_inside(ahead, k, ahead->g0[k])};
    for (int i = 0; isfinite(t) && i < TRM_SWITCH_TRIES; i++) {
        const double later = h * trm_try(i, TRM_SWITCH_LATER, TRM_SWITCH_LATER_RATIO);
        const moment out = moment_at(ahead, run, k, t + later);
        if (is_out(ahead, out) && out.t < to) {
            return in.d > 0 ? edge(ahead, run, k, in, out) : out.t;
        }
    }
    return INFINITY;
}

int trm_ahead_contact_of(const trm_ahead *ahead, int which)
{
    const int i = which - ahead->model->nswitches;
    return i < 0 ? -1 : i / TRM_CONTACT_FUNCTIONS;
}

/// A contact whose slip comes to its end: what is zero there with it, stays so.
static int is_halt(const trm_ahead *ahead, int which)
{
    const int i = which - ahead->model->nswitches;
    return i >= 0 && i % TRM_CONTACT_FUNCTIONS == TRM_CONTACT_SLIP;
}

double trm_ahead_locate(trm_ahead *ahead, trm_run *run, int *which)
{
    trm_system *system = run->system;
    const double slack = trm_ahead_slack(run);
    double first = INFINITY;
    int turned = -1;
    *which = -1;
    ahead->undefined = 0;
    ahead->parted = ahead->path_parts = ahead->gap_seen = 0;
    if (ahead->nstate == 0) {
        return first;
    }
    if (run->contact) {
        trm_contact_aim_anew(run->contact, system, run->before.t, run->before.z);
    }
    (void)trm_ahead_functions_at(ahead, run, run->before.t, run->before.z, -1, ahead->g0);
    functions_in_the_middle(ahead, run);
    (void)trm_ahead_functions_at(ahead, run, run->now.t, run->now.z, -1, ahead->g1);
    for (int k = 0; k < ahead->nall; k++) {
        const int timed = k < system->nswitches && ahead->timed[k];
        const int own = k < system->nswitches && !timed;
        ahead->given = 0;
        if (k < system->nswitches) {
            ahead->leaves[k] = INFINITY;
        }
        const trm_rest rest = own ? trm_ahead_rest(ahead, run, k) : TRM_REST_NONE;
        turned = rest == TRM_REST_TURNS ? k : turned;
        if (rest != TRM_REST_NONE || (own && hovers(ahead, run, k))) {
            continue;
        }
        const int left = trm_ahead_inside(ahead, k, ahead->g1[k]) < -ahead->given;
        ahead->undefined |= !timed && isnan(ahead->g1[k]);
        const int looked = !timed && (left || may_have_left(ahead, run, k));
        double t = looked ? leaves(ahead, run, k) : INFINITY;
        if (own) {
            t = fmin(t, leaves_in_a_window(ahead, run, k, fmin(t, first)));
            ahead->leaves[k] = t;
        }
        if (isfinite(t)) {
            // of several at once it is the one that the others may depend on
            const int halt = is_halt(ahead, k) && t <= first + slack;
            *which = halt || t < first - slack || (t < first && *which < 0) ? k : *which;
            first = fmin(first, t);
        }
    }
    ahead->given = 0;
    if (turned >= 0 && first >= run->now.t - slack) { // else the step gets shorter first
        *which = turned;
        return run->before.t;
    }
    return first;
}

// ---------------------------------------------------------------------------------------- changing

/// The branch next to the one in force, on the side where g has left it. A branch that is a point,
/// as sign(x) at 0, is left to the side where its function is `later`.
static trm_branch beyond(const trm_ahead *ahead, int which, double g, double later)
{
    const trm_switch_place at = trm_ahead_place_of(ahead, which);
    double lo, hi;
    if (trm_ahead_is_angle(ahead, which)) {
        return -ahead->branch[which]; // beyond either edge
    }
    trm_switch_interval(at.formula->f.code, at.k, ahead->branch[which], &lo, &hi);
    const int up = lo < hi ? fabs(g - hi) < fabs(g - lo) : later > hi;
    if (lo == hi && later == hi) {
        return ahead->branch[which]; // it has not left yet
    }
    const double edge_of = up ? hi : lo;
    const double little = 2 * fmax(DBL_EPSILON * fabs(edge_of), DBL_MIN); // not subnormal
    const double next = edge_of + (up ? little : -little);
    return trm_switch_branch(at.formula->f.code, at.k, next);
}

static void note_change(trm_ahead *ahead, const trm_run *run, int which)
{
    if (which < ahead->model->nswitches) {
        ahead->hover[which].count++;
        ahead->hover[which].within++;
        ahead->hover[which].strayed = 0;
        ahead->latest = which;
    } else { // changes of contacts have a bound of their own (trm_sim_turn_contact)
        ahead->mark = ahead->switched + 1;
        ahead->t_mark = run->now.t;
    }
    const int same = run->now.t - ahead->t_stuck <= trm_ahead_slack(run);
    ahead->stuck = same ? ahead->stuck + 1 : 1;
    ahead->t_stuck = run->now.t;
    ahead->switched++;
    ahead->changed = 1; // rates are others from here on
    ahead->expected = -INFINITY;
}

/// Whether the function of switch k, which has jumped from `before` to `now`, has come to no edge.
static int is_clear(const trm_ahead *ahead, int k, double before, double now)
{
    const double most = fmax(fmax(fabs(now), fabs(before)), ahead->hover[k].reach);
    const double rounding = TRM_SWITCH_JUMP * most;
    return trm_ahead_branch_of(ahead, k, now - rounding) ==
           trm_ahead_branch_of(ahead, k, now + rounding);
}

/// Whether switch k, whose function has jumped from `before` to `now`, leaves the branch `then`: it
/// is outside there and a little later, which is no rounding at an edge, or clear of edges.
static int jumps_out(const trm_ahead *ahead, int k, double before, double now, double later)
{
    return fabs(now - before) > TRM_SWITCH_JUMP * fmax(fabs(now), fabs(before)) &&
           trm_ahead_branch_of(ahead, k, now) != ahead->then[k] &&
           (trm_ahead_branch_of(ahead, k, later) != ahead->then[k] ||
            is_clear(ahead, k, before, now));
}

/// Whether switch k has come to rest on an edge whose branch, *of, is not `then`, as step(x, 0, 1)
/// >= 1 does from x = 1 on. What a step has shown to leave its edge at this time does not rest
/// there, though rounding may hide that a little later, as of t^3 at 0. Functions as of
/// look_behind.
static int comes_to_rest(trm_ahead *ahead, trm_run *run, int k, trm_branch *of)
{
    return run->now.t > ahead->hover[k].t_left &&
           trm_ahead_on_edge(ahead, run, k, ahead->g_inside[k], ahead->g_parts[k], of) &&
           *of != ahead->then[k];
}

/// Functions under the branches to come: at now, in ahead->g_inside, and so much later as is
/// returned, s, in ahead->g_parts. The system holds these branches, and is at now.
static double look_behind(trm_ahead *ahead, trm_run *run)
{
    trm_system *system = run->system;
    const double *z = run->now.z;
    double later;
    trm_system_hold(system, ahead->then);
    trm_ahead_a_little_later(ahead, run, &later);
    trm_system_switching(system, later, ahead->z, ahead->z + system->nq, ahead->g_parts);
    trm_system_switching(system, run->now.t, z, z + system->nq, ahead->g_inside);
    return later - run->now.t;
}

/// Whether the step that has been tried tells the branch of switch k, whatever rounding makes of
/// its function: it leaves its rest, or it rests and is still there, and not on another edge as
/// floor(sign(x)) is after x = 0. Functions as of look_behind.
static int is_settled_by_rest(trm_ahead *ahead, trm_run *run, int k)
{
    trm_branch of;
    const trm_hover *const hover = &ahead->hover[k];
    return run->now.t < hover->t_away ||
           (hover->rests &&
            trm_ahead_on_edge(ahead, run, k, ahead->g_inside[k], ahead->g_parts[k], &of) &&
            of == ahead->then[k]);
}

/// The branch of switch k whose function has jumped to `now`, and goes from there to `later`. Where
/// it has jumped to an edge, to rounding, it is the branch ahead: floor(mod(x, 1)) is 0 and not -1
/// where x goes through 1. A part of the way is enough, since rounding is unknown where intervals
/// enclose the jump.
static trm_branch landed(trm_ahead *ahead, trm_run *run, int k, double before, double delta)
{
    const double now = ahead->g_inside[k], way = ahead->g_parts[k] - now;
    if (is_clear(ahead, k, before, now)) {
        return trm_ahead_branch_of(ahead, k, now);
    }
    const double width = blur(ahead, run, k, fabs(way) / delta, TRM_SWITCH_EDGE * DBL_EPSILON);
    return trm_ahead_branch_of(ahead, k, now + copysign(fmin(width, fabs(way) / PARTS), way));
}

/// The innermost switch of a formula that has jumped out turns: those further out have functions of
/// it. Numbers go from the inner to the outer ones. Returns zero where there is none.
static int ripple_of(trm_ahead *ahead, trm_run *run, const trm_changing *formula, const double *g,
                     double delta)
{
    const int first = formula->f.first_switch;
    for (int k = first; k < first + trm_expression_switches(formula->f.code); k++) {
        const double now = ahead->g_inside[k], later = ahead->g_parts[k];
        trm_branch of;
        if (ahead->timed[k] || is_settled_by_rest(ahead, run, k)) {
            continue;
        }
        if (comes_to_rest(ahead, run, k, &of)) {
            ahead->then[k] = of;
            return 1;
        }
        if (jumps_out(ahead, k, g[k], now, later)) {
            ahead->then[k] = landed(ahead, run, k, g[k], delta);
            return 1;
        }
    }
    return 0;
}

/// Where a formula jumps, the functions of switches that depend on it jump too: their branches
/// follow, one after the other. All at once, outer ones would turn by what inner ones are not:
/// mod(3*floor(x), 1) is no 3 where x goes through 0. Switches left on their edge keep their
/// branch, unless they rest there.
static void ripple(trm_ahead *ahead, trm_run *run, const double *g, const trm_branch *held)
{
    trm_system *system = run->system;
    int moved = 1;
    for (int pass = 0; moved && pass <= system->nswitches; pass++) {
        moved = 0;
        const double delta = look_behind(ahead, run);
        for (int i = 0; i < ahead->model->nchanging; i++) {
            moved |= ripple_of(ahead, run, &ahead->model->changing[i], g, delta);
        }
    }
    trm_system_hold(system, held);
}

/// What blur tells, at the end of a run: of its largest value in the run too, added up over the
/// steps as independent errors are.
static double blur_of_run(trm_ahead *ahead, trm_run *run, int k, double rate)
{
    const double part = TRM_SWITCH_EDGE * DBL_EPSILON * sqrt((double)run->stats.steps);
    const double reach =
        fmax(ahead->hover[k].reach, fabs(trm_ahead_inside(ahead, k, ahead->g_left[k])));
    return part * reach + blur(ahead, run, k, rate, part);
}

/// Whether switch k, near an edge of its branch at now, is beyond this edge and not the other one
/// later: floor(x) may be on its next branch but one.
static int same_edge(const trm_ahead *ahead, int k, double now, double later)
{
    const trm_switch_place at = trm_ahead_place_of(ahead, k);
    double lo, hi;
    trm_switch_interval(at.formula->f.code, at.k, ahead->branch[k], &lo, &hi);
    return lo == hi || (later > hi) == (fabs(now - hi) < fabs(now - lo));
}

/// Whether switch k is outside of the branch that was in force at now, or on its edge to rounding,
/// and by more than that `delta` later. Its functions are those of look_behind. At the end of a run
/// rounding is that of all steps, and the switch has not left its branch.
static int goes_through(trm_ahead *ahead, trm_run *run, int k, double delta, int at_end)
{
    const double d = trm_ahead_inside(ahead, k, ahead->g_inside[k]);
    const double d_later = trm_ahead_inside(ahead, k, ahead->g_parts[k]);
    if (!(d_later < 0 && fabs(d) < -d_later && (d >= 0 || !at_end)) ||
        !same_edge(ahead, k, ahead->g_inside[k], ahead->g_parts[k])) {
        return 0;
    }
    const double rate = (d - d_later) / delta;
    const double width = at_end ? blur_of_run(ahead, run, k, rate)
                                : blur(ahead, run, k, rate, TRM_SWITCH_EDGE * DBL_EPSILON);
    const int goes = d <= width && -d_later > width;
    ahead->hover[k].through = goes ? fmax(width, -d) : ahead->hover[k].through;
    return goes;
}

/// Whether the step has shown that switch k leaves its branch where switch `which` does. A little
/// later may be behind the end of an input's way, where the rates at now tell nothing: of
/// v > 1/2 and v < 1/2 the step would show the change of the first, and that of the other would be
/// lost. Only the innermost switch of another formula counts: functions of switches further out are
/// others as soon as that one has changed.
static int leaves_with(const trm_ahead *ahead, const trm_run *run, int k, int which)
{
    if (which < 0 || which >= ahead->model->nswitches || ahead->timed[k]) {
        return 0;
    }
    const trm_switch_place at = trm_ahead_place_of(ahead, k);
    const double latest = ahead->leaves[which] + trm_ahead_slack(run);
    int inner = at.formula == trm_ahead_place_of(ahead, which).formula;
    for (int i = at.formula->f.first_switch; i < k; i++) {
        inner |= ahead->leaves[i] <= latest || ahead->then[i] != ahead->branch[i];
    }
    return !inner && isfinite(latest) && ahead->leaves[k] <= latest;
}

/// A switch of the state that goes through its edge at now changes; `which` (-1: none) has done so.
/// Returns zero where there is none, or no more.
static int change_another(trm_ahead *ahead, trm_run *run, int which, int at_end)
{
    const double delta = look_behind(ahead, run);
    for (int k = 0; k < ahead->model->nswitches; k++) {
        const int may = k == which || (!ahead->timed[k] && ahead->then[k] == ahead->branch[k]);
        const int goes = may && goes_through(ahead, run, k, delta, at_end);
        if (k != which && (goes || (may && leaves_with(ahead, run, k, which)))) {
            ahead->then[k] = beyond(ahead, k, ahead->g_inside[k], ahead->g_parts[k]);
            note_change(ahead, run, k);
            return 1;
        }
    }
    return 0;
}

/// Switches change at now, where functions were g: those that go through their edges there, all at
/// once, and what jumps by that. One after the other, conditions of several would hold in between
/// that hold at no time: (x > 1) != (2*x > 2).
static void change_together(trm_ahead *ahead, trm_run *run, int which, const double *g, int at_end)
{
    int n = 0;
    if (is_halt(ahead, which)) {
        return;
    }
    while (n < ahead->model->nswitches && change_another(ahead, run, which, at_end)) {
        n++;
    }
    trm_system_hold(run->system, ahead->branch);
    if (n > 0 || !at_end) {
        ripple(ahead, run, g, ahead->branch);
    }
}

/// The function of switch `which`, g at the beginning of a step, where the step has shown it off
/// that value first: at the end of a part of it, or at its own end.
static double first_off(const trm_ahead *ahead, int which, double g)
{
    double value = g;
    for (int i = 0; i < PARTS - 1 && value == g && ahead->parted == 1; i++) {
        value = ahead->g_parts[i * ahead->nall + which];
    }
    return value == g ? ahead->g1[which] : value;
}

void trm_ahead_flip(trm_ahead *ahead, trm_run *run, int which)
{
    const int contact = which >= ahead->model->nswitches; // the run's matter
    if (!contact && ahead->hover[which].turns) {
        const int n = trm_ahead_turn_resting(ahead);
        for (int i = 0; i < n; i++) {
            note_change(ahead, run, which);
        }
    } else if (!contact) {
        const double g0 = ahead->g0[which];
        ahead->then[which] = beyond(ahead, which, g0, first_off(ahead, which, g0));
        ahead->hover[which].t_left = run->now.t;
        note_change(ahead, run, which);
    }
    if (ahead->model->nswitches > 0) {
        change_together(ahead, run, which, ahead->g0, 0);
    }
}

void trm_ahead_accept(trm_ahead *ahead, trm_run *run, int which)
{
    const int n = ahead->model->nswitches; // contacts are the run's matter
    const long switched = ahead->switched;
    double *const left = ahead->g_left;
    ahead->g_left = ahead->g0;
    ahead->g0 = left;
    ahead->h_before = run->now.t - run->before.t;
    memcpy(ahead->then, ahead->branch, (size_t)n * sizeof *ahead->then);
    trm_ahead_arrive(ahead, run);
    note_hovering(ahead, run);
    if (which >= 0) {
        if (which < ahead->model->nswitches) {
            ahead->then[which] = beyond(ahead, which, ahead->g1[which], ahead->g1[which]);
        }
        note_change(ahead, run, which);
    }
    ahead->missed = which < 0 && ahead->expected == run->now.t ? ahead->missed + 1 : 0;
    if (ahead->nstate > 0 && (ahead->switched > switched || ahead->missed >= TRM_SWITCH_HOVERS)) {
        change_together(ahead, run, which, ahead->g1, 0);
    }
}

/// Switches that have come to rest on their edge where the run ends have its branch.
static void end_at_rest(trm_ahead *ahead, trm_run *run)
{
    (void)look_behind(ahead, run);
    for (int k = 0; k < ahead->model->nswitches; k++) {
        trm_branch edge_of;
        if (!ahead->timed[k] && ahead->then[k] == ahead->branch[k] &&
            trm_ahead_on_edge(ahead, run, k, ahead->g_inside[k], ahead->g_parts[k], &edge_of) &&
            edge_of != ahead->then[k]) {
            ahead->then[k] = edge_of;
            ahead->hover[k].rests = 1;
            note_change(ahead, run, k);
        }
    }
}

void trm_ahead_end(trm_ahead *ahead, trm_run *run)
{
    if (ahead->nstate > 0) {
        end_at_rest(ahead, run);
        change_together(ahead, run, -1, ahead->g1, 1);
    }
}

/// Whether a switch of the formula goes over to another branch now.
static int goes_over(const trm_ahead *ahead, const trm_changing *formula)
{
    const int first = formula->f.first_switch;
    int goes = 0;
    for (int k = first; k < first + trm_expression_switches(formula->f.code); k++) {
        goes |= ahead->then[k] != ahead->branch[k];
    }
    return goes;
}

/// The branch of switch k in this moment: of its edge, where rounding may have left it beside that;
/// a state that is given lies on its edges exactly. Functions are those of look_behind, inner
/// switches have their branches of the moment; where rounding leaves the domain, as of sqrt(x) at
/// 0, the branch to come stays. The edge may lie at the end of what rounding makes of the function,
/// as that of sqrt(abs(x)): it is as far as that is wide, twice the blur.
static trm_branch branch_in_moment(trm_ahead *ahead, trm_run *run, int k, double delta, int given)
{
    const double now = ahead->g_inside[k], later = ahead->g_parts[k];
    const int unknown = trm_ahead_is_angle(ahead, k) || !isfinite(now) || !isfinite(later);
    if (unknown ||
        (!ahead->timed[k] && (ahead->hover[k].turns || is_settled_by_rest(ahead, run, k)))) {
        return ahead->then[k];
    }
    const double rate = fabs(later - now) / delta;
    trm_branch of_edge;
    const double d = trm_ahead_from_edge(ahead, k, now, &of_edge);
    const double width = given ? 0 : 2 * blur(ahead, run, k, rate, TRM_SWITCH_EDGE * DBL_EPSILON);
    return d <= width ? of_edge : trm_ahead_branch_of(ahead, k, now);
}

int trm_ahead_enter_moment(trm_ahead *ahead, trm_run *run, int at_start)
{
    int n = 0;
    memcpy(ahead->kept, ahead->then, (size_t)ahead->model->nswitches * sizeof *ahead->then);
    for (int i = 0; i < ahead->model->nchanging; i++) {
        const trm_changing *const formula = &ahead->model->changing[i];
        const int first = formula->f.first_switch;
        if (formula->event < 0 || !(at_start || goes_over(ahead, formula))) {
            continue;
        }
        for (int k = first; k < first + trm_expression_switches(formula->f.code); k++) {
            const double delta = look_behind(ahead, run);
            ahead->then[k] = branch_in_moment(ahead, run, k, delta, at_start);
        }
        n++;
    }
    return n;
}

void trm_ahead_leave_moment(trm_ahead *ahead)
{
    memcpy(ahead->then, ahead->kept, (size_t)ahead->model->nswitches * sizeof *ahead->then);
}

void trm_ahead_turn(trm_ahead *ahead)
{
    const size_t n = (size_t)ahead->model->nswitches;
    memcpy(ahead->branch, ahead->then, n * sizeof *ahead->branch);
}
