/// What the readers of MJCF, URDF and SDF fill and the writer turns into a scene: links, joints
/// (those that close loops among them), couplings, drives, tendons, shapes for eyes, and losses.
/// Places, masses and axes are of the world in the pose in which the scene starts.
#pragma once

#include "program/view.h"
#include "scenes/import/xml/xml.h"
#include "scenes/json/scene_names.h"
#include "scenes/mesh/mesh.h"
#include "trammel/trammel_scene.h"

enum {
    TRM_LINK_GROUND = -1,
    TRM_TENDON_POINTS = 64, ///< joints or points of one tendon
    TRM_POLYNOMIAL = 5,
    /// Memory of a run goes by the square: 1275 contacts take 3.8 GB, these more than 200.
    TRM_LINK_TOUCHES = 10000,
};

/// A limit of this size is none, as SDF writes it.
#define TRM_NO_LIMIT 1e16

/// A frame: x_outer = p + R x_inner, R row-major.
typedef struct trm_frame {
    double p[3], R[9];
} trm_frame;

typedef struct trm_mass {
    double mass, centre[3];
    double inertia[9]; ///< about the centre, in the axes of the frame that the centre is given in
} trm_mass;

/// How a shape touches others. Two of one family (0: none) do not touch, nor do two of which
/// neither has a bit of `type` that is in the other's `affinity`.
typedef struct trm_touching {
    unsigned type, affinity;                   ///< both 0: it touches nothing
    int family, directions;                    ///< of friction, as in MJCF: 1, 3, 4, 6
    double priority, friction[3], restitution; ///< sliding; spinning and rolling in m
} trm_touching;

/// For eyes, and what touches.
typedef struct trm_look {
    const char *name; ///< or NULL
    const trm_xml *from;
    trm_look_kind kind;
    trm_touching touching;
    int is_hidden;   ///< it is not for eyes
    trm_frame place; ///< in the world
    double size[3];  ///< radius; edges; radius, length; radius, length of its straight part;
                     ///< semi-axes; scale
    int is_coloured; ///< rgba is given
    double rgba[4];
    const char *file; ///< of a mesh, below the folder of the model; NULL
    struct trm_look *next;
} trm_look;

typedef struct trm_link {
    const char *name;
    const trm_xml *from;
    trm_frame place, zero;    ///< at the start; where all coordinates of joints are zero
    trm_mass mass;            ///< in the world
    double turn[3], drift[3]; ///< angular velocity, and velocity of what is at the world's origin
    int carrier;              ///< the link that it is fixed to: itself where it moves
    int between;              ///< made for a body with several joints: it has no mass of its own
    trm_look *looks;
} trm_link;

/// Two shapes that touch; side 0 may lie on side 1. Numbers as those of a scene's contact.
typedef struct trm_link_touch {
    const trm_look *shape[2];
    int link[2], point[2];
    double friction, spinning, rolling, restitution;
} trm_link_touch;

/// Two shapes that touch whatever else is said of them.
typedef struct trm_link_pair {
    const trm_xml *from;
    const char *name[2];
    double friction[3]; ///< as of trm_touching, of the directions that there are
} trm_link_pair;

/// Links whose shapes do not touch.
typedef struct trm_link_apart {
    int link[2];
} trm_link_apart;

/// A file of a mesh that was looked at.
typedef struct trm_link_mesh {
    const char *file, *wrong;
} trm_link_mesh;

typedef enum trm_link_type {
    TRM_LINK_HINGE,
    TRM_LINK_SLIDE,
    TRM_LINK_BALL,
    TRM_LINK_WELD,
    TRM_LINK_PLANAR,
    TRM_LINK_UNIVERSAL
} trm_link_type;

typedef struct trm_link_joint {
    const char *name;
    const trm_xml *from;
    trm_link_type type;
    int a, b;                 ///< links; a may be the ground
    double point[2][3];       ///< of a, of b
    double axis[3], axis2[3]; ///< the second of a universal joint
    double start, zero;       ///< its coordinate at the start, and at the model's zero
    int limited;
    double limits[2]; ///< in the model's own count, as `rest`
    double stiffness, damping, rest, armature, friction;
} trm_link_joint;

/// 0 = sum of coefficient times coordinate - constant, or y = polynomial of x, where coordinates
/// count from the model's zero; a polynomial of one joint holds it at the first number.
typedef struct trm_link_coupling {
    const char *name;
    const trm_xml *from;
    int n, joints[TRM_TENDON_POINTS];
    double coefficients[TRM_TENDON_POINTS], constant;
    int is_polynomial;
    double polynomial[TRM_POLYNOMIAL];
} trm_link_coupling;

