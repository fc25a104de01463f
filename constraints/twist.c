// The twist of b against a about an axis of each, as bodies/joint_freedom.h has it: the row of a
// motor; spatial only.
//
//   g = x, in (-pi, pi],   G = dx/dv,   gamma = -x''

#include "bodies/joint_freedom.h"
#include "constraints/separation.h"

static trm_joint_axis axis_of(const trm_row_batch *batch, int i)
{
    trm_joint_axis axis = {
        .freedom = TRM_FREEDOM_TWIST, .turn = -1, .a = batch->a[i], .b = batch->b[i]};
    double axis_b[3];
    load(batch->ua, batch->stride, i, axis.axis);
    load(batch->ub, batch->stride, i, axis_b);
    load(batch->sa, batch->stride, i, axis.sa);
    load(batch->sb, batch->stride, i, axis.sb);
    cross(axis.axis, axis.sa, axis.pa);
    cross(axis_b, axis.sb, axis.pb);
    return axis;
}

static void position(const trm_row_batch *batch, const trm_pose *pose, double *g, double *G)
{
    trm_pose within_a_turn = *pose;
    within_a_turn.turn = NULL;
    for (int i = 0; i < batch->n; i++) {
        const trm_joint_axis axis = axis_of(batch, i);
        trm_joint_motion motion;
        trm_joint_measure(&axis, &within_a_turn, NULL, &motion);
        g[batch->row[i]] = motion.x;
        trm_joint_gradient(&axis, pose, &motion, &G[batch->Ga[i]], &G[batch->Gb[i]]);
    }
}

static void gamma(const trm_row_batch *batch, const trm_pose *pose, const double *V, double *out)
{
    trm_pose within_a_turn = *pose;
    within_a_turn.turn = NULL;
    for (int i = 0; i < batch->n; i++) {
        const trm_joint_axis axis = axis_of(batch, i);
        double x[3];
        trm_joint_jet(&axis, &within_a_turn, V, x);
        out[batch->row[i]] = -x[2];
    }
}

const trm_row_ops trm_row_twist_spatial = {1, position, gamma};
