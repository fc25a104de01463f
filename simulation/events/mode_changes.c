/// The modes of switching functions of the state: at an instant, after it, and along the run.
#include "engine/enclosure/switch_numbers.h"
#include "simulation/events/switching_functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------ rounding at an
// edge
//
// A motion may end on an edge: under -sign(v)*sqrt(abs(v)) v is zero after a finite time,
// and stays zero. Rounding alone then decides on which side of the edge it is, and each change of
// the mode leads to the next one. So a switching function that changes several times in a row
// within rounding of its edge keeps its mode as long as it stays there. The formula of the mode is
// continued behind the edge, with its value at the edge where it has no other. If this formula
// drives the motion away from the edge, as -sign(v) does, the switching function changes as usual.

static double rounding_band_of(const trm_root *root)
{
    return TRM_EVENT_BAND * DBL_EPSILON * root->largest_distance;
}

// ------------------------------------------------------------------------------------------ kinks
//
// Across a kink (max, abs, clamp of the state) the formula is continuous, so that a change of the
// mode moves rates by no more than the function has passed its edge. A stiff formula, as
// c max(0, v), brings the motion back to its edge sooner than a step ends: it goes back and forth
// by what a step may err by, and there is no time of a change to be found. A kink that does so in
// TRM_EVENT_CHANGES_AT_EDGE changes, within what the motion errs by, is left free: its mode is that
// of its function wherever a step looks, and error control bounds what the kink does. It is held
// again once its function has gone farther than the motion errs by. So is a kink that rests on its
// edge, since its width may be a small part of that. Events have the times of their changes, and
// are not left free.

/// A kink that has changed before has gone farther from its edge in this step than the motion errs
/// by: its changes count anew. One that is free is held again where it is so far at the end.
static void note_kink(trm_locator *locator, trm_run *run, int k)
{
    trm_switching_mode edge_of;
    const double may = trm_locator_errs_by(locator, run, k);
    const double middle =
        trm_locator_edge_distance(locator, k, locator->values.g_middle[k], &edge_of);
    const double end = trm_locator_edge_distance(locator, k, locator->values.g1[k], &edge_of);
    if (trm_locator_is_free(locator, k) && fmin(middle, end) > may) {
        locator->mode_after[k] = trm_locator_mode_of(locator, k, locator->values.g1[k]);
    }
    locator->root[k].tolerance_changes = fmax(middle, end) > may && !trm_locator_is_free(locator, k)
                                             ? 0
                                             : locator->root[k].tolerance_changes;
}

/// The step is accepted with the functions g1.
static void note_distances(trm_locator *locator, trm_run *run)
{
    for (int k = 0; k < locator->model->nswitching_functions; k++) {
        trm_root *const root = &locator->root[k];
        const double d = locator->is_of_time[k]
                             ? NAN
                             : fabs(trm_locator_margin(locator, k, locator->values.g1[k]));
        trm_locator_accept_root(root);
        if ((root->tolerance_changes > 0 || trm_locator_is_free(locator, k)) &&
            trm_locator_is_kink(locator, k)) {
            note_kink(locator, run, k);
        }
        if (isfinite(d)) {
            root->largest_distance = fmax(root->largest_distance, d);
            root->distance_since_change = fmax(root->distance_since_change, d);
            root->rounding_changes =
                root->distance_since_change > rounding_band_of(root) ? 0 : root->rounding_changes;
            root->rounding_band = d > root->rounding_band ? 0 : root->rounding_band;
            const double middle = fabs(trm_locator_margin(locator, k, locator->values.g_middle[k]));
            const int far = !(fmax(d, middle) <= run->options.rtol * root->largest_distance) &&
                            !trm_locator_is_kink(locator, k);
            root->tolerance_changes = far ? 0 : root->tolerance_changes;
        }
    }
}

int trm_locator_stays_on_edge(const trm_locator *locator, const trm_run *run, int k)
{
    const trm_root *const root = &locator->root[k];
    const double d = fmax(fabs(trm_locator_margin(locator, k, locator->values.g_middle[k])),
                          fabs(trm_locator_margin(locator, k, locator->values.g1[k])));
    const int short_step = run->now.t - run->before.t <= 4 * trm_locator_time_tolerance(run);
    return (short_step && root->rounding_band > 0 && d <= root->rounding_band) ||
           (root->rounding_changes >= TRM_EVENT_CHANGES_AT_EDGE && d <= rounding_band_of(root));
}

