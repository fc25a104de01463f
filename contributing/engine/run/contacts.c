/// When contacts change in a run: impacts, rows that are caught, rows that are let go. See
/// docs/contact.md.
#include "engine/base/status.h"
#include "engine/run/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// Rates of this part of the largest are roundoff of an impact.
static const double roundoff = 1e-11;

// --------------------------------------------------------------------------------------- refusals

static trm_status refuse(const trm_sim *sim, int row, const char *what, trm_error *err)
{
    const trm_contact_row *info = &sim->model->contacts[row];
    const trm_status status =
        TRM_FAIL(err, TRM_ERR_SINGULAR, info->where, "%sat t = %.9g s: contact '%.60s': %s",
                 sim->run.stats.steps > 0 ? "stopped " : "", sim->run.now.t, info->name, what);
    if (err) {
        err->t = sim->run.now.t;
    }
    return status;
}

static trm_status refuse_outside(const trm_sim *sim, int row, trm_error *err)
{
    const trm_contact_row *info = &sim->model->contacts[row];
    const double x = sim->run.contact->x[row];
    const trm_status status = TRM_FAIL(
        err, TRM_ERR_INCONSISTENT, info->where,
        "the start is outside the limits of '%.60s': it is at %.6g %s, %s %.6g", info->name, x,
        info->unit, x < info->lo ? "below" : "above", x < info->lo ? info->lo : info->hi);
    if (err) {
        err->t = sim->run.now.t;
    }
    return status;
}

// -------------------------------------------------------------------------------- who may be held

/// How row k would be held: at a limit that it touches, or by friction; TRM_FREE: by nothing.
typedef struct candidates {
    int n;
    int *row, *as; ///< [n], in the contact's `list` and `touching`
} candidates;

/// The row is free from now on, and slips as it moves.
static void let_go(trm_contact *contact, int k, int slip)
{
    contact->hold[k] = TRM_FREE;
    contact->force[k] = 0;
    contact->rests[k] = 0;
    contact->slip[k] = contact->model->contacts[k].friction.given ? slip : 0;
}

static double held_at(const trm_contact *contact, int k, int as)
{
    const trm_contact_row *row = &contact->model->contacts[k];
    return as == TRM_AT_LOW ? row->lo : as == TRM_AT_HIGH ? row->hi : contact->x[k];
}

/// Accelerations at now with the rows as they are held.
static int accelerate(trm_run *run)
{
    trm_point_of_run *now = &run->now;
    return trm_run_rates(run, now->t, now->z, now->dz, now->lambda);
}

static double acceleration(const trm_contact *contact, const trm_run *run, int k)
{
    const double *a = run->now.dz + run->system->nq, *G = contact->G + k * contact->nv;
    double sum = contact->rest[k];
    for (int i = 0; i < contact->nv; i++) {
        sum += G[i] * a[i];
    }
    return sum;
}

/// What of that is roundoff: a part of what the accelerations could make of x in any direction,
/// those by the forces alone (contact->f) and those that the rates give, since a direction is known
/// to roundoff too.
static double noise(const trm_contact *contact, const trm_run *run, int k)
{
    const int nq = run->system->nq;
    const double *a = run->now.dz + nq, *v = run->now.z + nq, *G = contact->G + k * contact->nv;
    const double *size = run->extent.v;
    double reach = 0, most = 0, turning = 0;
    for (int i = 0; i < nq; i++) {
        turning = fmax(fabs(run->now.dz[i]) / run->extent.q[i], turning);
    }
    for (int i = 0; i < contact->nv; i++) {
        reach += fabs(G[i]) * size[i];
        most = fmax((fabs(a[i]) + fabs(contact->f[i]) + turning * fabs(v[i])) / size[i], most);
    }
    return roundoff * (fabs(contact->rest[k]) + reach * most);
}

/// The system at now, the joints factored in the mass metric, rows looked at.
static int look(trm_run *run)
{
    trm_system *system = run->system;
    int code = trm_system_position(system, run->now.t, run->now.z);
    code = code || system->nc == 0 ? code : trm_system_factor(system, TRM_METRIC_MASS);
    if (!code) {
        trm_contact_look(run->contact, system, run->now.t, run->now.z);
    }
    return code;
}

