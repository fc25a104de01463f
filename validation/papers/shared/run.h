/// Running one mechanism of the papers by one method.
#pragma once

#include "trammel/trammel_equations.h"
#include "trammel/trammel_methods.h"

/// Default options of a pair by its names on the command line. Errors: OPTIONS.
trm_status trm_paper_method(const char *integrator, const char *stabilization, trm_options *out,
                            trm_error *err);

typedef struct trm_paper_run {
    trm_model *model;
    trm_sim *sim;
} trm_paper_run;

/// A run at its start; on failure, too, it goes to trm_paper_run_close.
trm_status trm_paper_run_open(const trm_equations *equations, const trm_options *options,
                              trm_paper_run *out, trm_error *err);
void trm_paper_run_close(trm_paper_run *run);

/// What a whole run leaves. Drifts are INFINITY when it blew up: not finite, or larger than
/// anything the mechanism could do.
typedef struct trm_paper_outcome {
    double steps; ///< rejected ones included
    double position, velocity;
} trm_paper_outcome;

trm_status trm_paper_run_whole(const trm_equations *equations, const trm_options *options,
                               double t_end, trm_paper_outcome *out, trm_error *err);

/// States of a run at about equal intervals, for drawing.
typedef struct trm_paper_trace {
    int n, nq;
    double *t;         ///< [n] s
    double *q, *v, *a; ///< [n*nq]
} trm_paper_trace;

/// Keeps the first accepted step at or after each multiple of `interval` (s; 0: every step), and
/// t = 0. For equations with q' = v. On failure, too, *out goes to trm_paper_trace_destroy.
trm_status trm_paper_trace_create(const trm_equations *equations, const trm_options *options,
                                  double t_end, double interval, trm_paper_trace *out,
                                  trm_error *err);
void trm_paper_trace_destroy(trm_paper_trace *trace);