// ----------------------------------------------------------------------------- modes after an
// instant

double trm_locator_function_rate(trm_locator *locator, trm_run *run, int which)
{
    double later;
    trm_locator_extrapolate_shortly(locator, run, &later);
    trm_locator_formulas_at(run, later, locator->z, locator->values.g_inside);
    const double after = locator->values.g_inside[which];
    trm_locator_formulas_at(run, run->now.t, run->now.z, locator->values.g0);
    return (after - locator->values.g0[which]) / (later - run->now.t);
}

/// Rounding band of function k, which changes at `rate`: by rounding of its variables, terms and
/// the time. Forces are known to the accuracy of the motion: a step taken again has others.
static double band_of(trm_locator *locator, trm_run *run, int k, double rate)
{
    const trm_switching_place at = trm_locator_function_of(locator, k);
    const double known = at.formula->reads ? run->options.accuracy : 0;
    return rate * trm_locator_time_tolerance(run) +
           trm_locator_tolerance_bands(locator, run, at.formula, &run->now,
                                       fmax(known, TRM_EVENT_BAND * DBL_EPSILON), NULL, 0)[at.k];
}

/// Functions under the modes mode_after: at now, in locator->values.g_inside, and so much later as
/// is returned, s, in locator->values.g_samples. The system holds these modes, and is at now.
static double values_after(trm_locator *locator, trm_run *run)
{
    const double *z = run->now.z;
    double later;
    trm_system_hold_modes(run->system, locator->mode_after);
    trm_locator_extrapolate_shortly(locator, run, &later);
    trm_locator_formulas_at(run, later, locator->z, locator->values.g_samples);
    trm_locator_formulas_at(run, run->now.t, z, locator->values.g_inside);
    return later - run->now.t;
}

// ---------------------------------------------------------------------------- kinds of edges

enum { PLACES = 3, APART = 16 };

/// A formula at places on one side of an edge, nearest first, each APART times farther than the one
/// before.
typedef struct side {
    double d[PLACES], f[PLACES]; ///< distance, value
} side;

/// The next place, where x[i] is displaced by `way`.
static void come_nearer(const trm_locator *locator, int k, double *x, int i, double way, side *to)
{
    const trm_switching_place at = trm_locator_function_of(locator, k);
    const trm_expression *const code = at.formula->f.code;
    double *const room = x + at.formula->f.n, *const g = locator->values.bands;
    const double middle = x[i];
    trm_switching_mode edge;
    memmove(to->d + 1, to->d, (PLACES - 1) * sizeof(double));
    memmove(to->f + 1, to->f, (PLACES - 1) * sizeof(double));
    x[i] = middle + way;
    trm_expression_switching_values(code, x, NULL, room, g);
    to->d[0] = trm_locator_edge_distance(locator, k, g[at.k], &edge);
    to->f[0] = trm_expression_value(code, x, room);
    x[i] = middle;
}

/// Whether places are APART, none farther than `most`.
static int are_apart(const side *s, double most)
{
    return s->d[2] <= most && fabs((s->d[2] - s->d[1]) / (s->d[1] - s->d[0]) - APART) < 1;
}

/// Changes of more than 256 roundings have a ratio known to a sixteenth; at a power p of the
/// distance it is APART^p. Below APART - 1 it is beside a power of 1 by more than that.
static int is_steep(const side *s, double rounding)
{
    const double near = fabs(s->f[1] - s->f[0]), far = fabs(s->f[2] - s->f[1]);
    return near > rounding && !(far >= (APART - 1) * near);
}

static trm_edge_kind kind_of(const side *up, const side *down, double size)
{
    const double rounding = 256 * DBL_EPSILON * size, jump = fabs(up->f[0] - down->f[0]),
                 rise = fabs(up->f[1] - up->f[0]), fall = fabs(down->f[1] - down->f[0]);
    return !(jump <= rounding + rise + fall) || is_steep(up, rounding) || is_steep(down, rounding)
               ? TRM_EDGE_STEEP
           : fmax(rise, fall) > rounding ? TRM_EDGE_KINK
                                         : TRM_EDGE_UNKNOWN;
}

/// The mode of function k where x[i] is.
static trm_switching_mode mode_with(const trm_locator *locator, int k, double *x, int i, double is)
{
    const trm_switching_place at = trm_locator_function_of(locator, k);
    double *const g = locator->values.bands;
    x[i] = is;
    trm_expression_switching_values(at.formula->f.code, x, NULL, x + at.formula->f.n, g);
    return trm_locator_mode_of(locator, k, g[at.k]);
}