/// What the forces p of the candidates say: held, or free to move the way that w points. Returns
/// nonzero where one of them has broken loose from friction that holds more than it slides with.
static int decide(trm_contact *contact, const candidates *c, const double *w)
{
    int broken = 0;
    for (int i = 0; i < c->n; i++) {
        const int k = c->row[i];
        const double p = contact->p[i], lo = contact->lo[i], hi = contact->hi[i];
        const double least = contact->noise[i];
        contact->hold[k] = c->as[k];
        contact->at[k] = held_at(contact, k, c->as[k]);
        contact->rests[k] = 0;
        if ((p <= lo && w[i] > least) || (p >= hi && w[i] < -least)) {
            const trm_scene_friction *f = &contact->model->contacts[k].friction;
            let_go(contact, k, p <= lo ? 1 : -1);
            broken |= f->given && f->sticking > f->sliding;
        } else if (p == 0 && (lo == 0 || hi == 0)) {
            let_go(contact, k, 0);
            contact->rests[k] = 1;
        }
    }
    return broken;
}

enum {
    NO_FORCES = 1000,
    NO_SOLUTION = 1000000,
    SEVERAL = 2000000,
    GAINS = 3000000
}; // and the row, behind a system's codes

/// Row k is held, or free; friction that it loads goes with it.
static void set_held(trm_contact *contact, const int *as, int k, int held)
{
    contact->hold[k] = held ? as[k] : TRM_FREE;
    contact->at[k] = held ? held_at(contact, k, as[k]) : contact->at[k];
    contact->force[k] = 0;
    contact->rests[k] = 0;
    for (int i = 0; i < contact->n; i++) {
        if (contact->model->contacts[i].normal == k) {
            contact->hold[i] = held ? as[i] : TRM_FREE;
            contact->at[i] = contact->x[i];
            contact->force[i] = 0;
        }
    }
}

/// Friction of stops: none where they are open; where they have just closed it sticks or slides as
/// it moves.
static void set_tangents(const trm_run *run, int *as)
{
    trm_contact *contact = run->contact;
    const double *v = run->now.z + run->system->nq;
    for (int k = 0; k < contact->n; k++) {
        const int normal = contact->model->contacts[k].normal;
        double scale = 0;
        if (normal < 0) {
            continue;
        }
        for (int i = 0; i < contact->nv; i++) {
            scale += fabs(contact->G[k * contact->nv + i] * v[i]);
        }
        const double still = run->stats.steps == 0 ? run->options.tolerance : roundoff * scale;
        if (!as[normal]) {
            let_go(contact, k, 0);
            as[k] = TRM_FREE;
        } else if (!as[k] && !contact->slip[k]) {
            as[k] = fabs(contact->rate[k]) <= still ? TRM_STICKS : TRM_FREE;
            let_go(contact, k, as[k] ? 0 : contact->rate[k] > 0 ? 1 : -1);
        }
    }
}

/// A row slides, and the stop below it has no force that fits, or more than one: the code that says
/// which.
static int paradox(trm_run *run, const int *as)
{
    trm_contact *contact = run->contact;
    int k = 0;
    for (int i = contact->n - 1; i >= 0; i--) {
        k = trm_contact_is_loaded(contact, i) ? i : k;
    }
    const int normal = contact->model->contacts[k].normal;
    if (normal < 0) {
        return NO_SOLUTION + k;
    }
    const int side = contact->hold[normal] == TRM_AT_HIGH ? -1 : 1;
    set_held(contact, as, normal, 0);
    int code = accelerate(run);
    code = code ? code : look(run);
    return code                                            ? code
           : side * acceleration(contact, run, normal) < 0 ? NO_SOLUTION + normal
                                                           : SEVERAL + normal;
}

/// How far candidate k is from its condition, in units of its roundoff; more than one: it has to
/// change.
static double misfit(const trm_contact *contact, const trm_run *run, const int *as, int k)
{
    if (contact->hold[k]) {
        double lo, hi;
        trm_contact_bounds(contact, k, &lo, &hi);
        const double p = contact->force[k];
        return fmax(lo - p, p - hi) / (contact->grain[k] + DBL_MIN);
    }
    const int limit = as[k] == TRM_AT_LOW ? 1 : as[k] == TRM_AT_HIGH ? -1 : contact->slip[k];
    return -limit * acceleration(contact, run, k) / (noise(contact, run, k) + DBL_MIN);
}

