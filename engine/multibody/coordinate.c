#include "engine/multibody/coordinate.h"

#include "bodies/point.h"
#include "bodies/shapes/touch.h"
#include "bodies/vector.h"

#include <string.h>

enum { ROWS = 3, WIDTH = 6 };

/// g, both blocks of G, and gamma of the entry.
typedef struct entry_values {
    double g[ROWS], G[2][ROWS * WIDTH], gamma[ROWS];
    int rows;
} entry_values;

/// The entry is a batch of its own.
static void evaluate(const trm_joint_row *of, const double *place, const trm_pose *pose,
                     const double *V, entry_values *out)
{
    static const int zero = 0, other = ROWS * WIDTH;
    const trm_row *const row = &of->row;
    const trm_row_ops *const ops = trm_row_table[pose->width == 6][row->kind];
    const trm_row_batch batch = {.n = 1,
                                 .stride = 1,
                                 .a = &row->a,
                                 .b = &row->b,
                                 .row = &zero,
                                 .Ga = &zero,
                                 .Gb = &other,
                                 .la = place,
                                 .lb = row->lb,
                                 .ua = row->ua,
                                 .ub = place + 3,
                                 .sa = row->sa,
                                 .sb = row->sb,
                                 .constant = &row->constant};
    out->rows = ops->rows;
    ops->position(&batch, pose, out->g, out->G[0]);
    if (V) {
        ops->gamma(&batch, pose, V, out->gamma);
    }
}

void trm_joint_row_begin(const trm_joint_row *row, double place[TRM_COORDINATE_PLACE])
{
    memcpy(place, row->row.la, sizeof row->row.la);
    memcpy(place + 3, row->row.ub, sizeof row->row.ub);
}

void trm_joint_row_move(const trm_joint_row *row, const trm_pose *pose,
                        double place[TRM_COORDINATE_PLACE])
{
    static const double centre[3] = {0, 0, 0};
    const int a = row->row.a, b = row->row.b;
    double p[3], q[3];
    if (!row->moves) {
        return;
    }
    trm_point(pose, a, centre, NULL, p, NULL);
    trm_point(pose, b, row->row.lb, NULL, q, NULL);
    trm_to_body(pose, a, subtract(q, p, p), place);
    trm_to_body(pose, b, trm_to_world(pose, a, row->w, q), place + 3);
}

static void joint_row_jet(const trm_joint_row *row, const double *place, const trm_pose *pose,
                          const double *V, double x[3])
{
    entry_values at;
    evaluate(row, place, pose, V, &at);
    const int bodies[2] = {row->row.a, row->row.b};
    set3(x, at.g[row->part], 0, V ? -at.gamma[row->part] : 0);
    for (int side = 0; V && side < 2; side++) {
        for (int i = 0; bodies[side] < pose->nbody && i < pose->width; i++) {
            x[1] += at.G[side][row->part * pose->width + i] * V[bodies[side] * pose->width + i];
        }
    }
}

static void add_side(const trm_pose *pose, int body, const double *G, double *slots)
{
    for (int i = 0; body < pose->nbody && i < pose->width; i++) {
        slots[body * pose->width + i] += G[i];
    }
}

static void joint_row_gradient(const trm_joint_row *row, const double *place, const trm_pose *pose,
                               double *slots)
{
    entry_values at;
    evaluate(row, place, pose, NULL, &at);
    add_side(pose, row->row.a, &at.G[0][row->part * pose->width], slots);
    add_side(pose, row->row.b, &at.G[1][row->part * pose->width], slots);
}

/// The shapes of a row; of a rim `room`, as it is held.
static const trm_touch_pair *shapes_of(const trm_contact_row *row, double *place, int pressed,
                                       trm_touch_pair *room)
{
    if (row->touch->kind != TRM_TOUCH_RIM_PLANE || !place) {
        return row->touch;
    }
    *room = *row->touch;
    room->rest = place;
    room->pressed = pressed;
    return room;
}

void trm_coordinate_jet(const trm_contact_row *row, double *place, int pressed,
                        const trm_pose *pose, const double *V, double x[3])
{
    trm_touch_pair room;
    if (row->touch) {
        trm_touch_jet(shapes_of(row, place, pressed, &room), row->axis, pose, V, x);
    } else if (row->of_joint) {
        joint_row_jet(row->of_joint, place, pose, V, x);
    } else {
        trm_function_jet(&row->x, pose, V, x);
    }
}

double trm_coordinate_gradient(const trm_contact_row *row, double *place, int pressed,
                               const trm_pose *pose, const double *V, double *slots)
{
    trm_touch_pair room;
    double G[2][WIDTH];
    if (row->touch) {
        const trm_touch_pair *const pair = shapes_of(row, place, pressed, &room);
        const double rate = trm_touch_gradient(pair, row->axis, pose, V, G);
        add_side(pose, pair->side[0].body, G[0], slots);
        add_side(pose, pair->side[1].body, G[1], slots);
        return rate;
    }
    joint_row_gradient(row->of_joint, place, pose, slots);
    return 0;
}