/// Puts x[i] on the next edge of function k, to rounding: it is near. Returns whether there is one.
static int put_on_edge(const trm_locator *locator, int k, double *x, int i)
{
    const double from = x[i];
    const trm_switching_mode mode = mode_with(locator, k, x, i, from);
    double out = from;
    for (double way = DBL_EPSILON * fmax(fabs(from), DBL_EPSILON); way < 1 && out == from;
         way *= APART) {
        out = mode_with(locator, k, x, i, from + way) != mode   ? from + way
              : mode_with(locator, k, x, i, from - way) != mode ? from - way
                                                                : from;
    }
    double in = from;
    for (double half = 0.5 * (in + out);
         half != in && half != out && fabs(out - in) > DBL_EPSILON * DBL_EPSILON;
         half = 0.5 * (in + out)) {
        *(mode_with(locator, k, x, i, half) == mode ? &in : &out) = half;
    }
    x[i] = in;
    return out != from;
}

/// The kind by variable i of x: at the nearest places whose values tell, from what the motion errs
/// by, `most`, down to rounding. Those farther away show the size of what is summed.
static trm_edge_kind kind_by(const trm_locator *locator, int k, double *x, int i, double most)
{
    side up = {.d = {INFINITY, INFINITY, INFINITY}}, down = up;
    trm_edge_kind kind = TRM_EDGE_UNKNOWN;
    double size = 0;
    const int found = put_on_edge(locator, k, x, i);
    for (double way = 1; found && way > DBL_EPSILON * DBL_EPSILON; way /= APART) {
        come_nearer(locator, k, x, i, way, &up);
        come_nearer(locator, k, x, i, -way, &down);
        if (fmax(up.d[0], down.d[0]) <= most) {
            size = fmax(size, fmax(fabs(up.f[0]), fabs(down.f[0])));
        }
        if (are_apart(&up, most) && are_apart(&down, most)) {
            const trm_edge_kind here = kind_of(&up, &down, size);
            if (here == TRM_EDGE_UNKNOWN) {
                return kind;
            }
            kind = here;
        }
    }
    return kind;
}

/// Notes whether the formula of function k, on or near its edge now, is continuous there with a
/// slope on either side, as if(x < 1, x, 1) is. sqrt(abs(x)) has none: what it brakes comes to
/// rest.
static void note_kind(trm_locator *locator, trm_run *run, int k)
{
    const trm_switching_formula *const formula = trm_locator_function_of(locator, k).formula;
    const double *const z = run->now.z, *const v = z + run->system->nq;
    trm_edge_kind kind = TRM_EDGE_UNKNOWN;
    if (formula->reads || formula->event >= 0 || trm_locator_is_free(locator, k) ||
        locator->root[k].kind == TRM_EDGE_STEEP) {
        return;
    }
    const double most = trm_locator_errs_by(locator, run, k);
    const trm_kinematics at = trm_assembler_kinematics(run->system, run->now.t, z, v, v);
    double *const x = at.pose->scratch;
    trm_function_variables(&formula->f, at.pose, at.V, x);
    for (int i = 0; i < formula->f.n && kind == TRM_EDGE_UNKNOWN; i++) {
        const double own = x[i];
        kind = kind_by(locator, k, x, i, most);
        x[i] = own;
    }
    locator->root[k].kind = kind == TRM_EDGE_UNKNOWN ? locator->root[k].kind : kind;
}

// ------------------------------------------------------------------------------------- the instant
//
// At an event, at the start, and where inputs or velocities have jumped, one rule gives the modes
// just after now. A function has a value now, and one a short time later, `delta`, under the modes
// just after now of the functions that it depends on:
//
//   now                         later                       mode just after now
//   off all edges               -                           that of the value now
//   on an edge, to rounding     on it, to its dead band     the edge's: the root is inactive
//   on an edge, to rounding     off it                      the next one on that side
//
// A function depends on modes of functions before it alone. So passes over all of them come to an
// end: floor(mod(x, 1)) is 0 on both sides of x = 1, once mod has the mode after it.

/// The mode of function k by this rule (JUST_AFTER), or AT the instant: on an edge the edge's. A
/// state that is given is exact: no rounding puts a function on an edge. Rounding may put it, as
/// sqrt(abs(x)), to one end of its band, and the edge is at the other: on it to twice the band.
typedef enum instant { JUST_AFTER, AT, AT_EXACTLY } instant;