static void change(trm_contact *contact, const int *as, int k)
{
    if (!contact->hold[k]) {
        contact->slip[k] = 0;
        set_held(contact, as, k, 1);
        return;
    }
    double lo, hi;
    trm_contact_bounds(contact, k, &lo, &hi);
    const int slip = contact->force[k] < lo ? 1 : -1;
    set_held(contact, as, k, 0);
    let_go(contact, k, as[k] == TRM_STICKS ? slip : 0);
}

static void note_floors(trm_contact *contact, const trm_run *run)
{
    int n = trm_contact_list_held(contact), m = n;
    for (int k = 0; k < contact->n; k++) {
        m += trm_contact_is_loaded(contact, k);
    }
    for (int i = 0; i < n; i++) {
        const int k = contact->list[i];
        const double W = fmax(contact->W[i * m + i], DBL_MIN);
        contact->floor[k] = noise(contact, run, k) / W;
        contact->grain[k] = fmax(contact->grain[k], contact->floor[k]);
    }
}

/// The same where friction depends on what presses: bounds follow from forces, so rows are changed
/// one by one, the worst first, until all fit.
static int settle_loaded(trm_run *run, int *as)
{
    enum { CHANGES = 20 };
    trm_contact *contact = run->contact;
    double power;
    int code = look(run);
    for (int k = 0; !code && k < contact->n; k++) {
        if (as[k]) {
            contact->slip[k] = 0;
            contact->hold[k] = as[k];
            contact->at[k] = held_at(contact, k, as[k]);
            contact->rests[k] = 0;
        }
    }
    for (int tries = 0; !code && tries < CHANGES * (contact->n + 1); tries++) {
        int worst = -1;
        double most = 1;
        code = accelerate(run);
        const int loaded = contact->determinant <= 0;
        code = code ? code : look(run);
        if (code || loaded) {
            return code > 0 ? NO_FORCES + 1 : code ? code : paradox(run, as);
        }
        code = trm_system_free_acceleration(run->system, run->now.z + run->system->nq, contact->f,
                                            &power);
        note_floors(contact, run);
        for (int k = 0; k < contact->n; k++) {
            const int normal = contact->model->contacts[k].normal;
            const int idle = normal >= 0 && !contact->hold[normal];
            const double m = as[k] && !idle ? misfit(contact, run, as, k) : 0;
            worst = m > most ? k : worst;
            most = fmax(m, most);
        }
        if (worst < 0) {
            for (int k = 0; k < contact->n; k++) {
                const int limit = as[k] == TRM_AT_LOW || as[k] == TRM_AT_HIGH;
                const double w = fabs(acceleration(contact, run, k));
                contact->rests[k] = limit && !contact->hold[k] && w <= noise(contact, run, k);
            }
            return code;
        }
        change(contact, as, worst);
    }
    return code ? code : NO_FORCES + 1;
}

