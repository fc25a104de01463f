/// Friction along coordinates, and limits of coordinates, whose rates the joints decide.
///
/// Where G_k, the row of a coordinate with friction, depends on the rows of the joints, G_k = L_k^T
/// G, its rate is
///
///   u_k = g_t,k - L_k . g_t,
///
/// whatever forces act: motors, constraints of the time and what they drive decide it. Such a
/// coordinate does not stick. Its friction is a given force against u_k, as of any row that slides.
/// In a dwell, u_k = 0, friction may be anything within its bound, and the drive takes the rest: it
/// is undetermined, and counts as 0. A step that shows u_k to leave 0 is taken anew, with friction
/// against it.
///
/// Whether G_k depends is a matter of the position: a slider does at the dead points of a crank
/// that runs free. So it is asked anew at each change of a contact; there, x moves though u_k = 0.
/// Of a pair in space the joints may decide one rate alone: it sticks, by the other one, until that
/// rate leaves 0. Friction at its bound that others keep from sliding does so until they move.
///
/// Rows that hold may depend on each other and on the joints together: a clutch and the bearing of
/// its load in a dwell of the motor. Which of them slides when it moves, the state does not tell,
/// and equations with all of them have no solution then. The first to come to its bound does not
/// hold, and is undetermined too.
///
/// Nor does a limit hold such a coordinate: no force changes it. It touches and goes, and counts as
/// free; beyond the limit by the tolerance the motion that is given is refused
/// (simulation/run/contradiction.c).
#include "base/rank_numbers.h"
#include "simulation/contact_modes/trial_set.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int is_driven(trm_contact *contact, trm_run *run, int k)
{
    const trm_sparse_row *const reach = &contact->sparse[k];
    double whole;
    return trm_contact_depends(contact, run->system, k, reach->G, reach->C, &whole);
}

/// Whether motions that are given decide the rate of row k less contact->problem.b times those of
/// the rows before it in contact->problem.list, which decide it with the joints.
static int is_led(const trm_contact *contact, int k)
{
    for (int j = 0; j < contact->nc; j++) {
        double mu = trm_sparse_row_multiplier(&contact->sparse[k], j), terms = fabs(mu);
        for (int i = 0; contact->problem.list[i] != k; i++) {
            const trm_sparse_row *const other = &contact->sparse[contact->problem.list[i]];
            const double part = contact->problem.b[i] * trm_sparse_row_multiplier(other, j);
            mu -= part;
            terms += fabs(part);
        }
        if (fabs(mu) > TRM_DEPENDENT * terms && trm_model_is_given(contact->model, j)) {
            return 1;
        }
    }
    return 0;
}

/// How many directions of the rate of row k, or of the pair, the joints, by motions that are given,
/// and the other rows that hold, limits alone or all, decide: those before row k in
/// contact->problem.list. Where it is one of a pair, the pair is turned so that its second row is
/// along it.
static int led_directions(trm_run *run, int k, int mate, int limits)
{
    trm_contact *const contact = run->contact;
    const int hold = contact->hold[k];
    contact->hold[k] = contact->hold[mate] = TRM_HOLD_FREE;
    const int decided = mate != k ? trm_contact_turn_to_held(contact, run, k, limits)
                                  : 2 * trm_contact_depends_on(contact, run, k, 0);
    int led = 0;
    for (int i = 0; i < decided && !led; i++) {
        (void)trm_contact_depends_on(contact, run, i == 0 ? mate : k, limits);
        led = is_led(contact, i == 0 ? mate : k);
    }
    contact->hold[k] = contact->hold[mate] = hold;
    return led ? decided : 0;
}

/// The rate along row `mate` of a pair is led: it answers no force while the pair sticks by the
/// other row, and counts as 0.
static void lead_one(trm_contact *contact, int mate)
{
    contact->driven[mate] = TRM_CONTACT_LED_ONE;
    contact->share[mate] = 0;
}

/// contact->driven of row k and its mate, -1: none, which have answered. Where the joints decide
/// the rate of a pair along a direction aslant to both, the pair is turned into it.
static void find_rows(trm_contact *contact, trm_run *run, int k, int mate)
{
    const int n = mate >= 0 ? 2 : 1, rows[] = {k, mate};
    int any = 0;
    for (int i = 0; i < n; i++) {
        any |= contact->driven[rows[i]] = is_driven(contact, run, rows[i]);
    }
    if (!any && n == 2 && trm_contact_turn_to_joints(contact, run, k)) {
        contact->driven[mate] = 1;
    }
}

