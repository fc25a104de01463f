// Shared by the kinds of relations: writing an equation, and the axes of two joints on a carrier.

#include "constraints/transmissions/relation.h"

#include "base/accuracy_policy.h"
#include "bodies/vector.h"
#include "program/view.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const trm_scene_joint *trm_relation_joint(const trm_relation *relation, int i)
{
    return &relation->scene->joints[relation->def->joints.item[i]];
}

void trm_relation_refuse(trm_relation *relation, const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(relation->wrong, sizeof relation->wrong, format, arguments);
    va_end(arguments);
    relation->key = key;
}

static int body_of(const trm_relation *relation, int i)
{
    return relation->scene->markers[relation->def->markers[i]].body;
}

int trm_relation_turns(const trm_relation *relation, int i)
{
    const int body = body_of(relation, i);
    return body != TRM_INDEX_GROUND && !relation->scene->bodies[body].point_mass;
}

const char *trm_relation_place(const trm_relation *relation, int i)
{
    return body_of(relation, i) == TRM_INDEX_GROUND ? "the ground" : "a point mass";
}

int trm_relation_check_markers(trm_relation *relation, const char *first, const char *second)
{
    const trm_scene_marker *const markers = relation->scene->markers;
    const char *const lacks[2] = {first, second};
    const int *const of = relation->def->markers;
    for (int i = 0; i < 2 && !relation->key; i++) {
        const int may = !lacks[i] || (i == 1 && body_of(relation, 1) == TRM_INDEX_GROUND);
        if (!may && !trm_relation_turns(relation, i)) {
            trm_relation_refuse(relation, "markers", "\"%.64s\" is on %s, which %s",
                                markers[of[i]].name, trm_relation_place(relation, i), lacks[i]);
        }
    }
    if (!relation->key && body_of(relation, 0) == body_of(relation, 1)) {
        trm_relation_refuse(relation, "markers", "\"%.64s\" and \"%.64s\" are on the same body",
                            markers[of[0]].name, markers[of[1]].name);
    }
    return relation->key == NULL;
}

void trm_begin_row(trm_relation *relation, const char *label, const char *shown, int of_velocity)
{
    relation->row += relation->rows[relation->row].g.used > 0;
    trm_relation_row *row = &relation->rows[relation->row];
    row->label = label;
    row->of_velocity = of_velocity;
    trm_put(&row->shown, shown);
}

void trm_put_relation(trm_relation *relation, const char *text)
{
    trm_put(&relation->rows[relation->row].g, text);
    trm_put(&relation->rows[relation->row].shown, text);
}

void trm_put_factor(trm_relation *relation, double number)
{
    trm_putf(&relation->rows[relation->row].g, number < 0 ? "(%.17g)" : "%.17g", number);
    trm_putf(&relation->rows[relation->row].shown, number < 0 ? "(%.6g)" : "%.6g", number);
}

void trm_put_coordinate(trm_relation *relation, int i)
{
    const trm_scene_joint *joint = trm_relation_joint(relation, i);
    const int turns = trm_turns(joint->kind->freedom);
    trm_putf(&relation->rows[relation->row].g, "_%d", i);
    trm_putf(&relation->rows[relation->row].shown, "%s.%s", joint->name,
             turns ? "angle" : "position");
}

void trm_put_term(trm_relation *relation, int first, double c, int i)
{
    trm_put_relation(relation, first ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ");
    trm_put_factor(relation, fabs(c));
    trm_put_relation(relation, "*");
    trm_put_coordinate(relation, i);
}

void trm_put_constant(trm_relation *relation, double c)
{
    if (c != 0.0) {
        trm_put_relation(relation, c < 0 ? " + " : " - ");
        trm_put_factor(relation, fabs(c));
    }
}

int trm_relation_carrier(trm_relation *relation, double sign[2])
{
    const trm_scene_joint *one = trm_relation_joint(relation, 0);
    const trm_scene_joint *other = trm_relation_joint(relation, 1);
    int shared = 0;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            if (one->body[i] == other->body[j]) {
                sign[0] = i == 0 ? 1.0 : -1.0;
                sign[1] = j == 0 ? 1.0 : -1.0;
                shared++;
            }
        }
    }
    if (shared != 1) {
        trm_relation_refuse(relation, "joints",
                            shared
                                ? "\"%.64s\" and \"%.64s\" join the same two bodies"
                                : "\"%.64s\" and \"%.64s\" share no body; both joints must be on "
                                  "the carrier, or a coupling relate them",
                            one->name, other->name);
    }
    return shared == 1;
}

void trm_relation_axis(const trm_relation *relation, int i, double axis[3])
{
    const trm_scene_joint *joint = trm_relation_joint(relation, i);
    if (joint->axis_given) {
        memcpy(axis, joint->axis, 3 * sizeof *axis);
    } else {
        set3(axis, 0.0, 0.0, 1.0);
    }
}

int trm_relation_parallel(trm_relation *relation, double *distance)
{
    double n[2][3], square[3], d[3], off[3];
    trm_relation_axis(relation, 0, n[0]);
    trm_relation_axis(relation, 1, n[1]);
    cross(n[0], n[1], square);
    const double sine = sqrt(dot(square, square));
    if (sine > TRM_FIT) {
        trm_relation_refuse(
            relation, "joints",
            "the axes of \"%.64s\" and \"%.64s\" must be parallel, but they enclose %.6g rad",
            trm_relation_joint(relation, 0)->name, trm_relation_joint(relation, 1)->name,
            atan2(sine, dot(n[0], n[1])));
        return 0;
    }
    subtract(relation->point[1], relation->point[0], d);
    cross(n[0], d, off);
    *distance = sqrt(dot(off, off));
    return dot(n[0], n[1]) > 0 ? 1 : -1;
}
