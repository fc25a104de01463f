/// Which contacts are held, stick, slide or open at now. Forces of all that touch and rest are one
/// complementarity problem (complementarity.h, coulomb.h); friction by a joint's reaction makes it
/// nonlinear. So a solution is found in turn by
///
///   1  all held, redundant ones sharing their load;
///   2  the complementarity problem, by a method that ends (candidates.c);
///   3  changing the row that fits worst, from there; where that has no forces, from all held.
///
/// Each is tried on the equations themselves: what fits there is what counts, with a determinant
/// above 0 (contact.h). Where none does, or two move differently, the impulse level decides.
#include "simulation/contact_modes/trial_set.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// Friction of stops: none where they are open; where they have just closed it sticks or slides as
/// it moves.
static void set_tangents(const trm_run *run, int *as)
{
    trm_contact *contact = run->contact;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int normal = contact->model->contacts[k].normal;
        if (normal < 0 || trm_contact_is_second(contact, k)) {
            continue;
        }
        const double still = trm_contact_unresolved(run, k);
        if (!as[normal]) {
            trm_contact_release(contact, k, 0);
            as[k] = TRM_HOLD_FREE;
        } else if (!as[k] && !contact->slip[k] && !trm_contact_is_undetermined(contact, k)) {
            const double rate = trm_contact_length(contact, contact->rate, k);
            as[k] = rate <= still ? TRM_HOLD_STICKS : TRM_HOLD_FREE;
            trm_contact_aim(contact, contact->rate, 1, k);
            trm_contact_release(contact, k, as[k] ? 0 : contact->rate[k] > 0 ? 1 : -1);
        }
        if (contact->model->contacts[k].mate >= 0) {
            as[contact->model->contacts[k].mate] = as[k];
        }
    }
}

// ------------------------------------------------------------------------------------ other ways

/// Roundoffs within which accelerations by two sets of rows are the same motion: what W of a set
/// is ill conditioned by. Half and double: campaign/numbers.
static const double SAME = 1e3;

/// Whether two motions are the same.
static int is_same(const trm_contact *contact, const trm_run *run, const double *a)
{
    const double *now = run->now.dz + run->system->nq;
    double most = 0, apart = 0;
    for (int i = 0; i < trm_system_motions(run->system); i++) {
        most = fmax(most, (fabs(now[i]) + fabs(contact->work.f[i])) / run->extent.v[i]);
        apart = fmax(apart, fabs(now[i] - a[i]) / run->extent.v[i]);
    }
    return apart <= SAME * TRM_CONTACT_ROUNDOFF * most;
}

/// Whether pair k, which slides aslant to its acceleration, slides on. Its aim s turns to that of
/// s + a/(mu N W), W the trace of that of the pair alone: it does not turn too far. It
/// sticks where that is within its bound, and a is against s rather than across it.
static int turns(trm_contact *contact, trm_run *run, int k, int mate)
{
    double *const p = contact->problem.p;
    const double W = trm_contact_square(contact, run->system, k, 1, contact->sparse[k].G) +
                     trm_contact_square(contact, run->system, mate, 1, contact->sparse[mate].G);
    const double a = trm_contact_acceleration(contact, run, k),
                 b = trm_contact_acceleration(contact, run, mate);
    const double along = contact->aim[k] * a + contact->aim[mate] * b;
    const double across = fabs(contact->aim[k] * b - contact->aim[mate] * a);
    const double whole = fmax(contact->load[k] * W, DBL_MIN);
    p[k] = contact->aim[k] + a / whole;
    p[mate] = contact->aim[mate] + b / whole;
    const int slides = hypot(p[k], p[mate]) > 1 || across > -along;
    if (slides) {
        trm_contact_aim(contact, p, 1, k);
    }
    return slides;
}

/// Row k is held, or let go: to the side that its force says and, where that was no end, to the
/// other one, in turn.
static void change(trm_contact *contact, trm_run *run, const int *as, int k)
{
    if (!contact->hold[k]) {
        const int mate = contact->model->contacts[k].mate;
        if (mate >= 0 && !trm_contact_is_driven(contact, k) && turns(contact, run, k, mate)) {
            return;
        }
        contact->slip[k] = 0;
        contact->slip[mate >= 0 ? mate : k] = 0;
        trm_contact_set_held(contact, as, k, 1);
        return;
    }
    double lo, hi;
    trm_contact_bounds(contact, k, &lo, &hi);
    const int turn = contact->trial.state[k]++ % 2 ? -1 : 1;
    const int slip = contact->force[k] < lo ? turn : -turn;
    trm_contact_aim(contact, contact->force, -1, k);
    trm_contact_set_held(contact, as, k, 0);
    trm_contact_release(contact, k, as[k] == TRM_HOLD_STICKS ? slip : trm_hold_side(as[k]));
}

/// The row to change behind `row` (-1: none) where no forces exist: back, where it has been let go,
/// or else the next one.
static int next_row(const trm_contact *contact, const int *as, int row)
{
    int k = row, found = row >= 0 && !contact->hold[row];
    for (int i = contact->near[0]; i < contact->n && !found; i++) { // no fewer than are near
        k = contact->near[k + 1] < contact->n ? contact->near[k + 1] : contact->near[0];
        const int normal = contact->model->contacts[k].normal;
        found =
            as[k] && !trm_contact_is_second(contact, k) && (normal < 0 || contact->hold[normal]);
    }
    return found ? k : -1;
}

