/// The working memory of queries, their errors, and shared functions:
/// distances, gaps, closed positions.
#include "simulation/analysis/query.h"
#include "base/linear/lapack.h"
#include "base/linear/sums.h"
#include "base/status.h"
#include "bodies/pose.h"
#include "engine/multibody/coordinate.h"
#include "integrators/trajectory/integrator.h"
#include "program/run_details.h"
#include "simulation/run/misfit.h"
#include "simulation/run/simulation.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_scene.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------- errors

trm_status trm_query_no_memory(trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a query");
}

trm_status trm_query_needs_lapack(trm_error *err)
{
    return trm_lapack_open() ? TRM_OK
           : trm_lapack_lacks_memory()
               ? trm_query_no_memory(err)
               : TRM_FAIL(err, TRM_ERR_OPTIONS, NULL,
                          "this question needs LAPACK, and " TRM_LAPACK_FILE
                          " cannot be loaded: install the package liblapack3 (or lapack)");
}

trm_status trm_query_check(const trm_query *query, double t, const double *q, const double *v,
                           trm_error *err)
{
    if (!query || !q) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, query ? "q" : "query",
                        "expected a query and a state, got NULL");
    }
    const trm_sizes n = query->model->sizes;
    if (!isfinite(t) || !trm_all_finite(n.nq, q) || (v && !trm_all_finite(n.nv, v))) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, NULL,
                        "expected finite numbers in t, q and v, got one that is not");
    }
    return TRM_OK;
}

trm_status trm_query_fail(const trm_query *query, double t, int code, trm_error *err)
{
    return trm_terms_fail(query->conditioning.system, "at", t, code, err);
}

// -------------------------------------------------------------------------------------- lifetime

static int take_memory(trm_query *query)
{
    const trm_sizes n = query->model->sizes;
    const size_t nq = (size_t)n.nq, nv = (size_t)n.nv, nc = (size_t)n.nc;
    const size_t slots = 6 * ((size_t)n.nbody + 1) + (size_t)query->model->bodies.states;
    double *next = trm_pool_take(&query->pool, 3 * nq + 5 * nv + 4 * nc + slots, sizeof *next);
    if (!next) {
        return 0;
    }
    query->q = next, next += nq;
    query->closing.q = next, next += nq;
    query->work.a = next, next += nq + nv;
    query->work.x = next, next += nv;
    query->v = next, next += nv;
    query->a = next, next += nv;
    query->closing.dx = next, next += nv;
    query->closing.c = next, next += nc;
    query->work.lambda = next, next += nc;
    query->work.gamma = next, next += nc;
    query->c = next, next += nc;
    query->slots = next;
    return 1;
}

trm_status trm_query_create(const trm_model *model, trm_query **out, trm_error *err)
{
    TRM_CLEAR(out);
    if (!model || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, model ? "out" : "model",
                        "expected a model and a place for the query, got NULL");
    }
    trm_query *const query = calloc(1, sizeof *query);
    if (!query) {
        return trm_query_no_memory(err);
    }
    query->given = query->model = model;
    const double damping = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN).damping;
    trm_sim *found = NULL;
    trm_status status = take_memory(query) ? trm_misfit_find(model, model->misfit, &found, err)
                                           : trm_query_no_memory(err);
    if (status == TRM_OK) {
        // a tree of joints needs no damping
        status =
            trm_conditioning_open(&query->conditioning, model, TRM_CONDITIONING_ALL,
                                  model->may_lose_rank ? damping : 0, trm_misfit_null(found), err);
    }
    trm_sim_destroy(found);
    if (status != TRM_OK) {
        trm_query_destroy(query);
        return status;
    }
    *out = query;
    return TRM_OK;
}

void trm_query_destroy(trm_query *query)
{
    if (query) {
        trm_conditioning_close(&query->conditioning);
        trm_pool_close(&query->pool);
        trm_model_destroy(query->held);
        trm_arena_close(&query->joints.arena);
        trm_model_destroy(query->joints.built);
        free(query);
    }
}

