/// Springs and dampers between two markers of planar bodies (spring_damper.c).
#pragma once

#include "bodies/formulas/variable.h"
#include "bodies/pose.h"

typedef struct trm_spring {
    int body[2];
    trm_lane local[2][3]; ///< m, markers in the body frames
    trm_lane k, c, rest;  ///< N/m, N s/m, m
} trm_spring;

/// One of a scene.
typedef struct trm_scene_spring {
    trm_spring now;
    const trm_function *varying; ///< of k, c and rest
} trm_scene_spring;

/// J, k (l - rest)^2/2
trm_lane trm_spring_energy(const trm_spring *spring, const trm_pose *pose);
/// F[slots] += its forces; *loss (NULL: not asked for) as below. Returns whether its tension is
/// finite.
trm_lane_truth trm_spring_push(const trm_spring *spring, const trm_pose *pose, const trm_lane *V,
                               trm_lane *F, trm_lane *loss);
/// W, c l'^2
trm_lane trm_spring_loss(const trm_spring *spring, const trm_pose *pose, const trm_lane *V);