/// From what is held now, the worst row first.
static trm_active_set_result change_worst(trm_run *run, const int *as)
{
    enum { CHANGES = 20 }; // per row
    trm_active_set_result o = trm_active_set_try(run, as);
    const int most = CHANGES * (run->contact->n + 1);
    memset(run->contact->trial.state, 0, (size_t)run->contact->n * sizeof(int));
    int row = o.worst >= 0 ? o.worst : next_row(run->contact, as, -1);
    for (int k = 0; k < most && !o.code && !o.fits && row >= 0; k++) {
        change(run->contact, run, as, row);
        o = trm_active_set_try(run, as);
        row = o.worst >= 0 ? o.worst : next_row(run->contact, as, row);
    }
    return o;
}

/// Nothing fits. Where it is Painleve's friction that leaves none, what presses may open as well.
static int why_none(trm_run *run, const int *as, int paradox)
{
    trm_contact *const contact = run->contact;
    if (!paradox) {
        return TRM_ACTIVE_SET_NO_FORCES;
    }
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (trm_hold_is_limit(as[k])) {
            trm_contact_release(contact, k, 0);
        }
    }
    const trm_active_set_result o = trm_active_set_try(run, as);
    return o.code ? o.code : o.fits ? TRM_ACTIVE_SET_SEVERAL_MOTIONS : TRM_ACTIVE_SET_NO_MOTION;
}

/// The row that a refusal names: a stop that is loaded, or friction of a joint.
static int row_to_name(const trm_contact *contact, const int *as)
{
    int named = -1;
    for (int k = contact->n - 1; k >= 0; k--) {
        const int loaded = contact->slip[k] && contact->model->contacts[k].coefficient > 0;
        const int normal = contact->model->contacts[k].normal;
        named = (as[k] && named < 0) || loaded ? (normal >= 0 ? normal : k) : named;
    }
    return named < 0 ? 0 : named;
}

void trm_contact_hold_all(trm_contact *contact, const int *as)
{
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int normal = contact->model->contacts[k].normal;
        if (as[k] && (normal < 0 || as[normal])) {
            contact->slip[k] = 0;
            contact->hold[k] = as[k];
            contact->at[k] = trm_active_set_place(contact, k, as[k]);
            contact->at_rest[k] = 0;
        }
    }
}

/// What fits, from the first try `o` on.
static trm_active_set_result search(trm_run *run, const int *as, int loose, trm_active_set_result o)
{
    const int code = trm_active_set_propose(run, as, loose);
    o = code < 0 ? (trm_active_set_result){.code = code} : code ? o : trm_active_set_try(run, as);
    if (o.code || o.fits) {
        return o;
    }
    if (code || o.worst < 0) {
        trm_contact_hold_all(run->contact, as);
    }
    if (code && loose >= 0 && run->contact->model->contacts[loose].mate >= 0) { // at its bound
        trm_contact_release(run->contact, loose, 1);
    }
    return change_worst(run, as);
}

static int find(trm_run *run, int *as, int loose)
{
    trm_contact *contact = run->contact;
    int code = trm_contact_evaluate_now(run);
    if (code) {
        return code;
    }
    set_tangents(run, as);
    trm_contact_find_driven(run, as);
    contact->trial.refused = row_to_name(contact, as);
    contact->problem.way = 1;
    if (loose == TRM_ACTIVE_SET_ALL_ANEW) {
        trm_contact_hold_all(contact, as);
        memset(contact->share, 0, (size_t)contact->n * sizeof *contact->share);
    }
    const int pair = loose >= 0 && contact->model->contacts[loose].mate >= 0;
    if (loose >= 0 && contact->slip[loose] && !pair) {
        contact->at_rest[loose] = trm_contact_depends_on(contact, run, loose, 0);
    }
    trm_active_set_result o = {.worst = -1};
    o = pair ? o : trm_active_set_try(run, as); // of pairs others may take more
    const int paradox = o.paradox, doubtful = paradox && !o.code && o.fits;
    memcpy(contact->trial.a, run->now.dz + run->system->nq, (size_t)contact->nv * sizeof(double));
    o = o.code || (o.fits && !o.paradox) ? o : search(run, as, loose, o);
    if (doubtful && !o.code && o.fits && !is_same(contact, run, contact->trial.a)) {
        return TRM_ACTIVE_SET_SEVERAL_MOTIONS;
    }
    code = o.code;
    if (!code && (o.paradox || !o.fits)) {
        code = why_none(run, as, paradox || o.paradox);
    }
    if (!code) {
        trm_contact_note_at_rest(run, as);
        code = run->system->moving ? trm_contact_free_led(run, as) : 0;
    }
    return code;
}

/// Whether friction without a rate has no load: any force fits, and none.
static int is_unloaded(const trm_contact *contact)
{
    int unloaded = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const trm_contact_row *const row = &contact->model->contacts[k];
        const int rests = contact->hold[k] == TRM_HOLD_STICKS || contact->slip[k];
        unloaded |= rests && row->coefficient > 0 && row->normal < 0 &&
                    contact->load[k] <= TRM_CONTACT_ROUNDOFF * contact->past.most[k];
    }
    return unloaded;
}

/// Where friction has no load yet, forces a moment later tell what will hold: of the time alone
/// they grow in the same ratios. sqrt(eps) of a time errs as little by rounding as by its length.
int trm_contact_find_active_set(trm_run *run, int *as, int loose)
{
    const double t = run->now.t;
    int code = find(run, as, loose);
    if ((code == 0 || code >= TRM_ACTIVE_SET_NO_FORCES) && is_unloaded(run->contact)) {
        run->now.t += fmax(sqrt(DBL_EPSILON) * fabs(t), trm_run_little_while(run));
        code = find(run, as, loose);
        run->now.t = t;
        code = code ? code : trm_contact_accelerate(run);
    }
    return code;
}