/// Hold those candidates whose forces fit: as[n] of all rows. Returns a system's code, or more
/// where none fit.
static int settle(trm_run *run, int *as)
{
    trm_contact *contact = run->contact;
    if (contact->model->nloaded > 0) {
        set_tangents(run, as);
        return settle_loaded(run, as);
    }
    for (int tries = 0; tries <= contact->n; tries++) {
        candidates c = {0, contact->list, as};
        for (int k = 0; k < contact->n; k++) {
            if (as[k]) {
                let_go(contact, k, 0);
                c.row[c.n++] = k;
            }
        }
        int code = accelerate(run);
        code = code ? code : look(run);
        if (code || c.n == 0) {
            return code;
        }
        c.n = 0;
        for (int k = 0; k < contact->n; k++) { // the list was used on the way
            c.row[c.n] = k;
            c.n += as[k] != 0;
        }
        trm_contact_respond(contact, run->system, c.n, c.row);
        double power;
        (void)trm_system_free_acceleration(run->system, run->now.z + run->system->nq, contact->f,
                                           &power); // where it succeeded before
        for (int i = 0; i < c.n; i++) {
            const int k = c.row[i];
            contact->hold[k] = as[k];
            trm_contact_bounds(contact, k, &contact->lo[i], &contact->hi[i]);
            contact->hold[k] = TRM_FREE;
            contact->b[i] = acceleration(contact, run, k);
            contact->noise[i] = noise(contact, run, k);
            contact->floor[k] = contact->noise[i] / fmax(contact->W[i * c.n + i], DBL_MIN);
        }
        if (trm_complementarity_solve(&contact->complementarity, c.n, contact->W, contact->b,
                                      contact->lo, contact->hi, contact->noise, contact->p)) {
            return NO_FORCES + 1 + c.row[0];
        }
        for (int i = 0; i < c.n; i++) {
            contact->u[i] = contact->b[i];
            for (int j = 0; j < c.n; j++) {
                contact->u[i] += contact->W[i * c.n + j] * contact->p[j];
            }
        }
        const int broken = decide(contact, &c, contact->u);
        for (int i = 0; i < c.n; i++) {
            const int k = c.row[i];
            as[k] = contact->hold[k] || contact->rests[k] ? as[k] : TRM_FREE;
        }
        if (!broken) {
            break;
        }
    }
    return accelerate(run);
}

// ---------------------------------------------------------------------------------------- impacts

/// The limit that row k touches at now: free rows where they are there up to a slack of the time
/// and roundoff.
static int touches(const trm_sim *sim, int k)
{
    enum { SOME = 16 };
    const trm_contact *contact = sim->run.contact;
    const trm_contact_row *row = &contact->model->contacts[k];
    const double slack = sim->run.options.tolerance;
    const double near = contact->rests[k] || sim->run.stats.steps == 0
                            ? slack
                            : fmax(4 * trm_ahead_slack(&sim->run) * fabs(contact->rate[k]),
                                   SOME * contact->mesh[k]);
    if (row->stiffness > 0) {
        return TRM_FREE;
    }
    if (contact->hold[k] == TRM_AT_LOW || contact->hold[k] == TRM_AT_HIGH) {
        return contact->hold[k];
    }
    return contact->x[k] - row->lo <= near   ? TRM_AT_LOW
           : row->hi - contact->x[k] <= near ? TRM_AT_HIGH
                                             : TRM_FREE;
}

/// Rates and responses of the n rows that touch, in signs of impact.c. Returns the largest rate
/// that closes.
static double prepare(trm_contact *contact, trm_system *system, int n, const int *as)
{
    double most = 0;
    trm_contact_respond(contact, system, n, contact->touching);
    for (int i = 0; i < n; i++) {
        const int k = contact->touching[i], side = as[k] == TRM_AT_HIGH ? -1 : 1;
        const int friction = contact->kin[i] >= 0;
        contact->u[i] = side * contact->rate[k];
        contact->e[i] = friction ? 0 : contact->model->contacts[k].restitution;
        contact->mu[i] = contact->model->contacts[k].coefficient;
        most = fmax(most, friction ? 0 : -contact->u[i]);
        for (int j = 0; j < n; j++) {
            contact->W[i * n + j] *= side;
            contact->W[j * n + i] *= side;
        }
    }
    return most;
}

/// Rows that touch and move neither way afterwards may be held; the others are free.
static void part(trm_contact *contact, int n, int *as, double least)
{
    for (int i = 0; i < n; i++) {
        const int k = contact->touching[i];
        if (contact->u[i] > least && contact->kin[i] < 0) {
            let_go(contact, k, as[k] == TRM_AT_HIGH ? -1 : 1);
            as[k] = TRM_FREE;
        }
    }
}

/// Rows with friction whose rate an impact has changed.
static void slip_anew(trm_contact *contact, int *as, double least)
{ // of a stop's friction that has just closed too
    for (int k = 0; k < contact->n; k++) {
        const int limit = as[k] == TRM_AT_LOW || as[k] == TRM_AT_HIGH;
        if (contact->model->contacts[k].friction.given && !limit) {
            const double rate = contact->rate[k];
            as[k] = fabs(rate) > least ? TRM_FREE : TRM_STICKS;
            let_go(contact, k, rate > 0 ? 1 : -1);
        }
    }
}

