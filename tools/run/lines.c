#include "tools/run/lines.h"

#include "trammel/trammel_error.h"

static trm_status record_at(trm_program_run *run, double t)
{
    trm_sample sample;
    TRM_TRY(trm_sim_sample(run->sim, t, &sample, &run->error));
    return trm_recording_write(run->recording, run->sim, &sample, &run->error);
}

/// The current state needs no dense output.
trm_status trm_lines_now(trm_program_run *run)
{
    return record_at(run, trm_sim_state(run->sim).t);
}

trm_status trm_lines_due(trm_lines *lines, trm_program_run *run)
{
    double t = trm_recording_last(run->recording);
    while (trm_sim_next_line(run->sim, run->every, run->end, &t)) {
        if (*lines->interrupted) {
            lines->whole = 0;
            return TRM_OK; // one step may have millions of lines
        }
        TRM_TRY(record_at(run, t));
    }
    return TRM_OK;
}