/// What of the rate of row k, looked at, is roundoff: of its terms, of the speeds of all bodies,
/// and of its largest rate: where a law of motion comes to rest, terms of that size cancel in the
/// formula of the drive. A row that others keep from sliding has the errors of the steps too, for
/// friction at its bound must not turn by them.
static double roundoff_of(const trm_contact *contact, const trm_run *run, int k, double terms,
                          double speed)
{
    const trm_sparse_row *const own = &contact->sparse[k];
    double reach = 0;
    for (int i = 0; i < own->n; i++) {
        reach += fabs(own->G[i]) * run->extent.v[own->column[i]];
    }
    const double cancels = contact->past.fastest[k];
    return TRM_CONTACT_ROUNDOFF * (fabs(contact->g_t[k]) + terms + reach * speed + cancels) +
           (contact->at_rest[k] ? trm_contact_unresolved(run, k) : 0);
}

/// contact->x and rate of row k, looked at, without what the position and v violate the joints by,
/// contact->work.c, and contact->band.
static void correct_by_joints(trm_contact *contact, trm_run *run, int k, double speed)
{
    const trm_sparse_row *const reach = &contact->sparse[k];
    const double *const g = run->system->g;
    double terms = 0;
    for (int j = 0; j < reach->nc; j++) {
        const double g_t = run->system->g_t[reach->row[j]], c = contact->work.c[reach->row[j]];
        contact->x[k] -= reach->L[j] * g[reach->row[j]];
        contact->rate[k] -= reach->L[j] * (c + g_t);
        terms += fabs(reach->L[j]) * (fabs(c) + fabs(g_t));
    }
    if (contact->driven[k]) { // else v of a step that is tried may be anything
        contact->past.fastest[k] = fmax(contact->past.fastest[k], fabs(contact->rate[k]));
    }
    contact->band[k] = roundoff_of(contact, run, k, terms, speed);
}

/// The same without what v violates the first `held` rows of the m in contact->problem.list by,
/// which hold.
static void correct_by_held(trm_contact *contact, int held, int m)
{
    double *const x = contact->problem.p;
    for (int i = held; i < m; i++) {
        const int k = contact->problem.list[i];
        for (int j = 0; j < held; j++) { // what is driven answers no force: C_k = 0
            const trm_sparse_row *const other = &contact->sparse[contact->problem.list[j]];
            x[j] = contact->driven[k]
                       ? trm_sparse_rows_product(&contact->sparse[k], contact->sparse[k].G, other,
                                                 other->C)
                       : contact->problem.W[j * m + i];
        }
        (void)trm_semidefinite_solve(&contact->problem.complementarity, held, NULL,
                                     contact->problem.W, m, INFINITY,
                                     x); // not finite: a rate that is out
        for (int j = 0; j < held; j++) {
            contact->rate[k] -= x[j] * contact->rate[contact->problem.list[j]];
        }
    }
    for (int j = 0; j < held; j++) {
        contact->rate[contact->problem.list[j]] = 0;
    }
}

/// Rates of the rows behind the first `held` of the m in contact->problem.list, looked at, at
/// velocities v.
static void correct_rates(trm_contact *contact, trm_run *run, const double *v, int held, int m)
{
    int asked = 0, holds;
    const int blocks = trm_contact_find_blocks(contact, m, contact->problem.list);
    for (int b = 0; b < blocks; b++) {
        const int n = trm_contact_take_block(contact, b, held, &holds);
        for (int i = 0; n > holds && i < n; i++) { // else nothing asks for a rate
            contact->impact.touching[asked++] = contact->problem.list[i];
        }
    }
    trm_contact_solve_responses(contact, run->system, asked, contact->impact.touching);
    trm_system_multiply_G(run->system, v, contact->work.c);
    const double speed = trm_extents_speed(&run->extent, trm_system_motions(run->system), v);
    for (int i = 0; i < asked; i++) {
        correct_by_joints(contact, run, contact->impact.touching[i], speed);
    }
    for (int b = 0; b < blocks; b++) {
        const int n = trm_contact_take_block(contact, b, held, &holds);
        if (n > holds) {
            trm_contact_form_delassus(contact, run->system, n, contact->problem.list);
        }
        correct_by_held(contact, holds, n);
    }
}

/// Rows that hold, whose number is returned, then those whose rates tell more than events of
/// forces, into contact->problem.list. *m: how many in all.
static int list_watched(trm_contact *contact, int *m)
{
    int held = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (contact->hold[k] && !contact->driven[k]) {
            contact->problem.list[held++] = k;
        }
    }
    *m = held;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (contact->driven[k] || (!contact->hold[k] && trm_contact_is_watched(contact, k))) {
            contact->problem.list[(*m)++] = k;
        }
    }
    return held;
}

