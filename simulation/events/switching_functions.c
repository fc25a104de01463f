/// Switching functions by their numbers, their modes, and their values along a step.
#include "simulation/events/switching_functions.h"

#include "engine/enclosure/switch_numbers.h"
#include "simulation/contact_modes/active_set.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

trm_switching_place trm_locator_function_of(const trm_locator *locator, int which)
{
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        const trm_switching_formula *formula = &locator->model->switching_formulas[i];
        const int k = which - formula->f.first_switching_function;
        if (k >= 0 && k < trm_expression_switching_functions(formula->f.code)) {
            return (trm_switching_place){formula, k};
        }
    }
    return (trm_switching_place){NULL, 0};
}

void trm_locator_describe(const trm_locator *locator, int which, char *out, size_t size)
{
    const trm_switching_place at = trm_locator_function_of(locator, which);
    snprintf(out, size, "'%s' in the formula of '%.60s'",
             trm_expression_switching_function(at.formula->f.code, at.k).name, at.formula->name);
}

int trm_locator_is_at_branch_cut(const trm_locator *locator, int which, int beginning)
{
    static const double three_eighths =
        2.35619449019234492885; // of a turn; the other edge is at one quarter
    if (which >= locator->model->nswitching_functions) {
        return 0; // of a contact
    }
    const trm_switching_place at = trm_locator_function_of(locator, which);
    return at.formula->driven &&
           trm_expression_switching_function(at.formula->f.code, at.k).kind ==
               TRM_SWITCHING_ANGLE &&
           fabs(beginning ? locator->values.g0[which] : locator->values.g1[which]) > three_eighths;
}

trm_switching_mode trm_locator_mode_of(const trm_locator *locator, int which, double g)
{
    const trm_switching_place at = trm_locator_function_of(locator, which);
    return trm_switching_mode_at(at.formula->f.code, at.k, g);
}

double trm_locator_margin(const trm_locator *locator, int which, double g)
{
    if (which >= locator->model->nswitching_functions) {
        return g; // of a contact: above zero
    }
    const trm_switching_place at = trm_locator_function_of(locator, which);
    double lo, hi;
    trm_switching_mode_interval(at.formula->f.code, at.k, locator->mode[which], &lo, &hi);
    return isnan(g) ? NAN : fmin(g - lo, hi - g);
}

void trm_locator_extrapolate(trm_locator *locator, trm_run *run, double delta)
{
    trm_system *const system = run->system;
    const int nq = system->nq, nv = system->nv;
    const double *z = run->now.z, *a = run->now.dz + nq;
    double *const v = locator->z + nq;
    for (int i = 0; i < nv; i++) {
        v[i] = delta * (z[nq + i] + 0.5 * delta * a[i]);
    }
    memcpy(locator->z, z, (size_t)nq * sizeof(double));
    trm_system_move(system, v, locator->z);
    for (int i = 0; i <= nv; i++) { // the work too
        v[i] = z[nq + i] + delta * a[i];
    }
}

double trm_locator_short_time(const trm_locator *locator, const trm_run *run)
{
    const double next = fmax(run->h_next, run->options.h),
                 flight = locator->t_flight_ends - run->now.t;
    const double span = trm_locator_horizon(locator);
    const double little = next > 0 ? TRM_EVENT_SHORT_TIME * (span > 0 ? fmin(next, span) : next)
                                   : trm_run_little_while(run);
    return flight > 0 ? fmin(little, flight / TRM_EVENT_SUBSTEPS) : little;
}

void trm_locator_extrapolate_shortly(trm_locator *locator, trm_run *run, double *t)
{
    const double delta = trm_locator_short_time(locator, run);
    trm_locator_extrapolate(locator, run, delta);
    *t = run->now.t + delta;
    // a taut rope holds a curved path, which the error of the extrapolation must not leave
    if (run->contact && trm_contact_list_held(run->contact) > 0) {
        (void)trm_contact_correct(run->contact, run->system, *t, locator->z);
        (void)trm_contact_evaluate_now(run);
    }
}

