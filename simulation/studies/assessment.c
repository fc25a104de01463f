/// Good, fair or POOR, by the table of docs/reference/verdicts.md: the one place where checks are
/// judged.
#include "base/accuracy_policy.h"
#include "base/sized.h"
#include "program/verdict.h"
#include "trammel/trammel_report.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <stddef.h>

static trm_verdict verdict_by(double error, double good, double fair)
{
    return error <= good ? TRM_VERDICT_GOOD : error <= fair ? TRM_VERDICT_FAIR : TRM_VERDICT_POOR;
}

/// The motion is known to its misfit at best. What is more than any misfit is a gap.
static double accuracy_of(const trm_report *report)
{
    const int is_misfit = report->misfit > TRM_NO_MISFIT && report->misfit <= TRM_MOST_MISFIT;
    return fmax(report->accuracy, is_misfit ? report->misfit : 0);
}

static trm_verdict worse(trm_verdict a, trm_verdict b)
{
    return a > b ? a : b;
}

trm_verdict trm_verdict_of(double error)
{
    return verdict_by(error, TRM_ACCURACY_DEFAULT_GOOD, TRM_ACCURACY_DEFAULT_FAIR);
}

const char *trm_verdict_name(trm_verdict verdict)
{
    static const char *const names[] = {"good", "fair", "POOR"};
    return names[verdict];
}

/// What shows that the motion errs by more than was asked for is not good, however small: a gap of
/// that size, or a balance off by twice as much.
static double good_to(double permitted)
{
    return permitted > 0 ? trm_accuracy_good(permitted) : TRM_ACCURACY_DEFAULT_GOOD;
}

trm_verdict trm_verdict_of_gap(double relative, double accuracy)
{
    return verdict_by(relative, good_to(TRM_ACCURACY_MOTION * accuracy), TRM_ACCURACY_DEFAULT_FAIR);
}

/// Of what may err as the motion may: by 10 A of the size, or of the speed.
static trm_verdict verdict_by_motion(double relative, double accuracy)
{
    const double permitted = TRM_ACCURACY_MOTION * accuracy;
    return verdict_by(relative, good_to(permitted), fmax(TRM_ACCURACY_DEFAULT_FAIR, permitted));
}

trm_verdict trm_verdict_between(const trm_report *report)
{
    return verdict_by_motion(report->between_relative, accuracy_of(report));
}

trm_verdict trm_verdict_of_velocities(const trm_report *report)
{
    return verdict_by_motion(report->velocity_drift_relative, accuracy_of(report));
}

trm_verdict trm_verdict_of_constraints(const trm_report *report)
{
    const trm_verdict ends = trm_verdict_of_gap(report->position_drift_relative, report->accuracy);
    const trm_verdict between = trm_verdict_between(report);
    return worse(trm_verdict_of_velocities(report), worse(between, ends));
}

double trm_energy_relative(const trm_report *report)
{
    const double scale = report->energy_scale;
    return scale > 0 ? report->energy_error / scale : report->energy_error;
}

trm_verdict trm_verdict_of_loss(double relative, double accuracy)
{
    const double permitted = TRM_ACCURACY_ENERGY * accuracy;
    return verdict_by(relative, good_to(permitted), fmax(TRM_ACCURACY_DEFAULT_FAIR, permitted));
}

trm_verdict trm_verdict_of_energy(const trm_report *report)
{
    return trm_verdict_of_loss(trm_energy_relative(report), accuracy_of(report));
}

trm_verdict trm_verdict_of_forces(const trm_forces *forces, const trm_report *report)
{
    const double of_contacts = fmax(forces->friction, forces->contacts); // fmax leaves NAN out
    const double largest = fmax(fmax(of_contacts, forces->work), forces->reactions);
    return isnan(forces->t_none) ? verdict_by_motion(largest, accuracy_of(report))
                                 : TRM_VERDICT_POOR;
}

trm_verdict trm_verdict_of_branch(const trm_report *report)
{
    return report->branch_changes > 0 || report->bifurcations > 0 ? TRM_VERDICT_POOR
           : report->undecided > 0                                ? TRM_VERDICT_FAIR
                                                                  : TRM_VERDICT_GOOD;
}

trm_verdict trm_verdict_of_report(const trm_report *report)
{
    const trm_verdict energy = trm_verdict_of_energy(report);
    const trm_verdict rows =
        report->worst_row >= 0 ? trm_verdict_of_constraints(report) : TRM_VERDICT_GOOD;
    return worse(trm_verdict_of_branch(report), worse(energy, rows));
}

trm_verdict trm_verdict_of_end(double relative, double accuracy)
{
    return accuracy > 0 ? verdict_by(relative, accuracy, TRM_ACCURACY_MOTION * accuracy)
                        : trm_verdict_of(relative);
}

static trm_verdicts verdicts_of(const trm_sim *sim)
{
    trm_verdicts verdicts = {NULL, NULL, NULL, NULL};
    if (!sim || trm_sim_stats(sim).steps == 0) {
        return verdicts;
    }
    const trm_report report = trm_sim_report(sim);
    const trm_verdict constraints = trm_verdict_of_constraints(&report);
    if (report.worst_row >= 0) {
        verdicts.constraints = trm_verdict_name(constraints);
    }
    if (!isnan(report.energy_initial)) {
        verdicts.energy = trm_verdict_name(trm_verdict_of_energy(&report));
    }
    if (constraints != TRM_VERDICT_POOR) {
        verdicts.branch = trm_verdict_name(trm_verdict_of_branch(&report));
    }
    const trm_forces forces = trm_sim_forces(sim);
    if (!isnan(forces.work)) {
        verdicts.forces = trm_verdict_name(trm_verdict_of_forces(&forces, &report));
    }
    return verdicts;
}

void trm_sim_get_verdicts(const trm_sim *sim, trm_verdicts *out, size_t size)
{
    const trm_verdicts known = verdicts_of(sim);
    trm_hand_out(out, size, &known, sizeof known);
}
