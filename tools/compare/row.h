/// One run of a comparison, inside its own process.
#pragma once

#include "tools/compare/compare.h"
#include "tools/compare/pool.h"

/// The options of a row: what `trammel run --method --integrator --step or --rtol` takes.
trm_options trm_row_options(const trm_comparison *c, const trm_method *method, double setting);

/// "dop853+s-both2 rtol 1e-06", "rk4+s-both h 0.002"
void trm_row_name(const trm_method *method, double setting, char *out, size_t size);

/// In the child: run to the end and write facts, CPU times, distances from the reference, curves.
void trm_row_work(const trm_comparison *c, const trm_compare_row *row, FILE *out);
/// In the parent: what the child wrote. Returns 0, -1 when memory is short.
int trm_row_read(trm_compare_row *row, const trm_child_result *result);

/// A run whose states are wanted: in the child, then in the parent.
typedef struct trm_states {
    trm_row_facts facts;
    double *q, *v;  ///< [facts.nsamples*nq], [facts.nsamples*nv] at the common times
    double *forces; ///< [facts.nsamples*c->forces.n]
    int npassages;
    trm_compare_passage *passages;
} trm_states;

void trm_states_work(const trm_comparison *c, const trm_method *method, double setting, FILE *out);
int trm_states_read(const trm_comparison *c, const trm_child_result *result, trm_states *out);
void trm_states_destroy(trm_states *states);

/// In the child: seconds of CPU of stepping to t_agree and nothing else, written as one double.
void trm_row_time(const trm_comparison *c, const trm_compare_row *row, FILE *out);
