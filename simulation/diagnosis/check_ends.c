// Joints that miss the end of their bar: most often a typing error. No other check finds it, since
// a joint is where its points are, independent of the drawing of the bar.

#include "constraints/joint.h"
#include "program/view.h"
#include "simulation/diagnosis/diagnosis_context.h"

#include <math.h>

/// Returns zero where the joint lies on the line of the bar, at an end or well
/// between both: this is taken as intended.
static int misses(const trm_scene_body *body, const double local[3], trm_off_end *out)
{
    const double rounding = 1e-6, near = 0.1; // of the length
    const double length = body->drawn;
    const double radius = body->shape.kind == TRM_SHAPE_ROD ? body->shape.size[1] : 0;
    const double allowed = rounding * length;
    const double beside = hypot(local[1], local[2]), beyond = fabs(local[0]) - length / 2;
    out->beside = beside > allowed ? beside : 0;
    out->beyond = fabs(beyond) > allowed && beyond > -near * length ? beyond : 0;
    return out->beyond != 0 || beside > fmax(allowed, radius);
}

trm_status trm_diagnosis_ends(trm_diagnosis_context *context, trm_error *err)
{
    const trm_scene *const scene = context->scene;
    if (!scene || scene->njoints == 0) {
        return TRM_OK;
    }
    trm_off_end *const list =
        trm_pool_take(&context->pool, 2 * (size_t)scene->njoints, sizeof *list);
    if (!list) {
        return trm_diagnosis_no_memory(err);
    }
    context->found.off_ends = list;
    for (int j = 0; j < scene->njoints; j++) {
        const trm_scene_joint *const joint = &scene->joints[j];
        for (int side = 0; side < 2; side++) {
            const int body = joint->body[side];
            trm_off_end off = {.joint = j, .name = joint->name, .body = body};
            if (body >= 0 && (joint->kind->seats & (1 << side)) && scene->bodies[body].drawn > 0 &&
                misses(&scene->bodies[body], joint->local[side], &off)) {
                list[context->found.noff_ends++] = off;
            }
        }
    }
    return TRM_OK;
}