/// The rows at their limits, and behind them friction of theirs, into contact->touching and kin.
/// Returns how many.
static int list_touching(trm_contact *contact, const int *as)
{
    int n = 0;
    for (int k = 0; k < contact->n; k++) {
        if (as[k] == TRM_AT_LOW || as[k] == TRM_AT_HIGH) {
            contact->kin[n] = -1;
            contact->touching[n++] = k;
        }
    }
    for (int i = 0, normals = n; i < normals; i++) {
        for (int k = 0; k < contact->n; k++) {
            if (contact->model->contacts[k].normal == contact->touching[i]) {
                contact->kin[n] = i;
                contact->touching[n++] = k;
            }
        }
    }
    return n;
}

/// Impulses of all rows that touch. as[n] becomes how they may be held. Returns a system's code, or
/// more: no solution.
static int strike(trm_sim *sim, int *as)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    const int n = list_touching(contact, as);
    double *const v = run->now.z + run->system->nq, *const work = &run->now.z[run->n - 1];
    const double most = prepare(contact, run->system, n, as);
    const double least =
        fmax(roundoff * most, sim->run.stats.steps == 0 ? run->options.tolerance : 0);
    if (!(most > least)) {
        part(contact, n, as, least);
        return 0;
    }
    const double lost = trm_contact_strike(contact, n, contact->e, least, contact->P);
    if (isnan(lost)) {
        return NO_FORCES + 1 + contact->touching[0];
    }
    if (lost < -roundoff * trm_system_kinetic(run->system, v)) {
        return GAINS + contact->touching[0];
    }
    for (int i = 0; i < n; i++) {
        const int k = contact->touching[i], side = as[k] == TRM_AT_HIGH ? -1 : 1;
        for (int j = 0; j < contact->nv; j++) {
            v[j] += side * contact->P[i] * contact->C[i * contact->nv + j];
        }
    }
    *work -= lost;
    sim->impacts.count++;
    sim->impacts.energy_lost += lost;
    sim->impacts.last = run->now.t;
    part(contact, n, as, least);
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    slip_anew(contact, as, roundoff * most);
    return 0;
}

/// Flights that are too short for two events to be told apart, or too low for a gap to be seen, end
/// bouncing: those that follow last e/(1 - e) times as long. The time of an event is known to 16
/// roundings, a gap to its resolution: 64 of either are known to two digits, less is noise. Returns
/// the shortest other flight, s, and in *ended whether some have ended; as[n] then has them again.
static double flights(trm_sim *sim, const int *was, int *as, int *ended)
{
    enum { EVENTS = 64 };
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    double shortest = INFINITY;
    for (int k = 0; k < contact->n; k++) {
        const int limit = was[k] == TRM_AT_LOW || was[k] == TRM_AT_HIGH;
        const int side = was[k] == TRM_AT_HIGH ? -1 : 1;
        if (!limit || as[k] || contact->hold[k] || contact->rests[k]) {
            continue;
        }
        const double a = side * acceleration(contact, run, k), u = side * contact->rate[k];
        const double flight = a < 0 && u > 0 ? -2 * u / a : INFINITY;
        const double height = flight * u / 4, e = contact->model->contacts[k].restitution;
        const int tells =
            flight > EVENTS * trm_ahead_slack(run) && height > EVENTS * contact->mesh[k];
        if (!tells && e < 1) {
            as[k] = was[k];
            *ended = 1;
            sim->impacts.rest = run->now.t + flight / (1 - e); // e = 1 lasts for ever
        } else {
            shortest = fmin(shortest, flight);
        }
    }
    return shortest;
}

/// What bounced is at rest: its rates, and the energy in them, go.
static int come_to_rest(trm_sim *sim, int *as)
{
    trm_run *run = &sim->run;
    double *const z = run->now.z, *const v = z + run->system->nq;
    int code = settle(run, as);
    const double before = trm_system_kinetic(run->system, v);
    code = code ? code : trm_contact_correct(run->contact, run->system, run->now.t, z);
    const double lost = before - trm_system_kinetic(run->system, v);
    z[run->n - 1] -= lost;
    sim->impacts.energy_lost += lost;
    sim->impacts.settled++;
    return code ? code : accelerate(run);
}

