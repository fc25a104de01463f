#include "tools/run/accuracy.h"

#include <math.h>
#include <stdio.h>

/// Differences of this part of the motion and more are no errors of steps.
static const double parted = 0.1;

/// Known to be off, or not checked since no second run got through.
static int is_poor(const trm_accuracy *a)
{
    return a->rating == TRM_VERDICT_POOR;
}

static void print_unchecked(const trm_program_run *run, const trm_accuracy *a)
{
    const int asked_for = !run->arguments.no_verify;
    printf("%-13s%-6snot checked%s%s%s\n", "Accuracy",
           is_poor(a) ? trm_verdict_name(a->rating) : "-",
           asked_for && a->unchecked != NULL ? ": " : "",
           asked_for && a->unchecked != NULL ? a->unchecked : "",
           run->arguments.verify ? "" : "; --verify makes a second run");
}

/// Up to when the motion is known, where that is not the end.
static void print_known(const trm_program_run *run, const trm_accuracy *a)
{
    if (a->limit != NULL) {
        printf(";\n%-19s%s\n", "", a->limit);
        return;
    }
    if (!(a->asked > 0) || a->differs <= a->asked) {
        putchar('\n');
        return;
    }
    printf(";\n%-19sknown to %.1g up to t = %.6g s", "", a->asked, a->known_until);
    const int apart = !(a->differs <= parted);
    puts(apart ? "; from there on motions part: chaos, or a branch" : "");
    if (apart && trm_model_sizes(run->model).ncontact > 0) {
        printf("%-19sor several forces of contacts fit\n", "");
    }
    if (run->choice.method->adaptive && a->known_until == 0) {
        printf("%-19sno state after the start is known to that\n", "");
    }
}

/// The angle of a ball whose turns are not certain; NULL: there is none. *t (s): from then on.
static const char *uncounted(const trm_program_run *run, double *t)
{
    const trm_report report = run->sim != NULL ? trm_sim_report(run->sim) : (trm_report){0};
    *t = report.t_uncounted;
    return report.uncounted > 0 ? trm_model_joint_info(run->model, report.uncounted - 1).name
                                : NULL;
}

void trm_accuracy_print(const trm_program_run *run)
{
    const trm_accuracy a = trm_result_accuracy(run->result);
    double t;
    if (uncounted(run, &t)) {
        printf("%-13s%-6s'%s' passes at t = %.6g s where it has no value, nearer than steps tell\n"
               "%-19sthe side: from there on turns of balls' angles are not certain\n",
               "Turns", "-", uncounted(run, &t), t, "");
    }
    if (a.runs < 2) {
        print_unchecked(run, &a);
        return;
    }
    printf("%-13s%-6s", "Accuracy", trm_verdict_name(a.rating));
    if (a.asked > 0) {
        printf("asked %.1g, ", a.asked);
    }
    printf("differs by %.1g of the motion", a.differs);
    if (a.body >= 0 && a.rating != TRM_VERDICT_GOOD) {
        printf(" at '%s'", trm_model_body_info(run->model, a.body).name);
    }
    printf(" (%d runs)", a.runs);
    print_known(run, &a);
}

static void number_if(trm_json *json, const char *key, int known, double x)
{
    trm_json_key_number(json, key, known ? x : NAN);
}

static void write_bodies(const trm_program_run *run, int known, trm_json *json)
{
    trm_json_key(json, "bodies");
    if (!known) {
        trm_json_null(json);
        return;
    }
    trm_json_object(json);
    for (int b = 0; b < trm_model_sizes(run->model).nbody; b++) {
        const trm_difference d = trm_result_difference(run->result, b);
        trm_json_key(json, trm_model_body_info(run->model, b).name);
        trm_json_object(json);
        trm_json_key_number(json, "position", d.position);
        trm_json_key_number(json, "angle", d.angle);
        trm_json_key_number(json, "velocity", d.velocity);
        trm_json_key_number(json, "rate", d.rate);
        trm_json_end(json);
    }
    trm_json_end(json);
}

void trm_accuracy_json(const trm_program_run *run, trm_json *json)
{
    const trm_accuracy a = trm_result_accuracy(run->result);
    const int known = a.runs > 1;
    const double asked =
        run->sim != NULL ? trm_sim_report(run->sim).accuracy : run->choice.options.accuracy;
    trm_json_key(json, "accuracy");
    trm_json_object(json);
    number_if(json, "asked", asked > 0, asked);
    trm_json_key_integer(json, "runs", known ? a.runs : run->started);
    trm_json_key_string(json, "verdict", known || is_poor(&a) ? trm_verdict_name(a.rating) : NULL);
    trm_json_key_string(json, "unchecked", a.unchecked);
    trm_json_key_string(json, "limit", a.limit);
    number_if(json, "differs", known, a.differs);
    number_if(json, "known_until", known && asked > 0, a.known_until);
    number_if(json, "position", known, a.position);
    number_if(json, "angle", known, a.angle);
    trm_json_key_string(json, "worst",
                        a.body >= 0 ? trm_model_body_info(run->model, a.body).name : NULL);
    double t;
    const char *const angle = uncounted(run, &t);
    trm_json_key_string(json, "uncounted", angle);
    number_if(json, "uncounted_t", angle != NULL, t);
    write_bodies(run, known, json);
    trm_json_end(json);
}
