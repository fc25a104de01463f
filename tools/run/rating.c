#include "tools/run/rating.h"

#include <math.h>

const double trm_limit_good = 1e-6, trm_limit_fair = 1e-3;

trm_rating trm_rating_of(double error)
{
    return error <= trm_limit_good   ? TRM_RATING_GOOD
           : error <= trm_limit_fair ? TRM_RATING_FAIR
                                     : TRM_RATING_POOR;
}

const char *trm_rating_name(trm_rating verdict)
{
    static const char *const names[] = {"good", "fair", "POOR"};
    return names[verdict];
}

trm_rating trm_rating_of_constraints(const trm_report *report)
{
    const trm_rating ends = trm_rating_of(report->position_drift_relative);
    const trm_rating between = trm_rating_of(report->between_relative);
    return between > ends ? between : ends;
}

double trm_energy_relative(const trm_report *report)
{
    const double scale = report->energy_scale;
    return scale > 0 ? report->energy_error / scale : report->energy_error;
}

trm_rating trm_rating_of_energy(const trm_report *report)
{
    return trm_rating_of(trm_energy_relative(report));
}

trm_rating trm_rating_of_branch(const trm_report *report)
{
    return report->branch_changes > 0 || report->bifurcations > 0 ? TRM_RATING_POOR
           : report->undecided > 0                                ? TRM_RATING_FAIR
                                                                  : TRM_RATING_GOOD;
}

static trm_rating worse(trm_rating a, trm_rating b)
{
    return a > b ? a : b;
}

trm_rating trm_rating_of_report(const trm_report *report)
{
    const trm_rating energy = trm_rating_of_energy(report);
    const trm_rating rows =
        report->worst_row >= 0 ? trm_rating_of_constraints(report) : TRM_RATING_GOOD;
    return worse(trm_rating_of_branch(report), worse(energy, rows));
}