// ----------------------------------------------------------------------------- held as constraints

/// Whether row k holds, and goes on so by small loads: of a limit the force, of friction what is
/// left of its bound is more than roundoff; or other rows hold it.
static int holds(const trm_sim *sim, int k, trm_contact_state *state)
{
    const trm_contact *const contact = sim->run.contact;
    const double bound = trm_sim_friction_bound(sim, k);
    if (!trm_sim_contact(sim, k, state)) {
        return 0;
    }
    const double least = fmax(contact->grain[k], contact->floor[k]);
    const double left = bound - trm_contact_length(contact, contact->force, k);
    return state->mode == TRM_CONTACT_MODE_LOW || state->mode == TRM_CONTACT_MODE_HIGH
               ? fabs(state->force) > least
           : state->mode == TRM_CONTACT_MODE_STICKS ? !contact->hold[k] || left > least
                                                    : state->mode == TRM_CONTACT_MODE_LOCKED;
}

/// Friction of a contact that is held itself, but slips.
static trm_status check_slip(const trm_sim *sim, int k, trm_error *err)
{
    const trm_contact_row *const row = &sim->given->contacts[k];
    trm_contact_state gap;
    return row->first != k && (row->friction.given || row->friction.regularized > 0) &&
                   holds(sim, row->first, &gap)
               ? TRM_FAIL(err, TRM_ERR_OPTIONS, row->where,
                          "\"%.60s\" slips: a linearization cannot account for its friction",
                          row->name)
               : TRM_OK;
}

/// rows[ncontacts] := the contacts that hold at the end of the last step.
static trm_status find_held(const trm_sim *sim, trm_held_row *rows, int *n, trm_error *err)
{
    *n = 0;
    for (int k = 0; k < sim->given->ncontacts; k++) {
        const trm_contact_row *const row = &sim->given->contacts[k];
        trm_contact_state state;
        if (!holds(sim, k, &state)) {
            TRM_TRY(check_slip(sim, k, err));
            continue;
        }
        trm_held_row *const out = &rows[(*n)++];
        const double *const place =
            sim->run.contact->place + TRM_COORDINATE_PLACE * (row->of_joint ? k : row->first);
        const int tilt = row->axis == TRM_TOUCH_TIPS || row->axis == TRM_TOUCH_TIPS_ACROSS;
        *out = (trm_held_row){.contact = k,
                              .of_velocity = row->touch && row->axis != TRM_TOUCH_GAP && !tilt,
                              .at = state.x};
        memcpy(out->place, place, sizeof out->place);
    }
    return TRM_OK;
}

/// The contacts that a run holds are constraints of the query from now on; without a scene none.
static trm_status take_contacts(trm_query *query, const trm_scene *scene, const trm_sim *sim,
                                trm_error *err)
{
    const trm_model *const given = query->given;
    trm_pool pool = {NULL};
    trm_held_row *const rows = trm_pool_take(&pool, (size_t)given->ncontacts + 1, sizeof *rows);
    trm_model *held = NULL;
    trm_query *fresh = NULL;
    int n = 0;
    trm_status status = !rows   ? trm_query_no_memory(err)
                        : scene ? find_held(sim, rows, &n, err)
                                : TRM_OK;
    if (status == TRM_OK && n > 0) {
        status = trm_model_build_held(scene, n, rows, &held, err);
    }
    trm_pool_close(&pool);
    if (status == TRM_OK && (held || query->held)) {
        status = trm_query_create(held ? held : given, &fresh, err);
    }
    if (!fresh) {
        trm_model_destroy(held);
        return status;
    }
    const trm_query before = *query;
    *query = *fresh;
    *fresh = before;
    query->given = given;
    query->held = held;
    trm_query_destroy(fresh);
    return TRM_OK;
}