typedef struct trm_link_point {
    const char *name;
    const trm_xml *from;
    int link;
    trm_frame place; ///< in the world
} trm_link_point;

/// Length: sum of coefficient times coordinate, or over points.
typedef struct trm_link_tendon {
    const char *name;
    const trm_xml *from;
    int is_rope;
    int n, of[TRM_TENDON_POINTS]; ///< joints; points of a rope
    double coefficients[TRM_TENDON_POINTS];
    double stiffness, damping;
    int rests;       ///< `slack` is given; else the length of the model's zero
    double slack[2]; ///< no force of the spring between these lengths
    int limited;
    double limits[2];
} trm_link_tendon;

/// Force = gear (gain u + bias[0] + bias[1] length + bias[2] rate), length = gear x.
typedef struct trm_drive {
    const char *name;
    const trm_xml *from;
    int joint, tendon, point; ///< what it works on; the others are -1
    double gear[6], gain, bias[3];
    int control_limited, force_limited;
    double control[2], force[2], start; ///< start: u
} trm_drive;

typedef enum trm_link_reading {
    TRM_READING_TIME,
    TRM_READING_JOINT, ///< its coordinate in the model's own count
    TRM_READING_JOINT_RATE,
    TRM_READING_TENDON, ///< its length
    TRM_READING_TENDON_RATE,
    TRM_READING_DRIVE, ///< its length, gear included
    TRM_READING_DRIVE_RATE,
    TRM_READING_DRIVE_FORCE, ///< before the gear
    TRM_READING_POINT,       ///< its place in the world
    TRM_READING_POINT_VELOCITY
} trm_link_reading;

typedef struct trm_link_sensor {
    const char *name;
    const trm_xml *from;
    trm_link_reading kind;
    int of; ///< the joint, tendon, drive or point
} trm_link_sensor;

typedef struct trm_description {
    trm_pool *pool;
    trm_xml_files *files;
    trm_error *err;
    trm_status status; ///< the first failure; readers go on without harm behind it
    const char *title;
    double gravity[3];
    int assemble, root;                      ///< root: 0 as the model says, 1 fixed, 2 free
    const char *start;                       ///< a keyframe; NULL: the model's zero
    const char *loops;                       ///< a file of pairs of frames; NULL
    int nothing_touches, has_least_friction; ///< the latter: of two shapes; else the largest
    int nlinks, njoints, ncouplings, npoints, ntendons, ndrives, nlosses, naparts, ntouches,
        nmeshes, npairs, nsensors;
    trm_link *links;
    trm_link_joint *joints;
    trm_link_coupling *couplings;
    trm_link_point *points;
    trm_link_tendon *tendons;
    trm_drive *drives;
    trm_loss_info *losses;
    trm_link_apart *aparts;
    trm_link_pair *pairs;
    trm_link_touch *touches;
    trm_look *ground_looks;
    trm_link_mesh *meshes;
    trm_link_sensor *sensors;
} trm_description;

/// One more element at the end of an array of n; NULL after a failure.
void *trm_describe(trm_description *d, void *array_of, int *n, size_t size);
#define TRM_DESCRIBE(d, list) trm_describe((d), &(d)->list, &(d)->n##list, sizeof *(d)->list)

/// Notes a failure at the place of an element.
#define TRM_REFUSE(d, node, ...)                                                                   \
    ((d)->status == TRM_OK ? (void)((d)->status = TRM_XML_FAIL((node), (d)->err, __VA_ARGS__))     \
                           : (void)0)
void trm_describe_no_memory(trm_description *d);
char *trm_describe_text(trm_description *d, const char *format, ...);

void trm_lose(trm_description *d, const trm_xml *node, const char *attribute, int moves,
              const char *consequence);

/// A word of a format, what it is without, and whether the motion differs; ended by a NULL name.
typedef struct trm_loss_word {
    const char *element, *attribute; ///< NULL: any
    int moves;
    const char *consequence;
} trm_loss_word;
/// Every element and attribute that nobody asked for becomes a loss.
void trm_lose_unread(trm_description *d, const trm_xml *root, const trm_loss_word *words);

int trm_carrier(const trm_description *d, int link);
/// Of mu what there is in so many directions, 1, 3, 4 or 6: sliding, spinning, rolling.
void trm_touching_cut(int directions, double mu[3]);
/// Fills `touches`, with points at their shapes, from the shapes of all links.
void trm_describe_touches(trm_description *d);
void trm_describe_look(trm_description *d, int link, const trm_look *look);