static trm_switching_mode mode_at_edge(trm_locator *locator, trm_run *run, int k, double delta,
                                       instant when)
{
    const double now = locator->values.g_inside[k], later = locator->values.g_samples[k];
    const double way = fabs(later - now); // NaN: it leaves its domain
    trm_switching_mode of_edge;
    if (trm_locator_is_angle(locator, k) || isnan(now)) {
        const int left = when == JUST_AFTER && (locator->modes_now == TRM_MODES_START ||
                                                trm_locator_margin(locator, k, now) < 0);
        return left ? trm_locator_mode_of(locator, k, now) : locator->mode_after[k];
    }
    const int rests = trm_locator_is_on_edge(locator, run, k, now, later, &of_edge);
    if (rests && when == JUST_AFTER) {
        note_kind(locator, run, k);
        if (trm_locator_is_kink(locator, k) && locator->root[k].kind != TRM_EDGE_STEEP) {
            return TRM_BRANCH_FREE;
        }
    }
    if (when == JUST_AFTER) {
        trm_root *const root = &locator->root[k];
        const int rested = root->state == TRM_ROOT_INACTIVE;
        root->state = rests ? TRM_ROOT_INACTIVE : rested ? TRM_ROOT_ACTIVE : root->state;
    }
    if (rests) {
        return of_edge;
    }
    const double d = trm_locator_edge_distance(locator, k, now, &of_edge);
    const int may = when != AT_EXACTLY && d <= way;
    const double band = may ? 2 * band_of(locator, run, k, way / delta) : 0;
    if (!(d <= way) || d > band) {
        return trm_locator_mode_of(locator, k, now);
    }
    return when == JUST_AFTER ? trm_locator_mode_beside(locator, k, now, later) : of_edge;
}

/// Whether a mode just after now is known otherwise: that of the time; that of function `which`,
/// which a step has shown to change; of a kink left free; of a root until the end of the step that
/// has shown how it leaves its dead band.
static int is_known(const trm_locator *locator, const trm_run *run, int k)
{
    return locator->root[k].change_is_shown || locator->is_of_time[k] ||
           trm_locator_is_free(locator, k) || trm_locator_is_leaving(locator, run, k);
}

/// Sets mode_after to the modes just after now, but that of `which` (-1: of all).
static void set_modes_after(trm_locator *locator, trm_run *run)
{
    const int n = run->system->nswitching_functions;
    int moved = 1;
    for (int pass = 0; moved && pass <= n; pass++) {
        const double delta = values_after(locator, run);
        moved = 0;
        for (int k = 0; k < n; k++) {
            if (!is_known(locator, run, k)) {
                const trm_switching_mode mode = mode_at_edge(locator, run, k, delta, JUST_AFTER);
                moved |= mode != locator->mode_after[k];
                locator->mode_after[k] = mode;
            }
        }
    }
}

void trm_locator_set_modes(trm_locator *locator, trm_run *run)
{
    trm_system *const system = run->system;
    const int n = system->nswitching_functions;
    locator->h_before = 0;
    if (locator->nstate == 0) {
        return;
    }
    locator->gap_known = 0;
    trm_system_hold_modes(system, NULL);
    trm_locator_formulas_at(run, run->now.t, run->now.z, locator->values.g0);
    for (int k = 0; k < n; k++) {
        if (!locator->is_of_time[k]) {
            trm_root *const root = &locator->root[k];
            root->state = root->state_shown = TRM_ROOT_ACTIVE;
            root->change_is_shown = 0;
            root->rounding_band *= trm_locator_function_of(locator, k).formula->reads;
            locator->mode_after[k] = locator->modes_now == TRM_MODES_START
                                         ? trm_locator_mode_of(locator, k, locator->values.g0[k])
                                         : locator->mode_after[k];
        }
    }
    set_modes_after(locator, run);
    trm_system_hold_modes(system, NULL);
    for (int k = 0; k < n; k++) {
        locator->modes_changed |= locator->mode[k] != locator->mode_after[k];
    }
    trm_locator_apply_modes(locator);
}

// ---------------------------------------------------------------------------------------- changing