trm_status trm_query_take_run(trm_query *query, const trm_scene *scene, const trm_sim *sim,
                              trm_error *err)
{
    if (!query || !sim || query->given != sim->given ||
        (scene && (scene->ncontacts != sim->given->ncontacts ||
                   scene->nbodies != sim->given->sizes.nbody))) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, query ? "sim" : "query",
                        "expected a query and a run of one model, and its scene");
    }
    TRM_TRY(take_contacts(query, scene, sim, err));
    size_t bytes;
    for (int i = 0; i < query->model->sizes.ninput; i++) {
        query->conditioning.system->inputs[i] = sim->run.system->inputs[i];
    }
    trm_turn *const turns = trm_system_winding(query->conditioning.system, &bytes);
    trm_system_take_winding(query->conditioning.system, sim->run.system);
    for (size_t i = 0; turns && i < bytes / sizeof *turns; i++) {
        turns[i].rate = 0; // a query stands, at any time
    }
    return TRM_OK;
}

// ------------------------------------------------------------------------------------ small steps

void trm_rows_multiply(int d, int nv, const double *rows, const double *x, double *y)
{
    for (int k = 0; k < d; k++) {
        y[k] = trm_dot(nv, rows + (size_t)k * (size_t)nv, x);
    }
}

void trm_rows_spread(int d, int nv, const double *rows, const double *y, double *x)
{
    memset(x, 0, (size_t)nv * sizeof *x);
    for (int k = 0; k < d; k++) {
        const double *const row = rows + (size_t)k * (size_t)nv;
        for (int i = 0; i < nv; i++) {
            x[i] += row[i] * y[k];
        }
    }
}

double trm_query_distance(const trm_query *query, const double *x)
{
    const trm_conditioning *const p = &query->conditioning;
    double most = 0;
    for (int i = 0; i < trm_system_motions(p->system); i++) {
        const double moved = fabs(x[i] / p->column[i]);
        most = moved <= most ? most : moved;
    }
    return most;
}

static double largest_row(const trm_conditioning *p, const double *x, int *row)
{
    double most = 0;
    *row = p->nc > 0 ? 0 : -1;
    for (int i = 0; i < p->nc; i++) {
        const double gap = fabs(p->row[i] * x[i]);
        if (!(gap <= most)) {
            most = gap;
            *row = i;
        }
    }
    return most;
}

double trm_query_gap(const trm_query *query, int *row)
{
    return largest_row(&query->conditioning, query->conditioning.system->g, row);
}

double trm_query_speed_gap(trm_query *query, const double *v, double *speed, int *row)
{
    const trm_conditioning *const p = &query->conditioning;
    *speed = trm_query_distance(query, v);
    for (int i = 0; i < p->nc; i++) {
        *speed = fmax(*speed, fabs(p->row[i] * p->system->g_t[i]));
    }
    trm_system_velocity_residual(p->system, v, query->c);
    return largest_row(p, query->c, row);
}

trm_status trm_query_at(trm_query *query, double t, const double *q, trm_error *err)
{
    trm_solver_forget_scales(&query->conditioning.system->solver);
    const int code = trm_conditioning_at(&query->conditioning, t, q);
    return code ? trm_query_fail(query, t, code, err) : TRM_OK;
}

// ---------------------------------------------------------------------------------------- closing

/// One step dx = -M^-1 G^T S^+ g from the current point; q follows,
/// query->closing.q keeps where it was.
static int close_once(trm_query *query, double t, double *q)
{
    trm_system *const system = query->conditioning.system;
    double *const c = query->closing.c, *const dx = query->closing.dx;
    TRM_TRY(trm_system_factor(system, TRM_METRIC_MASS));
    for (int i = 0; i < system->nc; i++) {
        c[i] = -system->g[i];
    }
    trm_system_solve_S(system, c);
    trm_system_spread(system, TRM_METRIC_MASS, c, dx);
    memcpy(query->closing.q, q, (size_t)system->nq * sizeof *q);
    trm_system_move(system, dx, q);
    trm_system_normalize(system, q);
    return trm_system_position(system, t, q);
}

