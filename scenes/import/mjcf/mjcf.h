/// MJCF, the format of MuJoCo, version 3.
#pragma once

#include "scenes/import/description/description.h"

/// Fills the description from the root of an MJCF file; its includes are read here.
void trm_mjcf_read(trm_description *d, trm_xml *root);

/// What the elements <compiler> and <option> say.
typedef struct trm_mjcf_compiler {
    int degrees, autolimits, inertia_from_geoms; ///< the last: 0 never, 1 always, 2 where missing
    int balance, discard_visual;
    double group[2], bound_mass, bound_inertia, total_mass;
    char sequence[4];
    const char *mesh_folder;
} trm_mjcf_compiler;

typedef struct trm_mjcf {
    trm_description *d;
    trm_xml *root, *defaults, *assets, *custom;
    trm_mjcf_compiler compiler;
    const double *qpos, *qvel, *ctrl; ///< of the keyframe; NULL: the model's zero
    int nqpos, nqvel, nctrl;          ///< numbers in it
    int q, v;                         ///< the next coordinate and velocity
    int bodies;                       ///< for bodies without a name
    trm_names links, joints, points, tendons;
} trm_mjcf;

/// An element with its class of defaults.
typedef struct trm_mjcf_node {
    trm_mjcf *mj;
    trm_xml *node;
    trm_xml *of_class;  ///< NULL: no defaults
    const char *tag;    ///< of the defaults
    const char *suffix; ///< of names in a replicate
} trm_mjcf_node;

/// What goes down the tree of bodies.
typedef struct trm_mjcf_branch {
    int link;              ///< the body that holds what is read
    trm_frame zero, place; ///< of the frame that it is read in: at zero, and at the start
    trm_frame inner;       ///< the same frame within the body
    trm_xml *of_class;     ///< childclass
    const char *suffix;
    double copies; ///< that replicates make of it
    int depth;
} trm_mjcf_branch;

// ---------------------------------------------------------------------------------------- values

/// The class called so; `of` when it is NULL. Refuses a class that is not there.
trm_xml *trm_mjcf_class(trm_mjcf *mj, const trm_xml *node, const char *name, trm_xml *of);
trm_mjcf_node trm_mjcf_node_of(trm_mjcf *mj, trm_xml *node, trm_xml *of_class, const char *tag);
/// The element's own value, or that of its class or of one above; NULL: none.
const char *trm_mjcf_value(const trm_mjcf_node *e, const char *name);
/// Exactly `least` to `most` numbers; their count, 0: no such attribute.
int trm_mjcf_vector(const trm_mjcf_node *e, const char *name, int least, int most, double *out);
double trm_mjcf_number(const trm_mjcf_node *e, const char *name, double otherwise);
/// Index of the word in a list ended by NULL; `otherwise` without the attribute.
int trm_mjcf_word(const trm_mjcf_node *e, const char *name, const char *const *words,
                  int otherwise);
/// An angle in rad.
double trm_mjcf_angle(const trm_mjcf *mj, double x);
/// The name with the suffix of replicates; NULL without one.
const char *trm_mjcf_name(const trm_mjcf_node *e);
/// pos, and quat, axisangle, xyaxes, zaxis or euler.
trm_frame trm_mjcf_place(const trm_mjcf_node *e);
/// Whether a range counts: by `limited`, or by autolimits where it is there.
int trm_mjcf_limited(const trm_mjcf_node *e, const char *flag, const char *range, double out[2]);

/// A link, joint, point or tendon by its name; -2 where there is none, which is refused.
int trm_mjcf_link(const trm_mjcf_node *e, const char *attribute);
int trm_mjcf_joint(const trm_mjcf_node *e, const char *attribute);
int trm_mjcf_site(const trm_mjcf_node *e, const char *attribute);
int trm_mjcf_tendon(const trm_mjcf_node *e, const char *attribute);

// -------------------------------------------------------------------------------------- sections

void trm_mjcf_bodies(trm_mjcf *mj);
/// A geom: its mass to the sum (both NULL: for eyes only), its look to the link.
void trm_mjcf_geom(trm_mjcf *mj, trm_xml *node, const trm_mjcf_branch *in, trm_mass *sum);
/// Geoms that touch, and bodies whose geoms do not.
void trm_mjcf_contacts(trm_mjcf *mj);
/// Joints of a body, in order: moves `in` and makes links between them. Returns their number.
int trm_mjcf_joints(trm_mjcf *mj, trm_xml *body, trm_mjcf_branch *in, int parent);
void trm_mjcf_equalities(trm_mjcf *mj);
void trm_mjcf_tendons(trm_mjcf *mj);
void trm_mjcf_actuators(trm_mjcf *mj);
/// What formulas can read; other sensors are told.
void trm_mjcf_sensors(trm_mjcf *mj);
