#include "tools/run/accuracy.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

double trm_accuracy_asked(const trm_program_run *run)
{
    return trm_accuracy_asked_for(&run->choice.options, run->choice.accuracy);
}

trm_verdict trm_accuracy_verdict(const trm_program_run *run)
{
    const double found = fmax(run->verified.outcome.relative, run->verified.outcome.shared);
    return trm_verdict_of_end(found, trm_accuracy_asked(run));
}

void trm_accuracy_print_length(const trm_program_run *run)
{
    const trm_duration *const length = &run->length;
    if (length->accuracy > run->choice.accuracy) {
        printf("%-13sover %.0f own periods double precision keeps %.1g at best, not the %.1g\n", "",
               length->periods, length->accuracy, run->choice.accuracy);
        printf("%-13sasked for%s\n", "",
               run->verified.done ? "" : "; --verify measures how well the end state is known");
    } else if (run->choice.options.rtol < run->choice.accuracy / 100 && length->periods > 0) {
        printf("%-13swith tolerances for a run of %.0f own periods\n", "", length->periods);
    }
}

static int is_known(const trm_program_run *run)
{
    return run->verified.done && run->verified.status == TRM_OK && run->verified.outcome.body >= 0;
}

/// Whether more than three digits of the accuracy asked for are lost: NULL where nothing is known,
/// "unknown" where they may be. What steps err by is not known from their tolerances: ten times as
/// much is taken for possible, a choice; in the campaign a tenth of the runs err by 40 times more
/// (docs/validation/campaign.md). What the formula errs by is known to first order: its digits
/// count twice, a choice as well.
static const char *loss(const trm_program_run *run)
{
    const double worth = 1e3, known = 10, asked = run->choice.method ? trm_accuracy_asked(run) : 0;
    const trm_growth *const g = &run->growth;
    if (!run->followed) {
        return NULL;
    }
    if (asked <= 0) { // fixed steps
        return g->digits > log10(worth) ? "much" : "little";
    }
    return g->error / pow(10, 2 * g->unseen) > worth * asked ? "much"
           : g->error * known > worth * asked                ? "unknown"
                                                             : "little";
}

/// Where gaps and energy show that the motion is not what was asked for; else NULL.
static const char *motion_verdict(const trm_program_run *run)
{
    return trm_sim_verdicts(run->sim, trm_accuracy_asked(run)).motion;
}

static void print_off(const trm_program_run *run, const trm_report *report)
{
    printf("%-13s%-6sthe motion is off by %.2g of the size at least, as gaps and energy show;\n",
           "Accuracy", motion_verdict(run), report->motion_error);
    printf("%-19sasked %.1g\n", "", trm_accuracy_asked(run));
}

/// The end state may be off by more than 10 A, where more is not told already. What it is off by is
/// known to an order: ten times as much is taken for possible, as above.
static int may_be_off(const trm_program_run *run, const trm_report *report)
{
    const char *const lost = loss(run);
    const double known = 10, asked = run->choice.method ? trm_accuracy_asked(run) : 0;
    return asked > 0 && known * report->motion_error_grown > 10 * asked &&
           !(lost && strcmp(lost, "much") == 0);
}

static void print_may_be_off(const trm_program_run *run, const trm_report *report)
{
    printf(
        "%-13s%-6sthe motion is off by %.2g of the size, as gaps and energy show: the end state\n",
        "Accuracy", "-", report->motion_error);
    printf("%-19smay be by some %.1g, asked %.1g; --verify measures it\n", "",
           report->motion_error_grown, trm_accuracy_asked(run));
}

/// Without --verify: only where more than three digits are lost, or may be, or it is not known.
static void print_growth(const trm_program_run *run)
{
    const char *const lost = loss(run);
    const int much = lost && strcmp(lost, "much") == 0;
    const trm_growth *const g = &run->growth;
    if (run->obstacle) {
        printf("%-13s%-6sthe growth of errors is not known: %s;\n", "Accuracy", "-", run->obstacle);
        printf("%-19s--verify measures how well the end state is known\n", "");
        return;
    }
    if (!lost || strcmp(lost, "little") == 0) {
        return;
    }
    printf("%-13s%-6s", "Accuracy", "-");
    if (trm_accuracy_asked(run) <= 0) {
        printf("errors of steps grow by about 1e%.0f over the run: so many digits of the end\n",
               fmin(g->digits, 999));
        printf("%-19sstate are lost; --verify measures how well it is known\n", "");
        return;
    }
    if (g->error < 1) {
        printf("errors of steps %s to about %.0g of the size: more than three digits\n",
               much ? "grow" : "may grow", g->error);
    } else {
        printf("errors of steps %s to the size of the motion: more than three digits\n",
               much ? "grow" : "may grow");
    }
    printf("%-19sof the %.1g asked for %s lost; --verify measures them\n", "",
           trm_accuracy_asked(run), much ? "are" : "may be");
}