/// Where the led rate of a pair that slides has come back to roundoff, and the other one is below
/// the width of slip, the rate has no direction: the pair has come to a halt.
static void note_halts(trm_contact *contact, const trm_run *run)
{
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int mate = contact->model->contacts[k].mate;
        if (mate > k && contact->slip[k] && contact->driven[mate] == TRM_CONTACT_LED_MOVES &&
            fabs(contact->rate[mate]) <= contact->band[mate]) {
            contact->band[mate] += trm_contact_exact(contact, run->now.z + run->system->nq, k);
        }
    }
}

int trm_contact_measure_driven(trm_run *run, double t, const double *z)
{
    trm_contact *const contact = run->contact;
    int m;
    const int held = list_watched(contact, &m);
    if (m == held) {
        return 0;
    }
    const int code = trm_contact_evaluate_at(run, t, z);
    if (!code) {
        correct_rates(contact, run, z + contact->nq, held, m);
        note_halts(contact, run);
    }
    return code;
}

/// Whether the rate of row k, or of its pair, is more than roundoff.
static int moves(trm_contact *contact, trm_run *run, int k)
{
    const int mate = contact->model->contacts[k].mate;
    const int m = mate >= 0 ? 2 : 1;
    contact->problem.list[0] = k;
    contact->problem.list[m - 1] = mate >= 0 ? mate : k;
    correct_rates(contact, run, run->now.z + run->system->nq, 0, m);
    return trm_contact_length(contact, contact->rate, k) > trm_contact_band(contact, k);
}

/// Whether row k, which depends on the rows of the joints here, moves otherwise than by them, where
/// they say u_k = 0: it passes a dead point, and friction acts behind it. Not of a pair.
static int passes_dead_point(trm_contact *contact, trm_run *run, int k)
{
    const trm_sparse_row *const own = &contact->sparse[k];
    const double *const v = run->now.z + run->system->nq;
    const double x = contact->x[k], rate = contact->rate[k];
    double given = contact->g_t[k], departs = trm_sparse_row_product(own, own->G, v);
    (void)moves(contact, run, k);
    contact->x[k] = x; // which decide() corrects
    contact->rate[k] = rate;
    for (int j = 0; j < own->nc; j++) {
        given -= own->L[j] * run->system->g_t[own->row[j]];
        departs -= own->L[j] * contact->work.c[own->row[j]];
    }
    return fabs(given) <= contact->band[k] && fabs(departs) > contact->band[k];
}

/// Friction of row k that has come to a halt, or that nothing has determined so far. What holds is
/// at rest: its event has shown its rate to be zero, which roundoff may move over the band again.
static void decide(trm_run *run, int *as, int k)
{
    trm_contact *const contact = run->contact;
    const int mate = contact->model->contacts[k].mate, driven = trm_contact_is_driven(contact, k);
    const int led = contact->trial.row[k] == TRM_CONTACT_LED && contact->hold[k];
    const int halts = (driven || led) && contact->hold[k];
    const int goes = (driven || !as[k]) && !halts && moves(contact, run, k);
    as[k] = driven || led || goes ? TRM_HOLD_FREE : TRM_HOLD_STICKS;
    if (!as[k]) {
        trm_contact_aim(contact, contact->rate, 1, k);
        trm_contact_release(contact, k, !goes ? 0 : contact->rate[k] > 0 || mate >= 0 ? 1 : -1);
    }
    as[mate >= 0 ? mate : k] = as[k];
    contact->driven[k] = led ? TRM_CONTACT_LED : contact->driven[k];
    if (as[k] && contact->trial.row[k]) {
        trm_contact_set_held(contact, as, k, 1);
    }
}

void trm_contact_free_driven(trm_run *run, int *as)
{
    trm_contact *const contact = run->contact;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (as[k] != TRM_HOLD_LOW && as[k] != TRM_HOLD_HIGH) {
            continue;
        }
        contact->driven[k] = 0;
        trm_contact_solve_responses(contact, run->system, 1, &k);
        if (is_driven(contact, run, k)) {
            as[k] = TRM_HOLD_FREE;
            trm_contact_release(contact, k, 0);
            contact->driven[k] = 1;
        }
    }
}

/// Whether row k, not the second of a pair, has friction of its own to be asked for.
static int is_asked(const trm_contact *contact, const int *as, int k)
{
    return contact->model->contacts[k].friction.given && !trm_hold_is_limit(as[k]) &&
           !trm_contact_is_second(contact, k);
}

static int is_open(const trm_contact *contact, const int *as, int k)
{
    const int normal = contact->model->contacts[k].normal;
    return normal >= 0 && !as[normal];
}

