/// Functions of planar.c, spatial.c and point_mass.c for bodies.c; their meaning: bodies/bodies.h.
#pragma once

#include "bodies/bodies.h"

// bodies that turn, and the ground
void trm_planar_place(const double *q, int i, trm_pose *pose);
void trm_spatial_place(const double *q, int i, trm_pose *pose);
void trm_planar_pose(const trm_bodies *bodies, const double *q, trm_pose *pose);

void trm_spatial_pose(const trm_bodies *bodies, const double *q, trm_pose *pose);
void trm_spatial_rates(const trm_bodies *bodies, const double *q, const double *v, double *qdot);
void trm_spatial_move(const trm_bodies *bodies, const double *dx, double *q);
void trm_spatial_normalize(const trm_bodies *bodies, double *q);
void trm_spatial_multiply(const trm_bodies *bodies, const double *mass, const double *inertia,
                          double *x);
void trm_spatial_gyroscopic(const trm_bodies *bodies, const double *V, double *F);
double trm_spatial_kinetic(const trm_bodies *bodies, const double *V);

// bodies that do not; to be called before the pose of the others
void trm_point_mass_place(int dimension, const double *q, int i, trm_pose *pose);
void trm_point_masses_place(const trm_bodies *bodies, const double *q, trm_pose *pose);
