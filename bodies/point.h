/// Points and directions fixed in a body, and forces that act there.
#pragma once

#include "bodies/pose.h"

/// Either, by the dimension of the pose.
void trm_push(const trm_pose *pose, int body, const double *local, const double *f, double *F);

/// The same as a generalized force of that body alone, out[width].
void trm_force_at(const trm_pose *pose, int body, const double *local, const double *f,
                  double *out);

/// World position x[3] and velocity u[3] (either may be NULL) of a body-fixed point, in the plane
/// with a zero third component; V NULL: at rest.
void trm_point(const trm_pose *pose, int body, const double *local, const double *V, double *x,
               double *u);

/// A direction from the body's frame to the world's and back; return the result, [3].
double *trm_to_world(const trm_pose *pose, int body, const double *local, double *world);
double *trm_to_body(const trm_pose *pose, int body, const double *world, double *local);
