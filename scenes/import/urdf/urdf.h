/// URDF, with the ways in which loops are written beside it: pairs of frames in a file, frames
/// named closing_NAME_1 and closing_NAME_2, and <loop> and <coupling> of URDF+.
#pragma once

#include "scenes/import/description/description.h"
#include "scenes/json/scene_names.h"

void trm_urdf_read(trm_description *d, trm_xml *root);

typedef struct trm_urdf_joint {
    trm_xml *node;
    const char *name, *type;
    int parent, child,
        described; ///< described: its number among the joints, -1 without a coordinate
    trm_frame origin;
    double axis[3];
} trm_urdf_joint;

typedef struct trm_urdf {
    trm_description *d;
    trm_xml *root;
    trm_names links, joints;
    trm_urdf_joint *list;
    int n, *up; ///< [nlinks] the joint that carries a link, -1: none
} trm_urdf;

/// Numbers by name, -2 where there is none: refused at the element.
int trm_urdf_link(trm_urdf *u, const trm_xml *node, const char *name);
int trm_urdf_joint_of(trm_urdf *u, const trm_xml *node, const char *name);
/// <origin xyz rpy> below an element.
trm_frame trm_urdf_origin(trm_description *d, const trm_xml *node);

void trm_urdf_links(trm_urdf *u);
void trm_urdf_joints(trm_urdf *u);
/// mimic, transmissions, loops and couplings.
void trm_urdf_relations(trm_urdf *u);
void trm_urdf_loops(trm_urdf *u);
