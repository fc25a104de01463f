// Frames, as x_outer = p + R x_inner.

#include "scenes/import/description/description.h"

#include "bodies/rotation.h"
#include "bodies/vector.h"

#include <string.h>

trm_frame trm_frame_identity(void)
{
    return (trm_frame){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

trm_frame trm_frame_of(const double p[3], const double q[4])
{
    trm_frame place;
    double unit[4];
    memcpy(unit, q, sizeof unit);
    trm_unit_vector(4, unit);
    memcpy(place.p, p, sizeof place.p);
    trm_rotation_matrix(unit, place.R);
    return place;
}

static void product(const double A[9], const double B[9], double out[9])
{
    for (int i = 0; i < 9; i++) {
        const double *const row = A + 3 * (i / 3);
        out[i] = row[0] * B[i % 3] + row[1] * B[3 + i % 3] + row[2] * B[6 + i % 3];
    }
}

trm_frame trm_frame_in(const trm_frame *outer, const trm_frame *inner)
{
    trm_frame place;
    trm_frame_point(outer, inner->p, place.p);
    product(outer->R, inner->R, place.R);
    return place;
}

trm_frame trm_frame_from(const trm_frame *outer, const trm_frame *inner)
{
    trm_frame place, back;
    double d[3];
    subtract(inner->p, outer->p, d);
    rotate_back(outer->R, d, place.p);
    for (int i = 0; i < 9; i++) {
        back.R[i] = outer->R[3 * (i % 3) + i / 3];
    }
    product(back.R, inner->R, place.R);
    return place;
}

void trm_frame_point(const trm_frame *place, const double x[3], double out[3])
{
    double moved[3];
    add(place->p, rotate(place->R, x, moved), out);
}

void trm_frame_vector(const trm_frame *place, const double u[3], double out[3])
{
    double turned[3];
    rotate(place->R, u, turned);
    memcpy(out, turned, sizeof turned);
}

void trm_frame_turn(trm_frame *place, const double point[3], const double axis[3], double angle)
{
    double q[4], arm[3];
    trm_quaternion_from_axis(axis, angle, q);
    const trm_frame turn = trm_frame_of((const double[3]){0}, q);
    subtract(place->p, point, arm);
    add(point, rotate(turn.R, arm, place->p), place->p);
    double R[9];
    product(turn.R, place->R, R);
    memcpy(place->R, R, sizeof R);
}
