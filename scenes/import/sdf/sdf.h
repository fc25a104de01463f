/// SDF 1.12. Links, joints, frames and models are frames of one table, by names as
/// "model::arm::link"; poses are found from it, so that the graph of joints may close loops.
#pragma once

#include "scenes/import/description/description.h"
#include "scenes/json/scene_names.h"

enum {
    TRM_SDF_FRAMES = 1000000, ///< 0.3 GB; includes may double at each file
    TRM_SDF_WORLD = 0,        ///< the number of the world's frame
    TRM_SDF_NESTED = 32       ///< models within models, and files within files
};

typedef enum trm_sdf_kind {
    TRM_SDF_MODEL,
    TRM_SDF_LINK,
    TRM_SDF_JOINT,
    TRM_SDF_FRAME
} trm_sdf_kind;

typedef struct trm_sdf_frame {
    trm_sdf_kind kind;
    const char *name;      ///< with those of the models around it
    const char *prefix;    ///< of a model: before the names in it, "model::"
    const char *placement; ///< of a model: the frame within that its pose is that of; NULL
    trm_xml *node;
    const trm_xml *pose; ///< NULL: identity
    int model;           ///< the frame of the model that it stands in
    int is_static;
    int base;        ///< the frame that `local` is given in
    int attached;    ///< the frame that it moves with; its own number: a link
    int state;       ///< 1: its place is asked for, 2: found
    int link, joint; ///< its number among links; of a joint among joints, -1: without a coordinate
    trm_frame local, place;
} trm_sdf_frame;

typedef struct trm_sdf {
    trm_description *d;
    int nframes, nroots;
    trm_sdf_frame *frames;
    trm_xml **roots; ///< of files
    trm_names names;
    size_t skip; ///< of names: the only model of the file
} trm_sdf;

void trm_sdf_read(trm_description *d, trm_xml *root);

/// The frame called so in the model of frame `in`; refused where there is none.
int trm_sdf_find(trm_sdf *s, const trm_xml *node, int in, const char *name);
/// The number of the link that a frame moves with; the ground for the world.
int trm_sdf_link_of(trm_sdf *s, const trm_xml *node, int frame);
/// The name in the scene: without that of the model, where the file holds one.
const char *trm_sdf_name(const trm_sdf *s, int frame);
trm_frame trm_sdf_pose(trm_description *d, const trm_xml *pose);
/// Whether a child says "true" or "1".
int trm_sdf_flag(const trm_xml *node, const char *name, int otherwise);

/// Bases and places of all frames.
void trm_sdf_places(trm_sdf *s);
void trm_sdf_links(trm_sdf *s);
void trm_sdf_joints(trm_sdf *s);
