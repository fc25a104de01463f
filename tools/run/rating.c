#include "tools/run/rating.h"

#include <math.h>

const double trm_limit_good = 1e-6, trm_limit_fair = 1e-3;

static trm_rating rate(double error, double good, double fair)
{
    return error <= good ? TRM_RATING_GOOD : error <= fair ? TRM_RATING_FAIR : TRM_RATING_POOR;
}

trm_rating trm_rating_of(double error)
{
    return rate(error, trm_limit_good, trm_limit_fair);
}

const char *trm_rating_name(trm_rating verdict)
{
    static const char *const names[] = {"good", "fair", "POOR"};
    return names[verdict];
}

static const double promised = 10; // A, the error of the motion that --accuracy A permits

/// What shows that the motion errs by more than was asked for is not good, however small: a gap of
/// that size, or a balance off by twice as much.
static double good_to(double permitted)
{
    return permitted > 0 ? fmin(trm_limit_good, permitted) : trm_limit_good;
}

trm_rating trm_rating_of_gap(double relative, double accuracy)
{
    return rate(relative, good_to(promised * accuracy), trm_limit_fair);
}

trm_rating trm_rating_between(const trm_report *report, double accuracy)
{
    const double permitted = promised * accuracy;
    return rate(report->between_relative, good_to(permitted), fmax(trm_limit_fair, permitted));
}

trm_rating trm_rating_of_constraints(const trm_report *report, double accuracy)
{
    const trm_rating ends = trm_rating_of_gap(report->position_drift_relative, accuracy);
    const trm_rating between = trm_rating_between(report, accuracy);
    return between > ends ? between : ends;
}

double trm_energy_relative(const trm_report *report)
{
    const double scale = report->energy_scale;
    return scale > 0 ? report->energy_error / scale : report->energy_error;
}

trm_rating trm_rating_of_loss(double relative, double accuracy)
{
    const double permitted = 2 * promised * accuracy;
    return rate(relative, good_to(permitted), fmax(trm_limit_fair, permitted));
}

trm_rating trm_rating_of_energy(const trm_report *report, double accuracy)
{
    return trm_rating_of_loss(trm_energy_relative(report), accuracy);
}

trm_rating trm_rating_of_branch(const trm_report *report)
{
    return report->branch_changes > 0 || report->bifurcations > 0 ? TRM_RATING_POOR
           : report->undecided > 0                                ? TRM_RATING_FAIR
                                                                  : TRM_RATING_GOOD;
}

trm_rating trm_rating_of_motion(const trm_report *report, double accuracy)
{
    return accuracy > 0 && report->motion_error > promised * accuracy ? TRM_RATING_POOR
                                                                      : TRM_RATING_GOOD;
}

static trm_rating worse(trm_rating a, trm_rating b)
{
    return a > b ? a : b;
}

trm_rating trm_rating_of_report(const trm_report *report, double accuracy)
{
    const trm_rating energy = trm_rating_of_energy(report, accuracy);
    const trm_rating rows =
        report->worst_row >= 0 ? trm_rating_of_constraints(report, accuracy) : TRM_RATING_GOOD;
    const trm_rating motion = trm_rating_of_motion(report, accuracy);
    return worse(worse(trm_rating_of_branch(report), motion), worse(energy, rows));
}