/// The mode next to the one in force, on the side where g has left it. A mode that is a point, as
/// sign(x) at 0, is left to the side where its function is `later`.
static trm_switching_mode adjacent_mode(const trm_locator *locator, int which, double g,
                                        double later)
{
    const trm_switching_place at = trm_locator_function_of(locator, which);
    double lo, hi;
    if (trm_locator_is_angle(locator, which)) {
        return -locator->mode[which]; // beyond either edge
    }
    trm_switching_mode_interval(at.formula->f.code, at.k, locator->mode[which], &lo, &hi);
    const int up = lo < hi ? fabs(g - hi) < fabs(g - lo) : later > hi;
    if (lo == hi && later == hi) {
        return locator->mode[which]; // it has not left yet
    }
    const double edge_of = up ? hi : lo;
    const double little = 2 * fmax(DBL_EPSILON * fabs(edge_of), DBL_MIN); // not subnormal
    const double next = edge_of + (up ? little : -little);
    return trm_switching_mode_at(at.formula->f.code, at.k, next);
}

static void note_change(trm_locator *locator, const trm_run *run, int which)
{
    if (which < locator->model->nswitching_functions) {
        locator->root[which].rounding_changes++;
        locator->root[which].tolerance_changes++;
        locator->root[which].distance_since_change = 0;
        locator->zeno.last = which;
        // what rests where it is steep changes more than once on its way there
        const int changes = locator->root[which].kind == TRM_EDGE_STEEP
                                ? locator->zeno.at_one_time
                                : locator->root[which].tolerance_changes;
        if (changes >= TRM_EVENT_CHANGES_AT_EDGE && !locator->is_of_time[which] &&
            trm_locator_is_kink(locator, which)) {
            locator->mode_after[which] = TRM_BRANCH_FREE;
        }
    } else if (trm_locator_is_halt(locator, which)) { // no sign that a sliding mode has ended
        locator->zeno.mark++;
    } else { // changes of contacts have a bound of their own (trm_sim_change_contact_mode)
        locator->zeno.mark = locator->zeno.changes + 1;
        locator->zeno.t_mark = run->now.t;
    }
    const int same = run->now.t - locator->zeno.t_last <= trm_locator_time_tolerance(run);
    locator->zeno.at_one_time = same ? locator->zeno.at_one_time + 1 : 1;
    locator->zeno.t_last = run->now.t;
    locator->zeno.changes++;
    locator->modes_changed = 1; // rates are others from here on
    locator->t_expected = -INFINITY;
}

/// Whether the step has shown that switching function k leaves its mode where switching function
/// `which` does. A little later may be behind the end of an input's way, where the rates at now
/// tell nothing: of v > 1/2 and v < 1/2 the step would show the change of the first, and that of
/// the other would be lost. Only the innermost switching function of another formula counts:
/// switching functions further out are others as soon as that one has changed.
static int leaves_together(const trm_locator *locator, const trm_run *run, int k, int which)
{
    if (which < 0 || which >= locator->model->nswitching_functions || locator->is_of_time[k]) {
        return 0;
    }
    const trm_switching_place at = trm_locator_function_of(locator, k);
    const double latest = locator->t_leaves[which] + trm_locator_time_tolerance(run);
    int inner = at.formula == trm_locator_function_of(locator, which).formula;
    for (int i = at.formula->f.first_switching_function; i < k; i++) {
        inner |= locator->t_leaves[i] <= latest || locator->mode_after[i] != locator->mode[i];
    }
    return !inner && isfinite(latest) && locator->t_leaves[k] <= latest;
}

/// Changes modes at now: those that follow from the change of `which` (-1: none), or come at the
/// same time, together with it. One after the other, conditions of several functions would hold in
/// between that hold at no time: (x > 1) != (2*x > 2).
static void change_simultaneously(trm_locator *locator, trm_run *run, int which)
{
    if (trm_locator_is_halt(locator, which)) {
        return;
    }
    const double delta = values_after(locator, run);
    for (int k = 0; k < locator->model->nswitching_functions; k++) {
        locator->root[k].change_is_shown = k == which || leaves_together(locator, run, k, which);
        if (k != which && locator->root[k].change_is_shown) {
            locator->mode_after[k] = adjacent_mode(locator, k, locator->values.g_inside[k],
                                                   locator->values.g_samples[k]);
        }
    }
    set_modes_after(locator, run);
    for (int k = 0; k < locator->model->nswitching_functions; k++) {
        if (!locator->is_of_time[k] && locator->mode_after[k] != locator->mode[k]) {
            const double now = locator->values.g_inside[k], later = locator->values.g_samples[k];
            const int reads = trm_locator_function_of(locator, k).formula->reads;
            locator->root[k].rounding_band =
                fmax(band_of(locator, run, k, fabs(later - now) / delta),
                     reads ? 0 : fabs(trm_locator_margin(locator, k, now))); // forces jump
            note_kind(locator, run, k);
            if (k != which) {
                note_change(locator, run, k);
            }
        }
    }
    trm_system_hold_modes(run->system, locator->mode);
}

