/// Envelopes: quantiles, over the runs of a sweep, of a column at each time. From recordings of the
/// runs, or from outputs like bar.x@0.1, bar.x@0.2, ...
#pragma once

#include "tools/sweep/report/data.h"
#include "tools/sweep/report/statistics.h"

enum { TRM_ENVELOPE_TIMES = 201, TRM_ENVELOPES = 12 };

typedef struct trm_envelope {
    char name[160], unit[32];
    int n; ///< times
    double *t;
    double *quantile; ///< [n*TRM_QUANTILES] NAN where no run has a value
    long *runs;       ///< [n] that have a value at this time
} trm_envelope;

typedef struct trm_envelopes {
    int n;
    trm_envelope at[TRM_ENVELOPES];
    long recordings; ///< that were read
    long missing;    ///< of those wanted
} trm_envelopes;

/// Errors: MEMORY. A recording that is missing or torn is left out and counted.
trm_status trm_envelopes_of(const trm_sweep_data *data, trm_envelopes *out, trm_error *err);
void trm_envelopes_destroy(trm_envelopes *envelopes);
