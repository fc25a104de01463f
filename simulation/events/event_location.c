/// When a switching function of the state, or one of a contact, has left its mode in the step just
/// taken: the first of these times, to rounding.
#include "engine/enclosure/switch_numbers.h"
#include "simulation/contact_modes/active_set.h"
#include "simulation/events/switching_functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// What a step has seen of forces that hold, in the place of their functions in its middle: the
/// least at its stages. Where nothing moves, forces of the time alone may come and go in one step.
static void least_of_forces(trm_locator *locator, trm_contact *contact)
{
    double *const g = locator->values.g_middle + locator->model->nswitching_functions;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        for (int i = 0; i < 2 && contact->hold[k]; i++) {
            if (isfinite(contact->least[2 * k + i]) && // by projected steps g has none
                locator->nfunctions > locator->model->nswitching_functions) {
                g[TRM_CONTACT_FUNCTIONS * k + i] = contact->least[2 * k + i];
            }
        }
    }
    trm_contact_forget_least(contact);
}

/// Functions in the middle of the step, in locator->values.g_middle: of the cubic through both ends
/// with their rates, which needs no dense output.
static void values_in_the_middle(trm_locator *locator, trm_run *run)
{
    const double t = run->before.t + 0.5 * (run->now.t - run->before.t);
    const int held = run->contact && trm_contact_list_held(run->contact) > 0;
    trm_locator_hermite_state(run, 0.5, locator->z);
    for (int k = -1; (k = trm_locator_next(locator, run, k)) < locator->nfunctions;) {
        locator->values.g_middle[k] = locator->values.g0[k];
    }
    if (held) {
        trm_locator_formulas_at(run, t, locator->z, locator->values.g_middle);
        trm_locator_rates_at(locator, run, t, locator->z, locator->values.g_middle);
        least_of_forces(locator, run->contact);
    } else {
        (void)trm_locator_values_at(locator, run, t, locator->z, -1, locator->values.g_middle);
    }
}

/// Whether switching function k may have been outside within the step although it is inside at the
/// end: its distance is small relative to its changes in this step and the last.
static int may_have_left(const trm_locator *locator, const trm_run *run, int k)
{
    const double h = run->now.t - run->before.t;
    const double g0 = locator->values.g0[k], g1 = locator->values.g1[k],
                 middle = locator->values.g_middle[k];
    const double here = fmax(fabs(g1 - g0), fmax(fabs(middle - g0), fabs(middle - g1)));
    const double last = locator->h_before > 0
                            ? fabs(g0 - locator->values.g_before[k]) * h / locator->h_before
                            : INFINITY;
    const double nearest =
        fmin(fmin(trm_locator_margin(locator, k, g0), trm_locator_margin(locator, k, g1)),
             trm_locator_margin(locator, k, middle));
    return !(nearest > TRM_EVENT_NEAR_EDGE * fmax(here, last));
}

/// A sample: a time in the step, and the distance of g from the edges of its mode there.
typedef struct sample {
    double t, d;
} sample;

/// Whether a sample is outside by more than the tolerance band.
static int is_out(const trm_locator *locator, sample m)
{
    return m.d < -locator->band;
}

static sample sample_at(trm_locator *locator, trm_run *run, int k, double t)
{
    if (trm_locator_dense_values_at(locator, run, t, k, locator->values.g_inside)) {
        return (sample){t, NAN};
    }
    return (sample){t, trm_locator_margin(locator, k, locator->values.g_inside[k])};
}

