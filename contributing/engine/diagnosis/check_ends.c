// Joints that miss the end of their bar: most often a slip of the pen, and nothing else shows it,
// for a joint is where its points are, whatever the bar's drawing.

#include "constraints/joint.h"
#include "engine/diagnosis/check_doctor.h"

#include <math.h>
#include <string.h>

/// Which points of a joint say where on the body it sits: 1 that of a, 2 that of b. A slide has
/// none.
static int sides_of(const trm_joint_kind *kind)
{
    static const struct {
        const char *name;
        int sides;
    } table[] = {{"revolute", 3},    {"spherical", 3},     {"universal", 3},     {"rod", 3},
                 {"pin_in_slot", 2}, {"point_on_line", 2}, {"point_on_plane", 2}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(kind->name, table[i].name) == 0) {
            return table[i].sides;
        }
    }
    return 0;
}

/// On the line of the bar, at an end or well between both, all is said to be meant. Returns whether
/// it is not.
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

trm_status trm_doctor_ends(trm_doctor *doctor, trm_error *err)
{
    const trm_scene *const scene = doctor->scene;
    if (!scene || scene->njoints == 0) {
        return TRM_OK;
    }
    trm_off_end *const list =
        trm_pieces_take(&doctor->pool, 2 * (size_t)scene->njoints, sizeof *list);
    if (!list) {
        return trm_doctor_no_memory(err);
    }
    doctor->found.off_ends = list;
    for (int j = 0; j < scene->njoints; j++) {
        const trm_scene_joint *const joint = &scene->joints[j];
        for (int side = 0; side < 2; side++) {
            const int body = joint->body[side];
            trm_off_end off = {.joint = j, .name = joint->name, .body = body};
            if (body >= 0 && (sides_of(joint->kind) & (1 << side)) &&
                scene->bodies[body].drawn > 0 &&
                misses(&scene->bodies[body], joint->local[side], &off)) {
                list[doctor->found.noff_ends++] = off;
            }
        }
    }
    return TRM_OK;
}
