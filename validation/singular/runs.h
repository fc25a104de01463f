/// Runs, and what a row of a table says of one.
#pragma once

#include "trammel/trammel_methods.h"
#include "trammel/trammel_report.h"
#include "trammel/trammel_simulation.h"

/// The default method; an adaptive pair or a fixed step with post-stabilization. All assemble.
trm_options chosen(const trm_model *model, double accuracy);
trm_options adaptive(trm_integrator integrator, double rtol);
trm_options fixed(trm_integrator integrator, trm_stabilization stabilization, double h);

typedef struct result {
    trm_status status;
    trm_report report;
    trm_stats stats;
    double t, cpu, angle; ///< s, s, of the first body
} result;

typedef struct crossings_wanted {
    long count;
} crossings_wanted;

/// An observer: stop after so many singular positions.
int enough(trm_sim *sim, void *user);
/// To t_end, or until so many singular positions were passed (0: to t_end).
result run(const trm_model *model, const trm_options *options, double t_end, long crossings);

/// Whether the run failed, changed its branch or opened.
const char *verdict(const result *r);
/// The head of a table with n columns.
void head(const char *columns, int n);
/// A row of a table with these columns.
extern const char *const run_columns;
void run_row(const char *first, const char *second, const trm_model *model,
             const trm_options *options, double t_end);