/// The switching function `which`, g at the beginning of a step, where the step has shown it off
/// that value first: at the end of a part of it, or at its own end.
static double first_off(const trm_locator *locator, int which, double g)
{
    double value = g;
    for (int i = 0;
         i < TRM_EVENT_SUBSTEPS - 1 && value == g && locator->values.samples == TRM_SAMPLES_KNOWN;
         i++) {
        value = locator->values.g_samples[i * locator->nfunctions + which];
    }
    return value == g ? locator->values.g1[which] : value;
}

void trm_locator_iterate_event(trm_locator *locator, trm_run *run, int which)
{
    const int contact = which >= locator->model->nswitching_functions; // the run's matter
    if (!contact && trm_locator_changes_at_start(locator, which)) {
        const int n = trm_locator_release_inactive(locator);
        for (int i = 0; i < n; i++) {
            note_change(locator, run, which);
        }
    } else if (!contact) {
        const double g0 = locator->values.g0[which];
        locator->mode_after[which] =
            adjacent_mode(locator, which, g0, first_off(locator, which, g0));
        note_change(locator, run, which);
    }
    if (locator->model->nswitching_functions > 0) {
        change_simultaneously(locator, run, which);
    }
}

void trm_locator_accept_step(trm_locator *locator, trm_run *run, int which)
{
    const int n = locator->model->nswitching_functions; // contacts are the run's matter
    const long switched = locator->zeno.changes;
    double *const left = locator->values.g_before;
    locator->values.g_before = locator->values.g0;
    locator->values.g0 = left;
    locator->h_before = run->now.t - run->before.t;
    memcpy(locator->mode_after, locator->mode, (size_t)n * sizeof *locator->mode_after);
    trm_locator_apply_time_modes(locator, run);
    note_distances(locator, run);
    if (which >= 0) {
        if (which < locator->model->nswitching_functions) {
            locator->mode_after[which] =
                adjacent_mode(locator, which, locator->values.g1[which], locator->values.g1[which]);
        }
        note_change(locator, run, which);
    }
    locator->steps_without_change =
        which < 0 && locator->t_expected == run->now.t ? locator->steps_without_change + 1 : 0;
    if (locator->nstate > 0 && (locator->zeno.changes > switched ||
                                locator->steps_without_change >= TRM_EVENT_CHANGES_AT_EDGE)) {
        change_simultaneously(locator, run, which);
    }
}

void trm_locator_end_run(trm_locator *locator, trm_run *run)
{
    if (locator->nstate > 0) {
        change_simultaneously(locator, run, -1);
    }
}

/// Whether a switching function of the formula changes its mode now.
static int changes_mode(const trm_locator *locator, const trm_switching_formula *formula)
{
    const int first = formula->f.first_switching_function;
    int goes = 0;
    for (int k = first; k < first + trm_expression_switching_functions(formula->f.code); k++) {
        goes |= locator->mode_after[k] != locator->mode[k];
    }
    return goes;
}

int trm_locator_enter_instant(trm_locator *locator, trm_run *run, int at_start)
{
    int n = 0;
    memcpy(locator->saved_modes, locator->mode_after,
           (size_t)locator->model->nswitching_functions * sizeof *locator->mode_after);
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        const trm_switching_formula *const formula = &locator->model->switching_formulas[i];
        const int first = formula->f.first_switching_function;
        if (formula->event < 0 || !(at_start || changes_mode(locator, formula))) {
            continue;
        }
        for (int k = first; k < first + trm_expression_switching_functions(formula->f.code); k++) {
            const double delta = values_after(locator, run);
            if (!trm_locator_is_leaving(locator, run, k)) {
                locator->mode_after[k] =
                    mode_at_edge(locator, run, k, delta, at_start ? AT_EXACTLY : AT);
            }
        }
        n++;
    }
    return n;
}

void trm_locator_leave_instant(trm_locator *locator)
{
    memcpy(locator->mode_after, locator->saved_modes,
           (size_t)locator->model->nswitching_functions * sizeof *locator->mode_after);
}

void trm_locator_apply_modes(trm_locator *locator)
{
    const size_t n = (size_t)locator->model->nswitching_functions;
    memcpy(locator->mode, locator->mode_after, n * sizeof *locator->mode);
}
