/// Switches by their numbers among all, their branches, and their functions along a step.
#include "simulation/events/switching_functions.h"

#include "engine/enclosure/switch_numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

trm_switch_place trm_ahead_place_of(const trm_ahead *ahead, int which)
{
    for (int i = 0; i < ahead->model->nchanging; i++) {
        const trm_changing *formula = &ahead->model->changing[i];
        const int k = which - formula->f.first_switch;
        if (k >= 0 && k < trm_expression_switches(formula->f.code)) {
            return (trm_switch_place){formula, k};
        }
    }
    return (trm_switch_place){NULL, 0};
}

void trm_ahead_name(const trm_ahead *ahead, int which, char *out, size_t size)
{
    const trm_switch_place at = trm_ahead_place_of(ahead, which);
    snprintf(out, size, "'%s' in the formula of '%.60s'",
             trm_expression_switch(at.formula->f.code, at.k).name, at.formula->name);
}

const trm_changing *trm_ahead_formula(const trm_ahead *ahead, int which, int *k)
{
    const trm_switch_place at = trm_ahead_place_of(ahead, which);
    *k = at.k;
    return at.formula;
}

int trm_ahead_at_cut(const trm_ahead *ahead, int which, int beginning)
{
    static const double three_eighths =
        2.35619449019234492885; // of a turn; the other edge is at one quarter
    if (which >= ahead->model->nswitches) {
        return 0; // of a contact
    }
    const trm_switch_place at = trm_ahead_place_of(ahead, which);
    return at.formula->driven &&
           trm_expression_switch(at.formula->f.code, at.k).kind == TRM_SWITCH_ANGLE &&
           fabs(beginning ? ahead->g0[which] : ahead->g1[which]) > three_eighths;
}

trm_branch trm_ahead_branch_of(const trm_ahead *ahead, int which, double g)
{
    const trm_switch_place at = trm_ahead_place_of(ahead, which);
    return trm_switch_branch(at.formula->f.code, at.k, g);
}

double trm_ahead_inside(const trm_ahead *ahead, int which, double g)
{
    if (which >= ahead->model->nswitches) {
        return g; // of a contact: above zero
    }
    const trm_switch_place at = trm_ahead_place_of(ahead, which);
    double lo, hi;
    trm_switch_interval(at.formula->f.code, at.k, ahead->branch[which], &lo, &hi);
    return isnan(g) ? NAN : fmin(g - lo, hi - g);
}

void trm_ahead_later(trm_ahead *ahead, trm_run *run, double delta)
{
    trm_system *const system = run->system;
    const int nq = system->nq, nv = system->nv;
    const double *z = run->now.z, *a = run->now.dz + nq;
    double *const v = ahead->z + nq;
    for (int i = 0; i < nv; i++) {
        v[i] = delta * (z[nq + i] + 0.5 * delta * a[i]);
    }
    memcpy(ahead->z, z, (size_t)nq * sizeof(double));
    trm_system_move(system, v, ahead->z);
    for (int i = 0; i < nv; i++) {
        v[i] = z[nq + i] + delta * a[i];
    }
}

double trm_ahead_little(const trm_ahead *ahead, const trm_run *run)
{
    const double next = fmax(run->h_next, run->options.h), flight = ahead->landing - run->now.t;
    const double h = next > 0 ? next : 1e-3; // s, where nobody knows yet
    const double little = TRM_SWITCH_LITTLE * h;
    return flight > 0 ? fmin(little, flight / TRM_STEP_PARTS) : little;
}

void trm_ahead_a_little_later(trm_ahead *ahead, trm_run *run, double *t)
{
    const double delta = trm_ahead_little(ahead, run);
    trm_ahead_later(ahead, run, delta);
    *t = run->now.t + delta;
}

/// Functions of contacts at (t, z), or of the contact alone that has number `only` (-1: all);
/// forces of what is held are those there.
static int contacts_at(trm_ahead *ahead, trm_run *run, double t, const double *z, int only,
                       double *g)
{
    trm_contact *contact = run->contact;
    const double slack = run->options.tolerance;
    int code = 0;
    if (!contact || run->method_ops->steps_contacts) {
        return 0;
    }
    if (trm_contact_list_held(contact) > 0) {
        code = trm_run_rates(run, t, z, contact->dz, contact->lambda);
    }
    const int first = only >= 0 ? only / TRM_CONTACT_FUNCTIONS * TRM_CONTACT_FUNCTIONS : 0;
    const int end = only >= 0 ? first + TRM_CONTACT_FUNCTIONS : TRM_CONTACT_FUNCTIONS * contact->n;
    if (only >= 0) {
        trm_contact_measure_one(contact, run->system, t, z, only / TRM_CONTACT_FUNCTIONS);
    } else {
        trm_contact_measure(contact, run->system, t, z);
    }
    g += ahead->model->nswitches;
    for (int i = first; i < end; i++) {
        g[i] = trm_contact_function(contact, i / TRM_CONTACT_FUNCTIONS, i % TRM_CONTACT_FUNCTIONS,
                                    slack);
    }
    return code;
}

int trm_ahead_functions_at(trm_ahead *ahead, trm_run *run, double t, const double *z, int k,
                           double *g)
{
    const int contact = k - ahead->model->nswitches;
    trm_system_switching(run->system, t, z, z + run->system->nq, g);
    return contact < 0 && k >= 0 ? 0 : contacts_at(ahead, run, t, z, k < 0 ? -1 : contact, g);
}

int trm_ahead_switching_at(trm_ahead *ahead, trm_run *run, double t, int k, double *g)
{
    const int code = run->method_ops->dense(run, t, ahead->z);
    return code ? code : trm_ahead_functions_at(ahead, run, t, ahead->z, k, g);
}

double trm_ahead_part(trm_ahead *ahead, trm_run *run, int k, int i)
{
    const double t0 = run->before.t, h = run->now.t - t0;
    for (int j = 1; j < TRM_STEP_PARTS && !ahead->parted; j++) {
        double *const g = ahead->g_parts + (j - 1) * ahead->nall;
        ahead->parted =
            trm_ahead_switching_at(ahead, run, t0 + h * j / TRM_STEP_PARTS, -1, g) ? 2 : 0;
    }
    ahead->parted = ahead->parted ? ahead->parted : 1;
    return ahead->parted == 1 ? ahead->g_parts[(i - 1) * ahead->nall + k] : NAN;
}