/// Nothing is driven, and the rows that may be answer. contact->trial.row: what was undetermined.
static void ask(trm_run *run, const int *as)
{
    trm_contact *const contact = run->contact;
    int n = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int mate = contact->model->contacts[k].mate, asked = is_asked(contact, as, k);
        if (asked) {
            const int halts = contact->driven[k] == TRM_CONTACT_LED && contact->hold[k];
            contact->trial.row[k] =
                halts ? TRM_CONTACT_LED : trm_contact_is_undetermined(contact, k);
            contact->driven[k] = contact->driven[mate >= 0 ? mate : k] = 0;
        }
        if (asked && !is_open(contact, as, k)) {
            contact->impact.touching[n++] = k;
            if (mate >= 0) {
                contact->impact.touching[n++] = mate;
            }
        }
    }
    trm_contact_solve_responses(contact, run->system, n, contact->impact.touching);
}

void trm_contact_find_driven(trm_run *run, int *as)
{
    trm_contact *const contact = run->contact;
    trm_contact_free_driven(run, as);
    ask(run, as);
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (!is_asked(contact, as, k) || is_open(contact, as, k)) {
            continue;
        }
        const int mate = contact->model->contacts[k].mate;
        find_rows(contact, run, k, mate);
        if (contact->driven[k] && mate < 0 && passes_dead_point(contact, run, k)) {
            contact->driven[k] = 0;
        }
        const int asked = mate >= 0 && !contact->driven[k] && !contact->driven[mate];
        if (asked && run->system->moving && led_directions(run, k, mate, 1) == 1) {
            lead_one(contact, mate);
        }
        if (as[k] == TRM_HOLD_STICKS || contact->trial.row[k]) {
            decide(run, as, k);
        }
    }
}

void trm_contact_renew_driven(trm_run *run, const int *as)
{
    trm_contact *const contact = run->contact;
    for (int k = contact->near[0]; k < contact->n && contact->nc > 0; k = contact->near[k + 1]) {
        const int normal = contact->model->contacts[k].normal,
                  mate = contact->model->contacts[k].mate, rows[] = {k, mate};
        if (normal >= 0 && as[normal] && !contact->hold[normal] && is_asked(contact, as, k)) {
            contact->driven[k] = contact->driven[mate >= 0 ? mate : k] = 0;
            trm_contact_solve_responses(contact, run->system, mate >= 0 ? 2 : 1, rows);
            find_rows(contact, run, k, mate);
        }
    }
}

/// Of row k and those before it in contact->problem.list, that which first comes to the bound of
/// its friction as their forces change along contact->problem.b, either way.
static int first_to_slide(const trm_contact *contact, int k)
{
    int first = k;
    double least = INFINITY;
    for (int i = 0, row = -1; row != k; i++) {
        row = contact->problem.list[i];
        const double y = row == k ? 1 : fabs(contact->problem.b[i]);
        double lo, hi;
        trm_contact_bounds(contact, row, &lo, &hi);
        const double room = fmin(hi - contact->force[row], contact->force[row] - lo);
        if (contact->hold[row] == TRM_HOLD_STICKS && contact->model->contacts[row].mate < 0 &&
            contact->model->contacts[row].friction.given && room < least * y) {
            least = room / y;
            first = row;
        }
    }
    return first;
}

/// Row k, or the pair, which others keep from sliding, is undetermined; where these cannot do it
/// without its friction, it is at its bound, one way or the other. Returns zero where nothing fits.
static int let_go(trm_run *run, const int *as, int k, int mate)
{
    static const int ways[] = {0, 1, -1};
    trm_contact *const contact = run->contact;
    int fits = 0;
    trm_contact_aim(contact, contact->force, -1, k);
    for (int i = 0; i < 3 && !fits; i++) {
        trm_contact_release(contact, k, ways[i]);
        contact->at_rest[k] = contact->at_rest[mate] = ways[i] != 0;
        fits = trm_active_set_try(run, as).fits;
    }
    return fits;
}

int trm_contact_free_led(trm_run *run, const int *as)
{
    trm_contact *const contact = run->contact;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int own = contact->model->contacts[k].mate, mate = own >= 0 ? own : k;
        const int kept = contact->slip[k] && contact->at_rest[k];
        const int sticks = contact->hold[k] == TRM_HOLD_STICKS || (own >= 0 && kept);
        const int slides = contact->slip[k] && !kept && !trm_contact_is_driven(contact, k);
        const int led =
            is_asked(contact, as, k) && (sticks || slides) ? led_directions(run, k, mate, 0) : 0;
        if (led == 1) {
            lead_one(contact, mate);
        }
        if (led < 2) {
            continue;
        }
        const int first = sticks && own < 0 ? first_to_slide(contact, k) : k;
        const int driven = contact->driven[first], other = own < 0 ? first : own;
        contact->driven[first] = TRM_CONTACT_LED;
        if (sticks && !let_go(run, as, first, other)) {
            trm_contact_release(contact, first, 0);
            contact->driven[first] = driven;
            contact->hold[first] = contact->hold[other] = TRM_HOLD_STICKS;
        }
    }
    return trm_contact_accelerate(run);
}
