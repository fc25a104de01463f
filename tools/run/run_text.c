/// A run in words: what was simulated and how, the three checks with a verdict each, the end state.
#include "tools/run/accuracy.h"
#include "tools/run/play.h"
#include "tools/run/run.h"

#include "program/run_details.h"
#include "program/verdict.h"
#include "program/view.h"
#include "tools/common/diagnose.h"
#include "tools/common/terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    BODIES_SHOWN = 8, // more are left to --json
    JOINTS_SHOWN = 8,
};

static const char *plural(long n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

static void print_title(const trm_program_run *run)
{
    const char *const title = trm_scene_get_info(run->scene).title;
    if (*title != '\0') {
        trm_terminal_text(stdout, title);
        putchar('\n');
    }
    trm_terminal_text(stdout, run->arguments.scene);
    puts("\n");
}

/// Freedoms by the rank at the end, or the highest met: a diagnosis of a large model takes longer
/// than its run.
static void print_model(const trm_program_run *run)
{
    const trm_sizes n = trm_model_sizes(run->model);
    const int freedoms = n.nv - n.nstate - trm_sim_rank(run->sim);
    printf("%-13s%d %s, %d constraint %s, %d %s of freedom\n", "Model", n.nbody,
           plural(n.nbody, "body", "bodies"), n.nc, plural(n.nc, "row", "rows"), freedoms,
           plural(freedoms, "degree", "degrees"));
    trm_plane_print(run->scene, 13);
    trm_play_print_locked(run);
}

/// How far a point of a rod's frame is from the rod, over the rod's length.
static double off_rod(const trm_shape *rod, const double local[3])
{
    const double beyond = fmax(fabs(local[0]) - rod->size[0] / 2, 0);
    return hypot(beyond, hypot(local[1], local[2])) / rod->size[0];
}

/// Joints further from a bar than it is long: most often a typing error, and no error to a run.
static void print_far_joints(const trm_program_run *run)
{
    const int n = trm_view_scene(run->scene).njoints;
    for (int j = 0; j < n; j++) {
        const trm_joint_view joint = trm_view_joint(run->scene, j);
        for (int side = 0; side < 2; side++) {
            const trm_body_view body = trm_view_body(run->scene, joint.body[side]);
            const int rod = !joint.open && body.name != NULL && body.shape.kind == TRM_SHAPE_ROD;
            const double off = rod ? off_rod(&body.shape, joint.local[side]) : 0;
            if (off > 1) {
                printf("%-13s%s (line %d) is %.3g lengths of %s away from it; trammel check says "
                       "more\n",
                       "Hint", joint.name, joint.line, off, body.name);
                return;
            }
        }
    }
}

/// What makes the run stiff, and what was done about it.
static void print_stiffness(const trm_program_run *run)
{
    const trm_hand_over change = trm_sim_hand_over(run->sim);
    const trm_stiff *const stiff = &change.stiff;
    if (!change.found) {
        return;
    }
    printf("%-13sstiff from t = %.3g s on: ", "", change.t);
    if (*stiff->source) {
        printf("'%s', %.3g %s on %.3g %s: %.2g 1/s\n", stiff->source, stiff->coefficient,
               stiff->unit, stiff->inertia, stiff->is_rotation ? "kg m^2" : "kg",
               stiff->share_rate);
    } else {
        printf("%.2g 1/s, of no single force\n", stiff->rate);
    }
    if (change.changes > 0) {
        printf("%-13sida took %ld of the steps%s\n", "", change.implicit_steps,
               change.changes > 1 ? ", the method above those where it did not pay" : "");
    } else if (!run->choice.options.hand_over) {
        printf("%-13stry --integrator ida, or leave the method to Trammel\n", "");
    } else if (!change.available) {
        printf("%-13sida, the method for stiff motion, cannot take over here: short steps\n", "");
    }
}

/// Rows in m beside rows of angles, with one epsilon.
static const double mixed = 100;

static void print_method(const trm_program_run *run)
{
    const trm_method *const m = run->choice.method;
    const trm_options *const o = &run->choice.options;
    const trm_stats stats = trm_sim_stats(run->sim);
    printf("%-13s%s with %s, ", "Method", m->integrator_name, m->stabilization_name);
    if (m->adaptive && o->by_motion) {
        printf("steps to %g of the motion", o->rtol);
    } else if (m->adaptive) {
        printf("rtol %g, atol %g", o->rtol, o->atol);
    } else {
        printf("step %g s", o->h);
    }
    if (trm_method_reads(m, "epsilon")) {
        printf(", epsilon %g", stats.epsilon);
        if (stats.epsilon_safe > 0) {
            printf(" (stable from %.3g)", stats.epsilon_safe);
        }
    }
    if (trm_method_reads(m, "iterations")) {
        printf(", %d %s", o->srm.iterations, plural(o->srm.iterations, "iterate", "iterates"));
    }
    if (trm_method_reads(m, "E")) {
        printf(", E = %s", trm_srm_matrix_name(o->srm.E));
        if (stats.row_scales > mixed) {
            printf(" (rows of GB differ by %.1e in scale: --E block)", stats.row_scales);
        }
    }
    if (trm_method_reads(m, "alpha1")) {
        printf(", alpha1 %g, alpha0 %g", o->baumgarte.alpha1, o->baumgarte.alpha0);
    }
    if (trm_method_reads(m, "metric")) {
        printf(", %s metric", o->mass_metric ? "mass" : "identity");
    }
    printf("\n%-13s%s\n", "", run->choice.reason);
    print_stiffness(run);
}

/// The error's message without the time, which stands beside it.
static const char *reason_to_stop(const trm_program_run *run)
{
    const char *const message = run->error.message;
    const char *const behind = strstr(message, " s: ");
    return strncmp(message, "stopped at t = ", 15) == 0 && behind != NULL ? behind + 4 : message;
}

static void print_steps(const trm_program_run *run)
{
    const trm_stats stats = trm_sim_stats(run->sim);
    const double t = trm_sim_state(run->sim).t;
    printf("%-13s0 to %.6g s in %ld %s", "Simulated", t, stats.steps,
           plural(stats.steps, "step", "steps"));
    if (stats.rejected > 0) {
        printf(" (%ld more rejected)", stats.rejected);
    }
    printf(", %.3g s of CPU", run->cpu);
    if (run->cpu > 0 && t > 0) {
        printf(", %.3g times real time", t / run->cpu);
    }
    putchar('\n');
    if (run->status == TRM_STOPPED) {
        printf("%-13sstopped by hand before %.6g s\n", "", run->end);
    } else if (run->ended) {
        const int last = run->happened[run->nhappened - 1].event;
        printf("%-13sended by event '%s' before %.6g s\n", "",
               trm_model_event_info(run->model, last).name, run->end);
    } else if (run->status != TRM_OK) {
        printf("%-13sFAILED before %.6g s: %s\n", "", run->end, reason_to_stop(run));
    }
}

/// Where the dense output leaves the constraints farther than the ends of steps do.
static void print_between(const trm_program_run *run, const trm_report *report)
{
    const trm_row_info row = trm_model_row_info(run->model, report->between_row);
    printf("%-13s%-6sbetween two steps open by %.2g%s%s at %s%s%s, at t = %.6g s; at their ends by "
           "%.2g\n",
           "Constraints", trm_verdict_name(trm_verdict_of_constraints(report)), report->between,
           *row.unit ? " " : "", row.unit, row.name, *row.label ? " " : "", row.label,
           report->t_between, report->position_drift);
}

/// Where velocities leave the constraints farther than positions do.
static void print_velocities(const trm_program_run *run, const trm_report *report)
{
    const trm_row_info row = trm_model_row_info(run->model, report->velocity_row);
    printf("%-13s%-6svelocities open by %.2g of the largest speed, at %s%s%s; largest gap %.2g\n",
           "Constraints", trm_verdict_name(trm_verdict_of_constraints(report)),
           report->velocity_drift_relative, row.name, *row.label ? " " : "", row.label,
           report->position_drift);
}

static void print_constraints(const trm_program_run *run, const trm_report *report)
{
    if (report->worst_row < 0) {
        const double apart = report->position_drift_relative; // contacts alone
        const trm_verdict rating = trm_verdict_of(apart);
        if (rating != TRM_VERDICT_GOOD) {
            printf("%-13s%-6scontacts overlap or part by %.2g of the size at most\n", "Constraints",
                   trm_verdict_name(rating), apart);
            return;
        }
        printf("%-13s%-6s%s\n", "Constraints", "-",
               trm_model_sizes(run->model).nc > 0 ? "joints cannot open: they are the coordinates"
                                                  : "no constraints");
        return;
    }
    const trm_verdict ends = trm_verdict_of_gap(report->position_drift_relative, report->accuracy);
    const trm_verdict between = trm_verdict_between(report);
    const trm_verdict velocities = trm_verdict_of_velocities(report);
    if (velocities > ends && velocities > between && report->velocity_row >= 0) {
        print_velocities(run, report);
        return;
    }
    if (between > ends) {
        print_between(run, report);
        return;
    }
    const trm_row_info row = trm_model_row_info(run->model, report->worst_row);
    printf("%-13s%-6slargest gap %.2g%s%s at %s%s%s; in velocity %.2g %s/s\n", "Constraints",
           trm_verdict_name(trm_verdict_of_constraints(report)), report->position_drift,
           *row.unit ? " " : "", row.unit, row.name, *row.label ? " " : "", row.label,
           report->velocity_drift, *row.unit ? row.unit : "1");
}

static void print_energy(const trm_report *report)
{
    printf("Energy       %-6sbalance off by %.2g J at most, %.2g of the exchanged energy\n",
           trm_verdict_name(trm_verdict_of_energy(report)), report->energy_error,
           trm_energy_relative(report));
}

/// The worst figure; what was exerted is judged where forces of single points are known.
static void print_forces(const trm_program_run *run, const trm_report *report)
{
    const trm_forces f = trm_sim_forces(run->sim);
    const double contacts = fmax(f.friction, f.contacts);
    if (isnan(f.work)) {
        printf("Forces       -     not those of a point: means of steps, or inputs have changed\n");
        return;
    }
    const trm_verdict rating = trm_verdict_of_forces(&f, report);
    printf("%-13s%-6s", "Forces", trm_verdict_name(rating));
    if (rating == TRM_VERDICT_GOOD && isnan(f.reactions)) {
        printf("contacts and friction kept their laws; means of the last step are not judged\n");
    } else if (rating == TRM_VERDICT_GOOD) {
        printf("reactions and accelerations fit to %.2g%s\n", f.reactions,
               trm_model_sizes(run->model).ncontact > 0 ? "; contacts and friction keep their laws"
                                                        : "");
    } else if (!isnan(f.t_none)) {
        printf("at t = %.6g s none were found that fit the contacts; until then off by %.2g\n",
               f.t_none, fmax(contacts, fmax(f.reactions, f.work)));
    } else if (contacts > fmax(f.reactions, f.work) && f.worst >= 0) {
        printf("%s off its law by %.2g of its largest force, at t = %.6g s\n",
               trm_model_contact_info(run->model, f.worst).name, contacts, f.t_worst);
    } else if (!(f.work <= f.reactions)) {
        printf("work of friction and limits off their laws by %.2g of it\n", f.work);
    } else {
        printf("reactions and accelerations at the end differ by %.2g\n", f.reactions);
    }
}

/// How the formulas of the time were followed.
static void print_inputs(const trm_report *report, int unsearched)
{
    switch (report->inputs) {
    case TRM_INPUTS_PROVED:
        printf("%-13s%-6severy change with the time was followed (proved by intervals)%s\n",
               "Inputs", "good", unsearched ? ";" : "");
        if (unsearched) {
            printf("%-19speaks of the state are not looked for in rolling, belts and ropes\n", "");
        }
        break;
    case TRM_INPUTS_SAMPLED:
        printf("%-13s%-6susers' functions: seen where the steps looked at them, and nowhere else\n",
               "Inputs", "-");
        break;
    case TRM_INPUTS_UNCHECKED:
        printf("%-13s%-6sformulas of the time or the state: seen where the steps looked at them, "
               "and nowhere else\n",
               "Inputs", "-");
        break;
    case TRM_INPUTS_NONE:
        break;
    }
}

/// The branch can be told only of a mechanism that holds together.
static void print_branch(const trm_report *report)
{
    if (trm_verdict_of_constraints(report) == TRM_VERDICT_POOR) {
        printf("%-13s%-6sthe constraints do not hold\n", "Branch", "-");
        return;
    }
    if (report->branch_changes > 0) {
        printf("%-13s%-6s%ld %s; the first at t = %.6g s, trust nothing after it\n", "Branch",
               "POOR", report->branch_changes,
               plural(report->branch_changes, "change of assembly", "changes of assembly"),
               report->first_branch_change);
    } else {
        printf("%-13s%-6s%s\n", "Branch", report->undecided > 0 ? "fair" : "good",
               report->undecided > 0 ? "undecided here" : "one assembly mode throughout");
    }
    if (report->crossings > 0) {
        printf("%-13s%-6s%ld singular %s passed; the closest at t = %.6g s\n", "", "",
               report->crossings, plural(report->crossings, "position", "positions"),
               report->t_rcond_min);
    }
    if (report->resolved > 0) {
        printf("%-19s%ld of them came near only, and turned; the steps resolved it\n", "",
               report->resolved);
    }
    if (report->undecided > 0) {
        printf("%-19s%ld undecided, the first at t = %.6g s: bars are unequal there by\n"
               "%-19sless than double precision, or the gap of the joints, needs to tell which\n"
               "%-19smotion goes on, or a step was not seen to its end\n",
               "", report->undecided, report->first_undecided, "", "");
    }
    const trm_verdict passage =
        trm_verdict_of_loss(report->crossing_energy_lost / report->energy_scale, report->accuracy);
    if (report->crossing_energy_lost > 0 && passage != TRM_VERDICT_GOOD) {
        printf("%-13s%-6sthe passage at t = %.6g s changed the energy by %.2g J\n", "",
               trm_verdict_name(passage), report->t_crossing_energy_lost,
               report->crossing_energy_lost);
    }
    if (report->bifurcations > 0) {
        printf("%-13s%-6s%ld singular %s met at rest, the first at t = %.6g s: several motions\n"
               "%-19scontinue from there, and this run shows one\n",
               "", "POOR", report->bifurcations,
               plural(report->bifurcations, "position", "positions"), report->first_bifurcation,
               "");
    }
}

/// Multipliers that redundancy leaves open; rows of a joint follow each other.
static void print_reactions(const trm_program_run *run)
{
    const int nc = trm_model_sizes(run->model).nc;
    const char *last = NULL;
    int open = 0, joints = 0;
    for (int i = 0; run->unique != NULL && i < nc; i++) {
        open += !run->unique[i];
    }
    if (open == 0) {
        return;
    }
    const int cuts = trm_scene_simulation(run->scene).coordinates == TRM_COORDINATES_JOINT;
    printf("%-13s%-6s%d of %d are undetermined at the start; the smallest that fit are given%s:",
           "Reactions", "-", open, nc, cuts ? " of the cuts" : "");
    for (int i = 0; i < nc; i++) {
        const char *const name = trm_model_row_info(run->model, i).name;
        if (!run->unique[i] && (last == NULL || strcmp(last, name) != 0)) {
            last = name;
            if (joints++ < JOINTS_SHOWN) {
                printf("%s %s", joints == 1 ? "" : ",", name);
            }
        }
    }
    puts(joints > JOINTS_SHOWN ? ", ..." : "");
}

static int has_motor(const trm_model *model)
{
    int motors = 0;
    for (int i = 0; i < trm_model_sizes(model).njoint; i++) {
        motors += trm_model_joint_info(model, i).has_motor;
    }
    return motors > 0;
}

/// One plain sentence when a check has failed, or the run: what there is to try that was not tried.
static void print_advice(const trm_program_run *run, const trm_report *report)
{
    const trm_arguments *const a = &run->arguments;
    const int poor = trm_verdict_of_constraints(report) == TRM_VERDICT_POOR ||
                     report->branch_changes > 0 ||
                     trm_verdict_of_energy(report) == TRM_VERDICT_POOR;
    const int fixed = !run->choice.method->adaptive;
    const int method_chosen = a->method != NULL || a->integrator != NULL;
    if (poor) {
        printf("%-13sdo not use this result%s%s%s\n", "POOR",
               fixed ? "; try a smaller --step" : "; try a smaller --accuracy",
               method_chosen ? ", or leave the method to Trammel" : "",
               fixed || method_chosen ? "" : ", or `trammel compare` for other methods");
    }
    if (run->status < 0 && has_motor(run->model)) {
        printf("%-13s`trammel check ", "");
        trm_terminal_text(stdout, a->scene);
        puts("` says whether the motors ask for a position that there is not, and when");
    }
}

/// "   x 1.234  y -0.5": one labelled number; 0 for what is roundoff of numbers of size `scale`.
static void print_value(const char *label, double x, double scale)
{
    printf("  %s %-14.8g", label, fabs(x) <= 1e-14 * scale ? 0 : x);
}

/// The largest of each kind of number among all bodies: positions, angles, velocities, rates.
typedef struct scales {
    double position, angle, velocity, rate;
} scales;

static scales measure_scales(const trm_program_run *run, const trm_state *state)
{
    const int d = trm_scene_get_info(run->scene).dimension;
    scales s = {0};
    for (int i = 0; i < trm_model_sizes(run->model).nbody; i++) {
        const trm_body_info info = trm_model_body_info(run->model, i);
        const double *const q = state->q + info.q0, *const v = state->v + info.v0;
        for (int k = 0; k < d; k++) {
            s.position = fmax(s.position, fabs(q[k]));
            s.velocity = fmax(s.velocity, fabs(v[k]));
        }
        if (d == 2 && info.nv > d) {
            s.angle = fmax(fmax(s.angle, fabs(q[2])), 1);
            s.rate = fmax(s.rate, fabs(v[2]));
        }
    }
    return s;
}

static void print_body(const trm_program_run *run, int i, const trm_state *state,
                       const scales *scale)
{
    static const char *const position[] = {"x", "y", "z"}, *const velocity[] = {"vx", "vy", "vz"};
    const trm_body_info info = trm_model_body_info(run->model, i);
    const int d = trm_scene_get_info(run->scene).dimension, rotates = info.nv > d;
    const double *const q = state->q + info.q0, *const v = state->v + info.v0;
    printf("  %-11s", info.name);
    for (int k = 0; k < d && k < 3; k++) {
        print_value(position[k], q[k], scale->position);
    }
    if (rotates && d == 2) {
        print_value("angle", q[2], scale->angle);
    }
    for (int k = 0; k < d && k < 3; k++) {
        print_value(velocity[k], v[k], scale->velocity);
    }
    if (rotates && d == 2) {
        print_value("rate", v[2], scale->rate);
    }
    putchar('\n');
}

static void print_state(const trm_program_run *run)
{
    const trm_state state = trm_sim_state(run->sim);
    const int nbody = trm_model_sizes(run->model).nbody;
    const int shown = nbody <= BODIES_SHOWN ? nbody : BODIES_SHOWN / 2;
    const scales scale = measure_scales(run, &state);
    printf("\n%-13st = %.9g s, centres of mass in %s\n",
           run->status == TRM_OK ? "End state" : "Last state", state.t,
           trm_scene_get_info(run->scene).dimension == 2 ? "m, rad, m/s, rad/s"
                                                         : "m, m/s; orientations with --json");
    for (int i = 0; i < shown; i++) {
        print_body(run, i, &state, &scale);
    }
    if (shown < nbody) {
        printf("  ... and %d more; --json prints all\n", nbody - shown);
    }
}

/// At the end; those of a time that is no sample's are numbers like any other.
static void print_outputs(const trm_program_run *run)
{
    const int n = trm_model_sizes(run->model).noutput;
    printf("%s", n > 0 ? "\nOutputs at the end\n" : "");
    for (int i = 0; i < n; i++) {
        const trm_output_info info = trm_model_output_info(run->model, i);
        printf("  %-10s %.10g%s%s\n", info.name, trm_run_output(run, i), *info.unit ? " " : "",
               info.unit);
    }
}

/// The first ones, and how many more.
static void print_events(const trm_program_run *run)
{
    enum { SHOWN = 10 };
    if (trm_model_sizes(run->model).nevent == 0) {
        return;
    }
    printf("\nEvents       %ld\n", run->nhappened);
    for (long i = 0; i < run->nhappened && i < SHOWN; i++) {
        const trm_event_info info = trm_model_event_info(run->model, run->happened[i].event);
        printf("  %-11st = %-18.15g %s\n", info.name, run->happened[i].t, info.when);
    }
    if (run->nhappened > SHOWN) {
        printf("  ...         and %ld more, all of them with --json\n", run->nhappened - SHOWN);
    }
}

static void print_recording(const trm_program_run *run)
{
    if (run->paged) {
        printf("Page         %s\n", run->arguments.output);
    } else if (run->recording != NULL) {
        const long rows = trm_recording_rows(run->recording);
        printf("\n%-13s", "Recording");
        trm_terminal_text(stdout, trm_recording_path(run->recording));
        printf(": %ld %s of %d columns%s\n", rows, plural(rows, "line", "lines"),
               trm_recording_columns(run->recording),
               run->status == TRM_OK ? "" : ", up to where the run stopped");
    }
}

void trm_run_text(const trm_program_run *run)
{
    print_title(run);
    print_model(run);
    print_far_joints(run);
    print_method(run);
    if (run->assembly.body != NULL) {
        trm_assembly_print(&run->assembly);
    }
    const trm_report report = trm_sim_report(run->sim);
    print_steps(run);
    putchar('\n');
    if (trm_sim_stats(run->sim).steps > 0) {
        print_constraints(run, &report);
        trm_play_print(run, &report);
        print_energy(&report);
        print_forces(run, &report);
        print_branch(&report);
        print_inputs(&report, trm_sim_input_coverage(run->sim).unsearched);
        trm_accuracy_print(run);
    } else {
        printf("%-13s%-6sno step was taken, there is nothing to judge\n", "Checks", "-");
    }
    print_reactions(run);
    print_advice(run, &report);
    print_events(run);
    trm_run_print_contacts(run);
    print_state(run);
    print_outputs(run);
    print_recording(run);
}
