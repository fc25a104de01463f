/// The coordinates of joints, and the geometry for forces of joints.
#include "bodies/forces/joint_axis.h"
#include "engine/compiler/compile.h"

#include <string.h>

void trm_joint_site(const trm_joint_frame *frame, trm_joint_geometry *geometry,
                    trm_force_site *site)
{
    for (int i = 0; i < 2; i++) {
        memcpy(geometry->local[i], frame->point[i], sizeof geometry->local[i]);
        memcpy(geometry->local[2 + i], frame->axis[i], sizeof geometry->local[i]);
        memcpy(geometry->side[i], frame->side[i][0], sizeof geometry->side[i]);
    }
    site->joint_local = (const double(*)[3])geometry->local;
    site->joint_side = (const double(*)[3])geometry->side;
    site->joint_angle = frame->angle;
}

void trm_compile_axis(const trm_draft *draft, int joint, trm_joint_axis *out)
{
    trm_force_site site = {
        .scene = draft->scene, .ground = draft->scene->nbodies, .alone = draft->alone};
    trm_joint_geometry geometry;
    site.joint_freedom = draft->scene->joints[joint].kind->freedom;
    trm_joint_site(&draft->frames[joint], &geometry, &site);
    trm_joint_axis_compile(&draft->scene->joints[joint], &site, out);
}

int trm_holder_of(const trm_scene *scene, int joint)
{
    return scene->joints[joint].part > 0 ? scene->joints[joint].of : joint;
}
