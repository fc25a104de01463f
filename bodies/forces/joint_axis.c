#include "bodies/forces/joint_axis.h"
#include "bodies/vector.h"
#include "program/view.h"

#include <string.h>

void trm_joint_axis_compile(const trm_scene_joint *joint, const trm_force_site *site,
                            trm_joint_axis *out)
{
    const int spatial = site->scene->dimension == 3;
    const int index = (int)(joint - site->scene->joints);
    *out = (trm_joint_axis){
        .freedom = site->joint_freedom,
        .turn = spatial && (site->joint_freedom == TRM_FREEDOM_ANGLE ||
                            site->joint_freedom == TRM_FREEDOM_TWIST)
                    ? index
                    : -1,
        .a = joint->body[0] == TRM_INDEX_GROUND ? site->ground : joint->body[0],
        .b = joint->body[1] == TRM_INDEX_GROUND ? site->ground : joint->body[1],
        .zero = site->joint_angle,
    };
    if (site->alone) {
        memcpy(out->alone, site->alone[index], sizeof out->alone);
    }
    memcpy(out->point, site->joint_local, sizeof out->point);
    memcpy(out->axis, site->joint_local[2], sizeof out->axis);
    if (spatial) {
        memcpy(out->sa, site->joint_side[0], sizeof out->sa);
        memcpy(out->sb, site->joint_side[1], sizeof out->sb);
        cross(out->axis, out->sa, out->pa);
        cross(site->joint_local[3], out->sb, out->pb);
        if (site->joint_freedom == TRM_FREEDOM_SWING) {
            memcpy(out->sb, site->joint_local[3], sizeof out->sb);
        }
    }
}
