// The functions that the files of the joints call: each appends an entry to the rows of a joint.

#include <assert.h>

#include "bodies/rotation.h"
#include "bodies/vector.h"
#include "constraints/joint.h"

static void copy3(double *to, const double *from)
{
    for (int k = 0; k < 3; k++) {
        to[k] = from[k];
    }
}

/// A new entry between the two points of the joint.
static trm_row *append(const trm_joint_frame *frame, trm_row_kind kind, trm_row_list *out)
{
    assert(out->n < TRM_JOINT_ROWS);
    trm_row *row = &out->row[out->n++];
    *row = (trm_row){.kind = kind, .a = frame->a, .b = frame->b};
    copy3(row->la, frame->point[0]);
    copy3(row->lb, frame->point[1]);
    return row;
}

static void name(trm_row_list *out, const char *label, const char *unit)
{
    assert(out->nlabels < TRM_JOINT_ROWS);
    out->label[out->nlabels] = label;
    out->unit[out->nlabels++] = unit;
}

void trm_rows_coincident(const trm_joint_frame *frame, trm_row_list *out)
{
    static const char *const label[3] = {"x", "y", "z"};
    append(frame, TRM_ROW_COINCIDENT, out);
    for (int k = 0; k < frame->dimension; k++) {
        name(out, label[k], "m");
    }
}

void trm_rows_in_plane(const trm_joint_frame *frame, const double normal_a[3], const char *label,
                       trm_row_list *out)
{
    trm_row *row = append(frame, TRM_ROW_IN_PLANE, out);
    copy3(row->ua, normal_a);
    name(out, label, "m");
}

void trm_rows_aligned(const trm_joint_frame *frame, trm_row_list *out)
{
    trm_row *row = append(frame, TRM_ROW_ALIGNED, out);
    copy3(row->ua, frame->axis[0]);
    copy3(row->ub, frame->side[1][0]);
    copy3(row->sb, frame->side[1][1]);
    name(out, "tilt_1", "rad");
    name(out, "tilt_2", "rad");
}

void trm_rows_perpendicular(const trm_joint_frame *frame, const double u_a[3], const double w_b[3],
                            const char *label, trm_row_list *out)
{
    trm_row *row = append(frame, TRM_ROW_PERPENDICULAR, out);
    copy3(row->ua, u_a);
    copy3(row->ub, w_b);
    name(out, label, "rad");
}

/// About the axis, from the first side.
static void append_turn(const trm_joint_frame *frame, trm_row_kind kind, const char *label,
                        trm_row_list *out)
{
    trm_row *row = append(frame, kind, out);
    copy3(row->ua, frame->axis[0]);
    copy3(row->ub, frame->axis[1]);
    copy3(row->sa, frame->side[0][0]);
    copy3(row->sb, frame->side[1][0]);
    row->constant = frame->angle;
    name(out, label, "rad");
}

void trm_rows_angle(const trm_joint_frame *frame, const char *label, trm_row_list *out)
{
    append_turn(frame, TRM_ROW_ANGLE, label, out);
}

void trm_rows_distance(const trm_joint_frame *frame, trm_row_list *out)
{
    append(frame, TRM_ROW_DISTANCE, out)->constant = frame->length;
    name(out, "length", "m");
}

void trm_joint_sides(const trm_scene_joint *joint, double side[3], double across[3])
{
    static const double ez[3] = {0, 0, 1};
    const double *const axis = joint->axis_given ? joint->axis : ez;
    if (joint->axis2_given) {
        copy3(side, joint->axis2);
        cross(axis, side, across);
    } else {
        trm_frame_around(axis, side, across);
    }
}

void trm_joint_motor_row(const trm_joint_kind *kind, const trm_joint_frame *frame,
                         trm_row_list *out)
{
    assert(kind->freedom != TRM_FREEDOM_NONE && kind->freedom != TRM_FREEDOM_SWING);
    if (kind->freedom == TRM_FREEDOM_DISTANCE) {
        trm_rows_in_plane(frame, frame->axis[0], "motor", out);
    } else {
        append_turn(frame, kind->freedom == TRM_FREEDOM_TWIST ? TRM_ROW_TWIST : TRM_ROW_ANGLE,
                    "motor", out);
    }
}