/// The first sample outside, between a sample inside and a sample outside: the Illinois method,
/// with bisection where it is slow. Where the dense output has no value the step is halved: its
/// stages are far beyond the mode that they hold.
static double crossing_time(trm_locator *locator, trm_run *run, int k, sample in, sample out)
{
    enum { MOST = 100 };
    double weight_in = in.d, weight_out = out.d;
    int last = 0;
    for (int i = 0; i < MOST && !trm_run_is_interrupted(run); i++) {
        const double width = out.t - in.t;
        if (!(width > 2 * DBL_EPSILON * fabs(out.t))) {
            break;
        }
        const double x = weight_in / (weight_in - weight_out);
        const int slow = i % 3 == 2 || !(x > 0 && x < 1);
        double t = in.t + (slow ? 0.5 : x) * width;
        t = t > in.t && t < out.t ? t : in.t + 0.5 * width;
        const sample here = sample_at(locator, run, k, t);
        if (!(t > in.t && t < out.t)) {
            break;
        }
        if (isnan(here.d)) {
            return 0.5 * (in.t + out.t); // a shorter step tells
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

/// Whether d may reach zero between three samples: a parabola's minimum is below the lowest by at
/// most an eighth of their range, so that a lowest above the range is eight times too high.
static int may_dip(sample a, sample b, sample c)
{
    const double lowest = fmin(b.d, fmin(a.d, c.d));
    return !(lowest > fmax(b.d, fmax(a.d, c.d)) - lowest);
}

/// The minimum of a smooth d between three samples, the middle one lowest, as far as it may be
/// below zero: by thirds of the parabola.
static sample minimum_of(trm_locator *locator, trm_run *run, int k, sample a, sample b, sample c)
{
    enum { MOST = 12 };
    for (int i = 0; i < MOST && b.d >= 0 && may_dip(a, b, c); i++) {
        const double p = (b.t - a.t) * (b.d - c.d), q = (b.t - c.t) * (b.d - a.d);
        const double top = (b.t - a.t) * p - (b.t - c.t) * q;
        double t = b.t - 0.5 * top / (p - q);
        if (!(t > a.t && t < c.t) || t == b.t) {
            t = b.t - a.t > c.t - b.t ? 0.5 * (a.t + b.t) : 0.5 * (b.t + c.t);
        }
        const sample here = sample_at(locator, run, k, t);
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

enum { SUBSTEPS = TRM_EVENT_SUBSTEPS };

/// At the end of part i of the step.
static sample sample_of_substep(trm_locator *locator, trm_run *run, int k, int i)
{
    const double t0 = run->before.t, h = run->now.t - t0;
    return (sample){t0 + h * i / SUBSTEPS,
                    trm_locator_margin(locator, k, trm_locator_sampled_value(locator, run, k, i))};
}

/// Roundoffs within which a value is on its edge at the beginning of a step, and at both ends,
/// where it has their sum. Half and double: campaign/numbers.
static const double ON_EDGE = 8, UNSEEN = 16;

/// Roundoff of a gap, and of a rate that begins from zero; zero of other functions: that of a force
/// has its own grain.
static double roundoff_of(const trm_locator *locator, const trm_run *run, int k)
{
    const int i = k - locator->model->nswitching_functions;
    if (i < 0) {
        return locator->root[k].rounding_band * trm_locator_function_of(locator, k).formula->reads;
    }
    const int which = i % TRM_CONTACT_FUNCTIONS, row = i / TRM_CONTACT_FUNCTIONS;
    const trm_contact *const contact = run->contact;
    return which == TRM_CONTACT_SLIP ? trm_contact_rate_noise(contact, run, row)
           : which > TRM_CONTACT_SLIP || contact->hold[row] ? 0
                                                            : contact->roundoff[row];
}

/// A step begins on the edge, after a change. Samples at ever shorter distances show whether the
/// switching function goes inside (the sample at the beginning then counts as inside) or leaves, at
/// the time returned. INFINITY: it does not leave before m[1]. A gap that is nothing but roundoff
/// in m[1] shows neither: it counts as inside as long as it is no more than that.
static double leaves_from_edge(trm_locator *locator, trm_run *run, int k, sample *m)
{
    enum { MOST = 24 };
    const double slack = trm_locator_time_tolerance(run), t0 = m[0].t,
                 unseen = UNSEEN * roundoff_of(locator, run, k);
    double largest = 0;
    if (fabs(m[0].d) <= unseen && fabs(m[1].d) <= unseen) {
        locator->band = unseen;
        return INFINITY;
    }
    for (int i = 1; i <= SUBSTEPS; i++) {
        largest = fmax(largest, fabs(m[i].d));
    }
    const int own = k < locator->model->nswitching_functions;
    const double known = own ? locator->root[k].rounding_band : roundoff_of(locator, run, k);
    const double noise = TRM_EVENT_ROUNDING * largest + ON_EDGE * (fabs(m[0].d) + known);
    sample nearby[MOST] = {m[1]};
    int n = 1;
    while (n < MOST && (nearby[n - 1].t - t0) / 4 > slack) {
        nearby[n] = sample_at(locator, run, k, t0 + (nearby[n - 1].t - t0) / 4);
        if (!(fabs(nearby[n].d) > noise)) {
            break;
        }
        n++;
    }
    m[0] = nearby[n - 1];
    if (m[0].d < 0) {
        return t0;
    }
    for (int i = n - 2; i >= 0; i--) {
        if (nearby[i].d < 0) {
            return crossing_time(locator, run, k, nearby[i + 1], nearby[i]);
        }
    }
    return INFINITY;
}

/// The first sample outside in a dip between a and c: by the parabola through three samples, of
/// which any may be lowest. INFINITY: it stays inside.
static double leaves_in_dip(trm_locator *locator, trm_run *run, int k, const sample m[3])
{
    const double p = (m[1].t - m[0].t) * (m[1].d - m[2].d);
    const double q = (m[1].t - m[2].t) * (m[1].d - m[0].d);
    const double top = (m[1].t - m[0].t) * p - (m[1].t - m[2].t) * q;
    const double t = m[1].t - 0.5 * top / (p - q);
    const int first = t > m[0].t && t<m[1].t, second = t> m[1].t && t < m[2].t;
    const sample *a = first ? &m[0] : &m[1];
    const int turned_down = m[1].d > fmin(m[0].d, m[2].d) && m[1].d > fmax(m[0].d, m[2].d);
    if ((!first && !second && t != m[1].t) || turned_down || !may_dip(m[0], m[1], m[2])) {
        return INFINITY;
    }
    sample low = t == m[1].t ? m[1] : sample_at(locator, run, k, t);
    if (low.d >= 0 && low.d < a[0].d && low.d < a[1].d) {
        low = minimum_of(locator, run, k, a[0], low, a[1]);
    } else if (low.d >= 0 && m[1].d <= m[0].d && m[1].d <= m[2].d) {
        low = minimum_of(locator, run, k, m[0], m[1], m[2]);
    }
    return is_out(locator, low)
               ? crossing_time(locator, run, k, low.t > m[1].t && m[1].d >= 0 ? m[1] : m[0], low)
               : INFINITY;
}

/// When friction without a rate begins to slide, and contact->aim, its direction: where the rate
/// leaves its roundoff. A rate that only touches zero falls before it rises.
static double departs(trm_locator *locator, trm_run *run, int k, const sample *m)
{
    trm_contact *const contact = run->contact;
    int i = SUBSTEPS + 1;
    for (int j = SUBSTEPS; j > 0; j--) {
        i = is_out(locator, m[j]) ? j : i;
    }
    if (i > SUBSTEPS) {
        return INFINITY;
    }
    const int begins = m[i - 1].d < 0;
    const double t = begins ? m[i].t : crossing_time(locator, run, k, m[i - 1], m[i]);
    (void)sample_at(locator, run, k, t);
    trm_contact_aim(contact, contact->rate, 1, trm_locator_contact_of(locator, k));
    return begins ? m[i - 1].t : t;
}

/// Whether switching function k is that of friction without a rate, of which the rate tells when it
/// begins.
static int is_watched(const trm_locator *locator, const trm_run *run, int k)
{
    return trm_locator_is_halt(locator, k) &&
           trm_contact_is_watched(run->contact, trm_locator_contact_of(locator, k));
}

/// When switching function k leaves its mode first; INFINITY: it does not, or later than `latest`.
static double first_leaving(trm_locator *locator, trm_run *run, int k, double latest)
{
    const double t0 = run->before.t;
    sample m[SUBSTEPS + 1];
    m[0] = (sample){t0, trm_locator_margin(locator, k, locator->values.g0[k])};
    m[SUBSTEPS] = (sample){run->now.t, trm_locator_margin(locator, k, locator->values.g1[k])};
    for (int i = 1; i < SUBSTEPS; i++) {
        m[i] = sample_of_substep(locator, run, k, i);
    }
    if (is_watched(locator, run, k)) {
        return departs(locator, run, k, m);
    }
    const int on_edge = m[0].d <= ON_EDGE * roundoff_of(locator, run, k) && !(locator->band > 0);
    double first = on_edge ? leaves_from_edge(locator, run, k, m) : INFINITY;
    int in = 0; // the last one that is not outside
    for (int i = 1; i <= SUBSTEPS && isinf(first) && m[i - 1].t < latest; i++) {
        if (m[i].t > latest && is_out(locator, m[i])) {
            m[i] = sample_at(locator, run, k, latest);
        }
        first = is_out(locator, m[i]) ? crossing_time(locator, run, k, m[in], m[i]) : INFINITY;
        in = m[i].d < 0 ? in : i;
        if (i < SUBSTEPS && isinf(first) && !is_out(locator, m[i + 1])) {
            first = leaves_in_dip(locator, run, k, &m[i - 1]);
        }
    }
    return first;
}

static void note_undefined(trm_locator *locator, int k)
{
    const int undefined = isnan(locator->values.g1[k]);
    locator->undefined |= undefined;
    if (undefined && k < locator->model->nswitching_functions && isnan(locator->values.g0[k])) {
        locator->never_defined = k;
    }
}

/// Which contacts the step just taken may bring together. What was not looked at in the last one
/// has no value there, and its roundoff is not known.
static void find_near(trm_locator *locator, trm_run *run)
{
    trm_contact *const contact = run->contact;
    const trm_contact_balls *const balls = &contact->balls;
    double *const *F = NULL;
    const double *z0 = NULL;
    const int count = run->method_ops->terms ? run->method_ops->terms(run, &F, &z0) : 0;
    if (count > 0) {
        trm_contact_find_near(contact, count, F, z0);
    } else {
        trm_contact_all_near(contact);
    }
    for (int i = 0; i < balls->nentered; i++) {
        const int k = locator->model->nswitching_functions +
                      TRM_CONTACT_FUNCTIONS * balls->pair[balls->entered[i]].row;
        for (int j = k; j < k + TRM_CONTACT_FUNCTIONS; j++) {
            locator->values.g_before[j] = INFINITY;
        }
    }
    if (balls->nentered > 0) {
        trm_contact_evaluate(contact, run->system, run->before.t, run->before.z, TRM_CONTACT_ALL);
    }
}

double trm_locator_find_first(trm_locator *locator, trm_run *run, int *which)
{
    trm_system *system = run->system;
    const double slack = trm_locator_time_tolerance(run);
    double first = INFINITY;
    int turned = -1;
    *which = -1;
    locator->undefined = 0;
    locator->never_defined = -1;
    locator->values.samples = TRM_SAMPLES_NOT_EVALUATED;
    locator->gap_known = 0;
    locator->values.at_rest = NULL;
    if (locator->nstate == 0) {
        return first;
    }
    if (run->contact && run->contact->balls.npairs > 0 && !run->method_ops->steps_contacts) {
        find_near(locator, run);
    }
    (void)trm_locator_values_at(locator, run, run->before.t, run->before.z, -1, locator->values.g0);
    if (run->contact) {
        trm_contact_note_unsure(run);
    }
    if (run->contact && run->contact->model->npairs > 0) {
        trm_contact_aim_anew(run->contact, run->before.z + system->nq);
        trm_locator_rates_at(locator, run, run->before.t, run->before.z, locator->values.g0);
    }
    values_in_the_middle(locator, run);
    (void)trm_locator_values_at(locator, run, run->now.t, run->now.z, -1, locator->values.g1);
    for (int k = trm_locator_next(locator, run, -1);
         k < locator->nfunctions && !trm_run_is_interrupted(run);
         k = trm_locator_next(locator, run, k)) {
        const int timed = k < system->nswitching_functions && locator->is_of_time[k];
        const int own = k < system->nswitching_functions && !timed;
        locator->band = 0;
        if (k < system->nswitching_functions) {
            locator->t_leaves[k] = INFINITY;
        }
        if (own && trm_locator_is_free(locator, k)) {
            note_undefined(locator, k);
            continue;
        }
        const trm_root_state shown = own ? trm_locator_show_root(locator, run, k) : TRM_ROOT_ACTIVE;
        const int stays = own && trm_locator_stays_on_edge(locator, run, k);
        turned = own && !stays && trm_locator_changes_at_start(locator, k) ? k : turned;
        if (shown != TRM_ROOT_ACTIVE || stays) {
            continue;
        }
        const int left = trm_locator_margin(locator, k, locator->values.g1[k]) < -locator->band;
        if (!timed) {
            note_undefined(locator, k);
        }
        const int looked =
            !timed && (left || is_watched(locator, run, k) || may_have_left(locator, run, k));
        const double latest = own || timed ? INFINITY : first + slack;
        const double t = looked ? first_leaving(locator, run, k, latest) : INFINITY;
        if (own) {
            locator->t_leaves[k] = t;
        }
        if (isfinite(t)) {
            // of several at once it is the one that the others may depend on
            const int halt = trm_locator_is_halt(locator, k) && t <= first + slack;
            *which = halt || t < first - slack || (t < first && *which < 0) ? k : *which;
            first = fmin(first, t);
        }
    }
    locator->band = 0;
    if (turned >= 0 && first >= run->now.t - slack) { // else the step gets shorter first
        *which = turned;
        return run->before.t;
    }
    return first;
}