/// Exactly n numbers of an attribute (NULL: of the text), n <= 16; 0: there is none.
int trm_describe_numbers(trm_description *d, const trm_xml *node, const char *attribute, int n,
                         double *out);
/// A number; `otherwise` without the attribute, or without the element.
double trm_describe_number(trm_description *d, const trm_xml *node, const char *attribute,
                           double otherwise);
/// The same of an attribute, or of the text of a child of this name.
int trm_describe_field(trm_description *d, const trm_xml *node, const char *name, int n,
                       double *out);
double trm_describe_field_number(trm_description *d, const trm_xml *node, const char *name,
                                 double otherwise);
/// The text of an element without blanks around it; NULL: there is none.
const char *trm_describe_word(trm_description *d, const trm_xml *node);

// ----------------------------------------------------------------------- alike in several formats

/// A file that an element names, below the folder of the model: model:// and package:// stand for
/// that folder, other names for that of the element's file.
const char *trm_describe_file(trm_description *d, const trm_xml *node, const char *uri);
/// The shape in a <geometry>; 0: none that is known.
int trm_describe_shape(trm_description *d, const trm_xml *geometry, trm_look *look);
/// ixx .. izz of an <inertia>, or NULL; moments that are not given stay.
void trm_describe_inertia(trm_description *d, const trm_xml *node, trm_mass *own);
/// <limit> and <dynamics>, or NULL; `otherwise`: the size of limits that are not given.
void trm_describe_laws(trm_description *d, const trm_xml *limit, const trm_xml *dynamics,
                       double otherwise, trm_link_joint *out);
/// Names of n elements that begin with their name, for trm_describe_named.
void trm_describe_names(trm_description *d, const void *list, int n, size_t size, trm_names *out);
/// What the name in an attribute (NULL: elsewhere) stands for; -2 where it is not there, which is
/// refused.
int trm_describe_named(trm_description *d, const trm_xml *node, const char *attribute,
                       const trm_names *names, const char *what, const char *name);
/// Joint y = line[0] + line[1] times joint x.
void trm_describe_couple(trm_description *d, const trm_xml *from, const char *name, int y, int x,
                         const double line[2]);
/// Whether a joint follows itself; of[n]: whom each follows, -1: none.
int trm_mimics_itself(int n, const int *of, int j);

// ---------------------------------------------------------------------------------------- places

trm_frame trm_frame_identity(void);
trm_frame trm_frame_of(const double p[3], const double q[4]);
/// R = Rz(yaw) Ry(pitch) Rx(roll)
trm_frame trm_frame_of_rpy(const double p[3], const double rpy[3]);
trm_frame trm_frame_in(const trm_frame *outer, const trm_frame *inner);
/// outer^-1 inner
trm_frame trm_frame_from(const trm_frame *outer, const trm_frame *inner);
void trm_frame_point(const trm_frame *place, const double x[3], double out[3]);
void trm_frame_vector(const trm_frame *place, const double u[3], double out[3]);
/// Turns about a line of the world.
void trm_frame_turn(trm_frame *place, const double point[3], const double axis[3], double angle);

// ---------------------------------------------------------------------------------------- masses

/// A solid of mass 1 and its volume; see trm_look for `size`. A mesh has no mass here.
trm_mass trm_solid(trm_look_kind kind, const double size[3], double *volume);
void trm_mass_add(trm_mass *sum, const trm_mass *more);
/// From the frame to the outer one.
trm_mass trm_mass_in(const trm_frame *place, const trm_mass *mass);
void trm_mass_scale(trm_mass *mass, double factor);
/// Whether no body can have it: a sentence, NULL where all is right.
const char *trm_mass_judge(const trm_mass *mass);
/// Mass 1 in the frame of the file, by the divergence theorem. Returns 0 where the surface is not
/// closed: an edge that does not run as often forth as back, or no volume.
int trm_mesh_of(const trm_triangles *mesh, trm_mass *out, double *volume);
/// The solid of the file that an element names, below the folder of the model, each corner x taken
/// to A x + b; or its convex hull. Refuses a mesh that is not closed.
void trm_mesh_solid(trm_description *d, const trm_xml *node, const char *file, const trm_frame *map,
                    int is_hull, trm_mass *out, double *volume);
/// Why a scene cannot show the mesh; "": it can. Each file is read once.
const char *trm_mesh_wrong(trm_description *d, const char *file);
/// Tells of masses that no material has within the size of their link.
void trm_hint_masses(trm_description *d);
/// Links that are fixed to others weigh with them.
void trm_carry_masses(trm_description *d);
/// Gives masses to links that were made for bodies with several joints.
void trm_share_masses(trm_description *d);