/// Whether function `only` (-1: any) of contacts reads forces, or what follows from other rows.
/// Gaps and rates of slip are of their own row alone: they are located without touching the others.
static int needs_forces(const trm_contact *contact, int only)
{
    const int k = only / TRM_CONTACT_FUNCTIONS;
    return only < 0 || contact->hold[k] || contact->driven[k] ||
           trm_contact_is_half_driven(contact, k) || trm_contact_is_watched(contact, k) ||
           only % TRM_CONTACT_FUNCTIONS > TRM_CONTACT_SLIP;
}

/// Functions of contacts at (t, z), or of the contact alone that has number `only` (-1: all);
/// forces of what is held are those there.
static int contacts_at(trm_locator *locator, trm_run *run, double t, const double *z, int only,
                       double *g)
{
    trm_contact *contact = run->contact;
    int code = 0;
    if (!contact || run->method_ops->steps_contacts) {
        return 0;
    }
    if (needs_forces(contact, only) && trm_contact_list_held(contact) > 0) {
        contact->blocks.focus = only < 0 ? 0 : 1 + only / TRM_CONTACT_FUNCTIONS;
        code = trm_run_rates(run, t, z, contact->work.dz, contact->work.lambda);
        contact->blocks.focus = 0;
    }
    const int own = only / TRM_CONTACT_FUNCTIONS;
    if (only >= 0) {
        (void)trm_contact_measure_one(contact, run->system, t, z, own);
    } else {
        trm_contact_measure(contact, run->system, t, z);
    }
    code = code || !needs_forces(contact, only) ? code : trm_contact_measure_driven(run, t, z);
    g += locator->model->nswitching_functions;
    for (int k = only >= 0 ? own : contact->near[0]; k < contact->n;
         k = only >= 0 ? contact->n : contact->near[k + 1]) {
        for (int i = 0; i < TRM_CONTACT_FUNCTIONS; i++) {
            g[TRM_CONTACT_FUNCTIONS * k + i] = trm_contact_function(contact, k, i);
        }
    }
    return code;
}

void trm_locator_rates_at(trm_locator *locator, trm_run *run, double t, const double *z, double *g)
{
    trm_contact *const contact = run->contact;
    if (!contact || run->method_ops->steps_contacts) {
        return;
    }
    trm_contact_measure(contact, run->system, t, z);
    const int code = trm_contact_measure_driven(run, t, z);
    g += locator->model->nswitching_functions;
    for (int k = contact->near[0]; !code && k < contact->n; k = contact->near[k + 1]) {
        const int i = TRM_CONTACT_FUNCTIONS * k + TRM_CONTACT_SLIP;
        g[i] = trm_contact_function(contact, k, TRM_CONTACT_SLIP);
    }
}

/// Those of formula `only`; -1: of all.
static void formula_at(trm_run *run, double t, const double *z, int only, double *g)
{
    if (run->observe) {
        run->observe(run, t, z);
    }
    trm_system_switching_values(run->system, t, z, z + run->system->nq, only, g);
}

void trm_locator_formulas_at(trm_run *run, double t, const double *z, double *g)
{
    formula_at(run, t, z, -1, g);
}

int trm_locator_values_at(trm_locator *locator, trm_run *run, double t, const double *z, int k,
                          double *g)
{
    const trm_model *const model = locator->model;
    const int contact = k - model->nswitching_functions;
    if (contact < 0) {
        const trm_switching_formula *const one = trm_locator_function_of(locator, k).formula;
        formula_at(run, t, z, one ? (int)(one - model->switching_formulas) : -1, g);
    }
    return contact < 0 && k >= 0 ? 0 : contacts_at(locator, run, t, z, k < 0 ? -1 : contact, g);
}

