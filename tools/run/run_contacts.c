/// Limits, stops and friction in the report of a run.
#include "program/run_details.h"
#include "tools/common/contact_words.h"
#include "tools/common/json_out.h"
#include "tools/run/run.h"
#include "trammel/trammel_contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Of contact i, in its unit.
static void print_force(const trm_program_run *run, int i, const trm_contact_state *state,
                        const char *unit)
{
    if (isnan(state->force)) {
        printf("its force is not known\n");
    } else if (state->mode == TRM_CONTACT_UNDETERMINED) {
        printf("force 0 of what may be +-%.6g %s\n", trm_sim_friction_bound(run->sim, i), unit);
    } else {
        printf("force %.6g %s\n", state->force, unit);
    }
}

static void print_projected(const trm_projected_told *told)
{
    if (told->intervals == 0) {
        return;
    }
    printf("%-13sprojected steps, of order 1, in %ld %s from t = %.6g to %.6g s: %ld steps; %s\n",
           "", told->intervals, told->intervals == 1 ? "interval" : "intervals", told->from,
           told->to, told->steps,
           told->crowds == told->intervals ? "too many events"
           : told->crowds == 0             ? "no forces fit, or several"
                                           : "too many events, and no forces fit, or several");
}

static void print_contact(const trm_program_run *run, int i, const trm_contact_state *state,
                          int width)
{
    const trm_contact_info info = trm_model_contact_info(run->model, i);
    const double place = fabs(state->x) < 1e-12 ? 0 : state->x;
    printf("  %-*s %-7s at %.6g %s, ", width, info.name, trm_contact_word(&info, state), place,
           info.unit);
    print_force(run, i, state, *info.unit == 'r' ? "N m" : "N");
}

/// Of many those that are not open, first.
void trm_run_print_contacts(const trm_program_run *run)
{
    enum { SHOWN = 12 };
    const trm_impacts impacts = trm_sim_impacts(run->sim);
    const int n = trm_model_sizes(run->model).ncontact;
    if (n == 0) {
        return;
    }
    printf("\nContacts     %ld %s, %.6g J lost in them; %ld %s of mode\n", impacts.count,
           impacts.count == 1 ? "impact" : "impacts", impacts.energy_lost, impacts.changes,
           impacts.changes == 1 ? "change" : "changes");
    if (impacts.settled > 0) {
        printf("%-13sbouncing has ended %ld %s, last at t = %.12g s\n", "", impacts.settled,
               impacts.settled == 1 ? "time" : "times", impacts.rest);
    }
    print_projected(&impacts.projected);
    int width = 10, shown = 0, open = 0;
    for (int i = 0; i < n; i++) {
        const int length = (int)strlen(trm_model_contact_info(run->model, i).name);
        width = length > width ? length : width;
    }
    for (int i = 0; i < n; i++) {
        trm_contact_state state;
        if (!trm_sim_contact(run->sim, i, &state)) {
            continue;
        }
        if (n > SHOWN && state.mode == TRM_CONTACT_MODE_OPEN) {
            open++;
        } else if (shown < SHOWN) {
            print_contact(run, i, &state, width);
            shown++;
        }
    }
    if (n > SHOWN) {
        printf("  ...         and %d more, %d of them open: with --json\n", n - shown, open);
    }
}

static void number(trm_json *json, const char *key, double x)
{
    if (isfinite(x)) {
        trm_json_key_number(json, key, x);
    } else {
        trm_json_key(json, key);
        trm_json_null(json);
    }
}

void trm_run_write_contacts(trm_json *json, const trm_program_run *run)
{
    const trm_impacts impacts = trm_sim_impacts(run->sim);
    const int n = run->sim ? trm_model_sizes(run->model).ncontact : 0;
    trm_json_key(json, "contacts");
    trm_json_object(json);
    trm_json_key_integer(json, "impacts", impacts.count);
    trm_json_key_number(json, "energy_lost", impacts.energy_lost);
    number(json, "last_t", impacts.last);
    trm_json_key_integer(json, "changes", impacts.changes);
    trm_json_key_integer(json, "settled", impacts.settled);
    number(json, "rest_t", impacts.rest);
    trm_json_key(json, "projected");
    trm_json_object(json);
    trm_json_key_integer(json, "intervals", impacts.projected.intervals);
    trm_json_key_integer(json, "crowds", impacts.projected.crowds);
    trm_json_key_integer(json, "steps", impacts.projected.steps);
    number(json, "from", impacts.projected.intervals > 0 ? impacts.projected.from : NAN);
    number(json, "to", impacts.projected.intervals > 0 ? impacts.projected.to : NAN);
    trm_json_end(json);
    trm_json_key(json, "now");
    trm_json_object(json);
    for (int i = 0; i < n; i++) {
        trm_contact_state state;
        if (trm_sim_contact(run->sim, i, &state)) {
            trm_json_key(json, trm_model_contact_info(run->model, i).name);
            trm_json_object(json);
            trm_json_key_string(json, "mode", trm_contact_mode_name(state.mode));
            trm_json_key_number(json, "x", state.x);
            trm_json_key_number(json, "rate", state.rate);
            number(json, "force", state.force);
            number(json, "friction_bound", trm_sim_friction_bound(run->sim, i));
            trm_json_end(json);
        }
    }
    trm_json_end(json);
    trm_json_end(json);
}
