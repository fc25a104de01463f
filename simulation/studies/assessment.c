/// Good, fair or POOR, by the table of docs/recordings.md: the one place where checks are judged.
#include "base/accuracy_policy.h"
#include "integrators/registry.h"
#include "trammel/trammel_report.h"

#include <math.h>
#include <stddef.h>

double trm_accuracy_asked_for(const trm_options *options, double accuracy)
{
    if (accuracy > 0 || !options) {
        return accuracy > 0 ? accuracy : 0;
    }
    const trm_method *const method =
        trm_method_find(options->integrator, options->stabilization).method;
    return method && method->adaptive ? TRM_STEPS_IN_A * options->rtol : 0;
}

static trm_rating rate(double error, double good, double fair)
{
    return error <= good ? TRM_RATING_GOOD : error <= fair ? TRM_RATING_FAIR : TRM_RATING_POOR;
}

static trm_rating worse(trm_rating a, trm_rating b)
{
    return a > b ? a : b;
}

trm_rating trm_rating_of(double error)
{
    return rate(error, TRM_USUALLY_GOOD, TRM_USUALLY_FAIR);
}

const char *trm_rating_name(trm_rating rating)
{
    static const char *const names[] = {"good", "fair", "POOR"};
    return names[rating];
}

/// What shows that the motion errs by more than was asked for is not good, however small: a gap of
/// that size, or a balance off by twice as much.
static double good_to(double permitted)
{
    return permitted > 0 ? fmin(TRM_USUALLY_GOOD, permitted) : TRM_USUALLY_GOOD;
}

trm_rating trm_rating_of_gap(double relative, double accuracy)
{
    return rate(relative, good_to(TRM_PROMISED * accuracy), TRM_USUALLY_FAIR);
}

/// Of what may err as the motion may: by 10 A of the size, or of the speed.
static trm_rating rate_motion(double relative, double accuracy)
{
    const double permitted = TRM_PROMISED * accuracy;
    return rate(relative, good_to(permitted), fmax(TRM_USUALLY_FAIR, permitted));
}

trm_rating trm_rating_between(const trm_report *report, double accuracy)
{
    return rate_motion(report->between_relative, accuracy);
}

trm_rating trm_rating_of_velocities(const trm_report *report, double accuracy)
{
    return rate_motion(report->velocity_drift_relative, accuracy);
}

trm_rating trm_rating_of_constraints(const trm_report *report, double accuracy)
{
    const trm_rating ends = trm_rating_of_gap(report->position_drift_relative, accuracy);
    const trm_rating between = trm_rating_between(report, accuracy);
    return worse(trm_rating_of_velocities(report, accuracy), worse(between, ends));
}

double trm_energy_relative(const trm_report *report)
{
    const double scale = report->energy_scale;
    return scale > 0 ? report->energy_error / scale : report->energy_error;
}

trm_rating trm_rating_of_loss(double relative, double accuracy)
{
    const double permitted = TRM_PROMISED_OF_ENERGY * accuracy;
    return rate(relative, good_to(permitted), fmax(TRM_USUALLY_FAIR, permitted));
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
    return accuracy > 0 && report->motion_error > TRM_PROMISED * accuracy ? TRM_RATING_POOR
                                                                          : TRM_RATING_GOOD;
}

trm_rating trm_rating_of_report(const trm_report *report, double accuracy)
{
    const trm_rating energy = trm_rating_of_energy(report, accuracy);
    const trm_rating rows =
        report->worst_row >= 0 ? trm_rating_of_constraints(report, accuracy) : TRM_RATING_GOOD;
    const trm_rating motion = trm_rating_of_motion(report, accuracy);
    return worse(worse(trm_rating_of_branch(report), motion), worse(energy, rows));
}

trm_rating trm_rating_of_end(double relative, double accuracy)
{
    return accuracy > 0 ? rate(relative, accuracy, TRM_PROMISED * accuracy)
                        : trm_rating_of(relative);
}

trm_verdicts trm_sim_verdicts(const trm_sim *sim, double accuracy)
{
    trm_verdicts verdicts = {NULL, NULL, NULL, NULL};
    if (!sim || trm_sim_stats(sim).steps == 0) {
        return verdicts;
    }
    const trm_report report = trm_sim_report(sim);
    const trm_rating constraints = trm_rating_of_constraints(&report, accuracy);
    if (report.worst_row >= 0) {
        verdicts.constraints = trm_rating_name(constraints);
    }
    if (!isnan(report.energy_initial)) {
        verdicts.energy = trm_rating_name(trm_rating_of_energy(&report, accuracy));
    }
    if (constraints != TRM_RATING_POOR) {
        verdicts.branch = trm_rating_name(trm_rating_of_branch(&report));
    }
    const trm_rating motion = trm_rating_of_motion(&report, accuracy);
    if (motion != TRM_RATING_GOOD) {
        verdicts.motion = trm_rating_name(motion);
    }
    return verdicts;
}