/// Whether the error found is only the rounding of the coordinates: each of the two runs rounds a
/// coordinate x by up to eps |x|. Entries of a quaternion have size 1.
static int is_roundoff(const trm_program_run *run, const trm_verification *found)
{
    const int d = trm_scene_dimension(run->scene);
    const trm_state state = trm_sim_state(run->sim);
    double position = 0, angle = d == 3;
    for (int i = 0; i < trm_model_sizes(run->model).nbody; i++) {
        const trm_body_info body = trm_model_body_info(run->model, i);
        for (int k = 0; k < d; k++) {
            position = fmax(position, fabs(state.q[body.q0 + k]));
        }
        angle = d == 2 && body.nq > d ? fmax(angle, fabs(state.q[body.q0 + d])) : angle;
    }
    return found->position <= 2 * DBL_EPSILON * position && found->angle <= 2 * DBL_EPSILON * angle;
}

void trm_accuracy_print(const trm_program_run *run)
{
    const trm_verification *const found = &run->verified.outcome;
    const trm_report report = trm_sim_report(run->sim);
    if (!is_known(run) && motion_verdict(run)) {
        print_off(run, &report);
        return;
    }
    if (!run->verified.done) {
        if (may_be_off(run, &report)) {
            print_may_be_off(run, &report);
        } else {
            print_growth(run);
        }
        return;
    }
    if (!is_known(run)) {
        printf("%-13s%-6sthe second run says nothing: %s\n", "Accuracy", "-",
               run->verified.status != TRM_OK ? run->verified.error.message
                                              : "there are no bodies");
        return;
    }
    const double asked = trm_accuracy_asked(run);
    printf("%-13s%-6send state known to ", "Accuracy", trm_verdict_name(trm_accuracy_verdict(run)));
    if (is_roundoff(run, found)) {
        printf("roundoff");
    } else {
        printf("%.1g m", found->position);
        if (found->angle > 0) {
            printf(", %.1g rad", found->angle);
        }
        printf("; %s to %.1g of its size", trm_model_body_info(run->model, found->body).name,
               found->relative);
    }
    printf(asked > 0 ? "; asked %.1g\n" : "\n", asked);
    if (found->shared > fmax(found->relative, asked / 10)) { // the second run asked for a tenth
        printf(
            "%-19sgaps and energy show that the second run is off by some %.1g of the size: both\n"
            "%-19smay have lost as much\n",
            "", found->shared, "");
    }
}

static void number_if(trm_json *json, const char *key, int known, double x)
{
    trm_json_key_number(json, key, known ? x : NAN);
}

static void write_bodies(const trm_program_run *run, trm_json *json)
{
    trm_json_key(json, "bodies");
    if (!is_known(run)) {
        trm_json_null(json);
        return;
    }
    trm_json_object(json);
    for (int b = 0; b < trm_model_sizes(run->model).nbody; b++) {
        const trm_difference *const d = &run->errors[b];
        trm_json_key(json, trm_model_body_info(run->model, b).name);
        trm_json_object(json);
        trm_json_key_number(json, "position", d->position);
        trm_json_key_number(json, "angle", d->angle);
        trm_json_key_number(json, "velocity", d->velocity);
        trm_json_key_number(json, "rate", d->rate);
        trm_json_end(json);
    }
    trm_json_end(json);
}

void trm_accuracy_json(const trm_program_run *run, trm_json *json)
{
    const trm_verification *const found = &run->verified.outcome;
    const int chosen = run->choice.method != NULL, known = is_known(run);
    const trm_report report = run->sim ? trm_sim_report(run->sim) : (trm_report){0};
    const char *const off = motion_verdict(run);
    const int by_length = chosen && run->length.periods > 0;
    trm_json_key(json, "accuracy");
    trm_json_object(json);
    number_if(json, "asked", chosen && trm_accuracy_asked(run) > 0,
              chosen ? trm_accuracy_asked(run) : 0);
    number_if(json, "periods", by_length, run->length.periods);
    number_if(json, "reachable", by_length, run->length.accuracy);
    trm_json_key_string(json, "lost", loss(run));
    trm_json_key_string(json, "not_followed", run->obstacle);
    number_if(json, "error_grown", run->followed && trm_accuracy_asked(run) > 0, run->growth.error);
    number_if(json, "digits_lost", run->followed, run->growth.digits);
    number_if(json, "digits_unseen", run->followed, run->growth.unseen);
    number_if(json, "evaluations_beside", run->followed, (double)run->growth.evaluations);
    number_if(json, "motion_error", run->sim != NULL, report.motion_error);
    number_if(json, "motion_error_grown", run->sim != NULL, report.motion_error_grown);
    trm_json_key_string(json, "verdict",
                        off     ? off
                        : known ? trm_verdict_name(trm_accuracy_verdict(run))
                                : NULL);
    number_if(json, "relative", known, found->relative);
    number_if(json, "shared", known, found->shared);
    number_if(json, "position", known, found->position);
    number_if(json, "angle", known, found->angle);
    trm_json_key_string(json, "worst",
                        known ? trm_model_body_info(run->model, found->body).name : NULL);
    write_bodies(run, json);
    trm_json_end(json);
}