static trm_status fail(const trm_sim *sim, int code, trm_error *err)
{
    if (code >= GAINS) {
        return refuse(sim, code - GAINS,
                      "this impact would gain energy: Newton's restitution, with different values "
                      "at once or with friction, may; \"impact\": \"poisson\" does not with one "
                      "value",
                      err);
    }
    if (code >= SEVERAL) {
        return refuse(sim, code - SEVERAL,
                      "Painleve's paradox: under this friction it has two motions, pressed and "
                      "open",
                      err);
    }
    if (code >= NO_SOLUTION) {
        return refuse(sim, code - NO_SOLUTION,
                      "Painleve's paradox: under this friction no force holds it, and without one "
                      "it closes",
                      err);
    }
    return code > NO_FORCES ? refuse(sim, code - NO_FORCES - 1,
                                     "no forces fit: the stops that touch leave no motion, or "
                                     "numbers are not finite",
                                     err)
                            : trm_run_fail_code(&sim->run, code, err);
}

/// All that touches at now, row `closed` (-1: none) at its limit `at` among them: impacts, then
/// what is held.
static trm_status resolve(trm_sim *sim, int closed, int at, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    int *const as = contact->as, *const was = contact->was;
    const double stretch = 1.5; // a flight under a force that changes
    int code = look(run), ended = 0;
    for (int k = 0; !code && k < contact->n; k++) {
        const int limit = k == closed ? at : touches(sim, k);
        as[k] = limit ? limit : contact->hold[k];
    }
    memcpy(was, as, (size_t)contact->n * sizeof *was);
    code = code ? code : strike(sim, as);
    for (int k = 0; k < contact->n; k++) {
        contact->kept[k] = as[k];
    }
    code = code ? code : settle(run, as);
    if (!code) {
        memcpy(as, contact->kept, (size_t)contact->n * sizeof *as);
        const double shortest = flights(sim, was, as, &ended);
        sim->ahead.flight = isfinite(shortest) ? stretch * shortest : INFINITY;
        code = ended ? come_to_rest(sim, as) : 0;
    }
    return code ? fail(sim, code, err) : TRM_OK;
}

// ----------------------------------------------------------------------------------------- events

/// Row k, held, is at a bound of its force: it goes where that pushes it, and the others stay where
/// forces fit.
static int release(trm_sim *sim, int k, int which)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    int *const as = contact->as;
    set_held(contact, contact->hold, k, 0);
    let_go(contact, k, which == 0 ? 1 : -1);
    for (int i = 0; i < contact->n; i++) {
        as[i] = contact->hold[i];
    }
    return settle(run, as);
}

/// Row k slides to a halt.
static int halt(trm_sim *sim, int k)
{
    trm_contact *contact = sim->run.contact;
    for (int i = 0; i < contact->n; i++) {
        contact->as[i] = i == k ? TRM_STICKS : contact->hold[i];
    }
    return settle(&sim->run, contact->as);
}