/// Body b and all states at t on the dense output. Returns nonzero where all has to be asked for.
static int dense_body(const trm_locator *locator, trm_run *run, double t, int b)
{
    const trm_bodies *const bodies = &locator->model->bodies;
    const trm_body_info *const info = &locator->model->body_info[b];
    const trm_bodies one = trm_bodies_one(bodies, b);
    int (*const part)(trm_run *, double, int, int, double *) = run->method_ops->dense_part;
    const int nq = run->system->nq, states = bodies->states;
    const int failed = part(run, t, info->q0, info->nq, locator->z) ||
                       part(run, t, nq + info->v0, info->nv, locator->z) ||
                       (states > 0 && part(run, t, nq + bodies->nv - states, states, locator->z));
    trm_bodies_normalize(&one, locator->z + info->q0);
    return failed;
}

/// The bodies of a row at t on the dense output, where nothing else tells its functions. Returns
/// nonzero where all has to be asked for.
static int dense_row(const trm_locator *locator, trm_run *run, double t, const trm_contact_row *row)
{
    int failed = !run->method_ops->dense_part || locator->model->joints || row->scale.code;
    for (int b = 0; !failed && b < row->nbodies; b++) {
        const int body = row->bodies[b];
        failed =
            body >= 0 && body < locator->model->sizes.nbody && dense_body(locator, run, t, body);
    }
    return failed;
}

/// The same of contact k and its mate.
static int dense_alone(const trm_locator *locator, trm_run *run, double t, int k)
{
    const trm_contact_row *const rows = locator->model->contacts;
    k = trm_contact_is_second(run->contact, k) ? rows[k].mate : k;
    if (2 * rows[k].nbodies >= locator->model->sizes.nbody) {
        return 1; // all at once costs less
    }
    return dense_row(locator, run, t, &rows[k]) ||
           (rows[k].mate >= 0 && dense_row(locator, run, t, &rows[rows[k].mate]));
}

int trm_locator_dense_values_at(trm_locator *locator, trm_run *run, double t, int k, double *g)
{
    const int contact = k - locator->model->nswitching_functions;
    if (k >= 0 && contact >= 0 && !needs_forces(run->contact, contact) &&
        !dense_alone(locator, run, t, contact / TRM_CONTACT_FUNCTIONS)) {
        return contacts_at(locator, run, t, locator->z, contact, g);
    }
    const int code = run->method_ops->dense(run, t, locator->z);
    return code ? code : trm_locator_values_at(locator, run, t, locator->z, k, g);
}

double trm_locator_sampled_value(trm_locator *locator, trm_run *run, int k, int i)
{
    const double t0 = run->before.t, h = run->now.t - t0;
    trm_step_values *const values = &locator->values;
    for (int j = 1; j < TRM_EVENT_SUBSTEPS && values->samples == TRM_SAMPLES_NOT_EVALUATED; j++) {
        double *const g = values->g_samples + (j - 1) * locator->nfunctions;
        const double t = t0 + h * j / TRM_EVENT_SUBSTEPS;
        values->samples = trm_locator_dense_values_at(locator, run, t, -1, g)
                              ? TRM_SAMPLES_FAILED
                              : TRM_SAMPLES_NOT_EVALUATED;
    }
    values->samples =
        values->samples == TRM_SAMPLES_FAILED ? TRM_SAMPLES_FAILED : TRM_SAMPLES_KNOWN;
    return values->samples == TRM_SAMPLES_KNOWN
               ? values->g_samples[(i - 1) * locator->nfunctions + k]
               : NAN;
}

int trm_locator_contact_of(const trm_locator *locator, int which)
{
    const int i = which - locator->model->nswitching_functions;
    return i < 0 ? -1 : i / TRM_CONTACT_FUNCTIONS;
}

int trm_locator_is_halt(const trm_locator *locator, int which)
{
    const int i = which - locator->model->nswitching_functions;
    return i >= 0 && i % TRM_CONTACT_FUNCTIONS == TRM_CONTACT_SLIP;
}
