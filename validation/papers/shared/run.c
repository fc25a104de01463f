#include "validation/papers/shared/run.h"

#include "trammel/trammel_error.h"
#include "trammel/trammel_report.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double blown_up = 1e4; // m/s; the drift of an arm of 2 m cannot get there

trm_status trm_paper_method(const char *integrator, const char *stabilization, trm_options *out,
                            trm_error *err)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        if (strcmp(methods[i].integrator_name, integrator) == 0 &&
            strcmp(methods[i].stabilization_name, stabilization) == 0) {
            *out = trm_default_options(methods[i].integrator, methods[i].stabilization);
            return TRM_OK;
        }
    }
    return TRM_FAIL(err, TRM_ERR_OPTIONS, stabilization, "no method \"%s\" with \"%s\"",
                    stabilization, integrator);
}

trm_status trm_paper_run_open(const trm_equations *equations, const trm_options *options,
                              trm_paper_run *out, trm_error *err)
{
    *out = (trm_paper_run){0};
    TRM_TRY(trm_model_from_equations(equations, &out->model, err));
    return trm_sim_create(out->model, options, &out->sim, err);
}

void trm_paper_run_close(trm_paper_run *run)
{
    trm_sim_destroy(run->sim);
    trm_model_destroy(run->model);
    *run = (trm_paper_run){0};
}

static int far_off(trm_sim *sim, void *user)
{
    (void)user;
    return !(trm_sim_drift(sim).velocity < blown_up);
}

trm_status trm_paper_run_whole(const trm_equations *equations, const trm_options *options,
                               double t_end, trm_paper_outcome *out, trm_error *err)
{
    trm_paper_run run;
    trm_status status = trm_paper_run_open(equations, options, &run, err);
    if (status == TRM_OK) {
        status = trm_sim_run(run.sim, t_end, far_off, NULL, err);
    }
    if (status == TRM_STOPPED || (status == TRM_ERR_DIVERGED && run.sim != NULL)) {
        *out = (trm_paper_outcome){INFINITY, INFINITY, INFINITY};
        status = TRM_OK;
    } else if (status == TRM_OK) {
        const trm_report report = trm_sim_report(run.sim);
        const trm_stats stats = trm_sim_stats(run.sim);
        *out = (trm_paper_outcome){(double)(stats.steps + stats.rejected), report.position_drift,
                                   report.velocity_drift};
    }
    trm_paper_run_close(&run);
    return status;
}

// ---------------------------------------------------------------------------------------- traces

typedef struct recorder {
    trm_paper_trace *trace;
    int room;
    double interval;
} recorder;

static int grow(recorder *r)
{
    trm_paper_trace *const trace = r->trace;
    const size_t rows = 2 * (size_t)r->room + 1000, entries = rows * (size_t)trace->nq;
    double *const t = realloc(trace->t, rows * sizeof *t);
    trace->t = t != NULL ? t : trace->t;
    double *const q = realloc(trace->q, entries * sizeof *q);
    trace->q = q != NULL ? q : trace->q;
    double *const v = realloc(trace->v, entries * sizeof *v);
    trace->v = v != NULL ? v : trace->v;
    double *const a = realloc(trace->a, entries * sizeof *a);
    trace->a = a != NULL ? a : trace->a;
    const int ok = t != NULL && q != NULL && v != NULL && a != NULL;
    r->room = ok ? (int)rows : r->room;
    return ok;
}

static int keep(trm_sim *sim, void *user)
{
    recorder *const r = user;
    trm_paper_trace *const trace = r->trace;
    const trm_state state = trm_sim_state(sim);
    const size_t size = (size_t)trace->nq * sizeof(double), at = (size_t)trace->n * size;
    if (state.t < trace->n * r->interval * (1 - 1e-9)) {
        return 0;
    }
    if (trace->n == r->room && !grow(r)) {
        return 1;
    }
    trace->t[trace->n] = state.t;
    memcpy((char *)trace->q + at, state.q, size);
    memcpy((char *)trace->v + at, state.v, size);
    memcpy((char *)trace->a + at, state.a, size);
    trace->n++;
    return 0;
}

trm_status trm_paper_trace_create(const trm_equations *equations, const trm_options *options,
                                  double t_end, double interval, trm_paper_trace *out,
                                  trm_error *err)
{
    trm_paper_run run;
    *out = (trm_paper_trace){.nq = equations->nq};
    recorder r = {out, 0, interval};
    trm_status status = trm_paper_run_open(equations, options, &run, err);
    if (status == TRM_OK) {
        keep(run.sim, &r);
        status = trm_sim_run(run.sim, t_end, keep, &r, err);
    }
    trm_paper_run_close(&run);
    return status == TRM_STOPPED ? TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory") : status;
}

void trm_paper_trace_destroy(trm_paper_trace *trace)
{
    free(trace->t);
    free(trace->q);
    free(trace->v);
    free(trace->a);
    *trace = (trm_paper_trace){0};
}