trm_status trm_sim_turn_contact(trm_sim *sim, int which, trm_error *err)
{
    enum { AT_ONE_TIME = 100000 };
    const double one_time = 1e-9; // of the time
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    const int k = which / TRM_CONTACT_FUNCTIONS, function = which % TRM_CONTACT_FUNCTIONS;
    const trm_contact_row *row = &sim->model->contacts[k];
    int code = 0;
    sim->ahead.flight = INFINITY;
    const int apart = run->now.t > sim->t_turned + one_time * fabs(run->now.t);
    sim->turns = apart ? 0 : sim->turns + 1;
    sim->t_turned = apart ? run->now.t : sim->t_turned;
    if (sim->turns > AT_ONE_TIME) {
        return refuse(sim, k, "it strikes, or is caught and let go, without end at this time", err);
    }
    sim->impacts.changes++;
    if (function == 3) {
        code = look(run);
        memcpy(contact->as, contact->hold, (size_t)contact->n * sizeof(int));
        code = code ? code : paradox(run, contact->as);
    } else if (contact->hold[k]) {
        code = release(sim, k, function);
    } else if (function == 2) {
        code = halt(sim, k);
    } else if (row->stiffness > 0) {
        contact->presses[k] = contact->presses[k] ? 0 : function == 0 ? -1 : 1;
        code = accelerate(run);
    } else {
        TRM_TRY(resolve(sim, k, function == 0 ? TRM_AT_LOW : TRM_AT_HIGH, err));
    }
    if (code) {
        return fail(sim, code, err);
    }
    run->shifted = 1;
    sim->ahead.h_before = 0;
    sim->ahead.expected = run->now.t + sim->ahead.flight;
    code = trm_sim_measure_shifted(sim);
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

trm_status trm_sim_begin_contacts(trm_sim *sim, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    sim->struck = 0;
    sim->turns = 0;
    sim->t_turned = -INFINITY;
    sim->impacts = (trm_impacts){.last = NAN, .rest = NAN};
    if (!contact) {
        return TRM_OK;
    }
    trm_contact_start(contact);
    sim->ahead.flight = INFINITY;
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    for (int k = 0; k < contact->n; k++) {
        const trm_contact_row *row = &sim->model->contacts[k];
        const double x = contact->x[k], tolerance = run->options.tolerance;
        const int below = x<row->lo - tolerance, above = x> row->hi + tolerance;
        if (row->stiffness > 0) {
            contact->presses[k] = x < row->lo ? -1 : x > row->hi;
        } else if (below || above) {
            return refuse_outside(sim, k, err);
        }
        if (row->friction.given) {
            const int still = fabs(contact->rate[k]) <= tolerance;
            contact->slip[k] = still ? 0 : contact->rate[k] > 0 ? 1 : -1;
            contact->hold[k] = still ? TRM_STICKS : TRM_FREE;
            contact->at[k] = x;
        }
    }
    TRM_TRY(resolve(sim, -1, TRM_FREE, err));
    sim->ahead.expected = run->now.t + sim->ahead.flight;
    return TRM_OK;
}

void trm_sim_note_contacts(trm_sim *sim)
{
    trm_run *run = &sim->run;
    trm_contact *contact = run->contact;
    if (!contact) {
        return;
    }
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    for (int k = 0; k < contact->n; k++) {
        const trm_contact_row *row = &sim->model->contacts[k];
        const double outside = fmax(row->lo - contact->x[k], contact->x[k] - row->hi);
        const double gap = contact->hold[k]     ? fabs(contact->x[k] - contact->at[k])
                           : row->stiffness > 0 ? 0
                                                : fmax(outside, 0);
        const double size = row->unit[0] == 'm' && sim->size > 0 ? sim->size : 1;
        sim->measure.gap_max = fmax(sim->measure.gap_max, gap / size);
    }
}

// -------------------------------------------------------------------------------------- the caller

int trm_model_contacts(const trm_model *model)
{
    return model ? model->ncontacts : 0;
}

trm_contact_info trm_model_contact_info(const trm_model *model, int contact)
{
    if (!model || contact < 0 || contact >= model->ncontacts) {
        return (trm_contact_info){0};
    }
    const trm_contact_row *row = &model->contacts[contact];
    return (trm_contact_info){row->name, row->where, row->unit, row->lo, row->hi};
}

int trm_sim_contact(const trm_sim *sim, int contact, trm_contact_state *out)
{
    if (!sim || !out || !sim->run.contact || contact < 0 || contact >= sim->model->ncontacts) {
        return 0;
    }
    trm_contact *const c = sim->run.contact;
    trm_contact_measure(c, sim->run.system, sim->run.now.t, sim->run.now.z);
    *out = (trm_contact_state){.mode = (trm_contact_mode)c->hold[contact],
                               .x = c->x[contact],
                               .rate = c->rate[contact],
                               .force = c->force[contact]};
    return 1;
}

trm_impacts trm_sim_impacts(const trm_sim *sim)
{
    return sim ? sim->impacts : (trm_impacts){.last = NAN, .rest = NAN};
}
