#include "tools/run/lines.h"

#include "trammel/trammel_error.h"

#include <math.h>

static trm_status record_at(trm_program_run *run, double t)
{
    trm_sample sample;
    double sigma = 1;
    TRM_TRY(trm_sim_singular_value(run->sim, t, &sigma, &run->error));
    TRM_TRY(trm_sim_sample(run->sim, t, &sample, &run->error));
    return trm_recording_write(run->recording, run->sim, &sample, sigma, &run->error);
}

/// The current state needs no dense output.
trm_status trm_lines_now(trm_program_run *run)
{
    return record_at(run, trm_sim_state(run->sim).t);
}

/// Whether n * every is one of the times of recording; the end has a line of its own.
static int before_end(const trm_program_run *run, long n)
{
    return (double)n * run->every < run->end - 1e-9 * run->every;
}

/// A line where an adaptive step ends waits for the next one: forces that change there change the
/// modes of contacts.
trm_status trm_lines_due(trm_lines *lines, trm_program_run *run)
{
    const double now = trm_sim_state(run->sim).t;
    const double due = run->choice.method->adaptive ? nextafter(now, 0) : now;
    if (run->every <= 0) {
        return trm_lines_now(run);
    }
    for (; (double)lines->next * run->every <= due && before_end(run, lines->next); lines->next++) {
        if (*lines->interrupted) {
            lines->whole = 0;
            return TRM_OK; // one step may have millions of lines
        }
        TRM_TRY(record_at(run, (double)lines->next * run->every));
    }
    return now == run->end ? trm_lines_now(run) : TRM_OK;
}
