#include "tools/run/play.h"
#include "program/run_details.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { JOINTS_SHOWN = 2 };

/// Of the size of a mechanism: below a hundred roundings of positions rows repeat each other.
static const double visible = 1e-12;

/// The play of a joint: the largest of its rows in m, or in rad.
typedef struct joint_play {
    const char *name;
    double size, t;
} joint_play;

/// Of the joint that begins with row *row, in this unit; *row goes on to the next joint.
static joint_play play_of(const trm_program_run *run, const char *unit, int *row)
{
    const int nc = trm_model_sizes(run->model).nc;
    joint_play most = {trm_model_row_info(run->model, *row).name, 0, NAN};
    for (; *row < nc; ++*row) {
        const trm_row_info info = trm_model_row_info(run->model, *row);
        double t;
        const double size = trm_sim_misfit(run->sim, *row, &t);
        if (strcmp(info.name, most.name) != 0) {
            return most;
        }
        if (strcmp(info.unit, unit) == 0 && size > most.size) {
            most.size = size;
            most.t = t;
        }
    }
    return most;
}

/// The joints with the largest play in a unit, the largest first. Returns how many.
static int largest(const trm_program_run *run, const char *unit, joint_play *found)
{
    const int nc = trm_model_sizes(run->model).nc;
    int n = 0;
    for (int row = 0; row < nc;) {
        const joint_play one = play_of(run, unit, &row);
        int k = n;
        for (; k > 0 && found[k - 1].size < one.size; k--) {
            if (k < JOINTS_SHOWN) {
                found[k] = found[k - 1];
            }
        }
        if (k < JOINTS_SHOWN && one.size > 0) {
            found[k] = one;
            n = n < JOINTS_SHOWN ? n + 1 : n;
        }
    }
    return n;
}

static int print_unit(const trm_program_run *run, const char *unit, int printed)
{
    joint_play found[JOINTS_SHOWN];
    const int n = largest(run, unit, found);
    for (int k = 0; k < n && found[k].size > found[0].size / 10; k++) {
        printf("%s%s %.2g %s", printed++ > 0 ? ", " : "", found[k].name, found[k].size, unit);
        if (k == 0 && found[k].t > 0) {
            printf(" (t = %.4g s)", found[k].t);
        }
    }
    return printed;
}

void trm_play_print(const trm_program_run *run, const trm_report *report)
{
    if (!(report->misfit > visible)) {
        return;
    }
    printf("%-13s%-6s", "Misfit", report->misfit > report->accuracy ? "fair" : "-");
    if (print_unit(run, "rad", print_unit(run, "m", 0)) == 0) {
        printf("%.2g of the size, or rad", report->misfit);
    }
    printf(":\n%-19splay of redundant joints, shared out; the motion is known to about that\n", "");
}

void trm_play_print_locked(const trm_program_run *run)
{
    trm_locked_part part;
    for (int i = 0; trm_sim_locked(run->sim, i, &part); i++) {
        printf("%-13snothing can move ", i == 0 ? "LOCKED" : "");
        if (part.nbodies > 1) {
            printf("%d bodies, '%s' and others", part.nbodies, part.body);
        } else {
            printf("'%s'", part.body);
        }
        if (part.joint[0]) {
            printf(": the axes of %s and %s are %.3g rad apart", part.joint[0], part.joint[1],
                   part.angle);
        }
        puts(";");
        printf("%-13sit stands as it is; to let it move, take a joint with more freedom for one\n",
               "");
    }
}

static void write_locked(const trm_program_run *run, trm_json *json)
{
    trm_locked_part part;
    trm_json_key(json, "locked");
    trm_json_array(json);
    for (int i = 0; trm_sim_locked(run->sim, i, &part); i++) {
        trm_json_object(json);
        trm_json_key_string(json, "body", part.body);
        trm_json_key_integer(json, "bodies", part.nbodies);
        trm_json_key(json, "joints");
        trm_json_array(json);
        for (int k = 0; k < 2 && part.joint[0]; k++) {
            trm_json_string(json, part.joint[k]);
        }
        trm_json_end(json);
        trm_json_key_number(json, "angle", part.angle);
        trm_json_end(json);
    }
    trm_json_end(json);
}

void trm_play_json(const trm_program_run *run, const trm_report *report, trm_json *json)
{
    const int nc = trm_model_sizes(run->model).nc;
    trm_json_key(json, "misfit");
    trm_json_object(json);
    trm_json_key_number(json, "relative", report->misfit);
    trm_json_key(json, "joints");
    trm_json_object(json);
    for (int row = 0; row < nc && report->misfit > visible;) {
        int again = row;
        const joint_play m = play_of(run, "m", &again), rad = play_of(run, "rad", &row);
        if (m.size > 0 || rad.size > 0) {
            trm_json_key(json, m.name);
            trm_json_object(json);
            trm_json_key_number(json, "m", m.size);
            trm_json_key_number(json, "rad", rad.size);
            trm_json_end(json);
        }
    }
    trm_json_end(json);
    write_locked(run, json);
    trm_json_end(json);
}