/// v := v - M^-1 G^T S^+ (G v + g_t), twice because the solve is damped.
static int fit_velocities(trm_query *query, double *v)
{
    trm_system *const system = query->conditioning.system;
    const int code = trm_system_factor(system, TRM_METRIC_MASS);
    for (int k = 0; !code && k < 2; k++) {
        trm_system_velocity_residual(system, v, query->closing.c);
        trm_system_solve_S(system, query->closing.c);
        trm_system_spread(system, TRM_METRIC_MASS, query->closing.c, query->closing.dx);
        for (int i = 0; i < system->nv; i++) {
            v[i] -= query->closing.dx[i];
        }
    }
    return code;
}

int trm_query_snap(trm_query *query, double t, double *q, double *v)
{
    enum { STEPS = 12 };
    trm_system *const system = query->conditioning.system;
    int row, code = trm_system_position(system, t, q);
    double gap = trm_query_gap(query, &row);
    for (int k = 0; !code && system->nc > 0 && k < STEPS && gap > 0; k++) {
        code = close_once(query, t, q);
        const double before = gap;
        gap = trm_query_gap(query, &row);
        if (!code && !(gap < 0.5 * before)) { // roundoff
            if (!(gap < before)) {
                memcpy(q, query->closing.q, (size_t)system->nq * sizeof *q);
                code = trm_system_position(system, t, q);
                gap = before;
            }
            break;
        }
    }
    if (code || !(gap <= 1e-10 * query->conditioning.size)) {
        return code ? code : 1;
    }
    return v && system->nc > 0 ? fit_velocities(query, v) : 0;
}

// ------------------------------------------------------------------------------- the small answers

trm_status trm_query_set_input(trm_query *query, int input, double value, trm_error *err)
{
    if (!query) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "query", "expected a query, got NULL");
    }
    TRM_TRY(trm_check_input(query->model, "input", input, value, err));
    trm_input_settle(&query->conditioning.system->inputs[input], value);
    return TRM_OK;
}

trm_status trm_query_close(trm_query *query, double t, double *q, double *v, trm_error *err)
{
    TRM_TRY(trm_query_check(query, t, q, v, err));
    if (!v) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "v", "expected velocities, got NULL");
    }
    trm_conditioning *const p = &query->conditioning;
    memcpy(query->q, q, (size_t)p->nq * sizeof *q);
    memcpy(query->v, v, (size_t)p->nv * sizeof *v);
    trm_system_normalize(p->system, query->q);
    TRM_TRY(trm_query_at(query, t, query->q, err));
    const int code = trm_close(p->system, &query->closing, t, query->q, query->v);
    if (code) {
        return trm_query_fail(query, t, code, err);
    }
    double speed;
    int row, speed_row;
    const double gap = trm_query_gap(query, &row), asked = trm_query_distance(query, v);
    const double speed_gap = trm_query_speed_gap(query, query->v, &speed, &speed_row);
    const int closes = gap <= 1e-9 * p->size;
    if (!closes || !(speed_gap <= 1e-6 * fmax(speed, asked))) {
        const int worst = closes ? speed_row : row;
        const int named = query->model->row_info != NULL;
        return TRM_FAIL(err, TRM_ERR_INCONSISTENT, named ? query->model->row_info[worst].where : "",
                        "nothing near closes: '%s' stays open by %.3g m%s",
                        named ? query->model->row_info[worst].name : "g", closes ? speed_gap : gap,
                        closes ? "/s" : "");
    }
    memcpy(q, query->q, (size_t)p->nq * sizeof *q);
    memcpy(v, query->v, (size_t)p->nv * sizeof *v);
    return TRM_OK;
}

int trm_query_freedoms(trm_query *query, double t, const double *q, trm_error *err)
{
    if (trm_query_check(query, t, q, NULL, err) || trm_query_at(query, t, q, err)) {
        return -1;
    }
    if (!trm_conditioning_rank(&query->conditioning)) {
        trm_query_no_memory(err);
        return -1;
    }
    return trm_conditioning_freedoms(&query->conditioning);
}
