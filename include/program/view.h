/// What a scene is made of, for pictures and listings; read only.
///
/// @code
///     const trm_scene_view view = trm_view_scene(scene);
///     for (int i = 0; i < view.njoints; i++) {
///         const trm_joint_view joint = trm_view_joint(scene, i);
///         printf("%s: %s, line %d\n", joint.name, joint.type, joint.line);
///     }
/// @endcode
#pragma once

#include "trammel/trammel_status.h"

#include <stdint.h>

typedef enum trm_no_index {
    TRM_INDEX_GROUND = -1, ///< index of the ground among bodies
    TRM_INDEX_NONE = -2    ///< index of something that was not given
} trm_no_index;

/// Bodies, markers, joints and forces are named by their index in the scene. Texts are borrowed
/// from the scene until it changes.
typedef struct trm_scene_view {
    const char *path;  ///< as given to trm_scene_load; "scene" for trm_scene_parse
    int dimension;     ///< 2 or 3
    double gravity[3]; ///< m/s^2
    int nbodies, nmarkers, njoints, nconstraints, nforces, ncontacts, nlooks;
} trm_scene_view;

typedef enum trm_shape_kind {
    TRM_SHAPE_NONE,
    TRM_SHAPE_POINT,
    TRM_SHAPE_ROD,
    TRM_SHAPE_DISC,
    TRM_SHAPE_BOX,
    TRM_SHAPE_SPHERE,
    TRM_SHAPE_CYLINDER
} trm_shape_kind;

typedef struct trm_shape {
    trm_shape_kind kind;
    double size[3]; ///< m: rod (length, radius), disc (radius, thickness), box (x, y, z), sphere
                    ///< (radius), cylinder (radius, length)
    int axis;       ///< cylinder: 0, 1, 2, the body axis it stands on
} trm_shape;

typedef struct trm_body_view {
    const char *name;
    double mass;       ///< kg
    double inertia[9]; ///< kg m^2 about the centre of mass, body axes; planar: only [8]
    int point_mass;    ///< nonzero: no rotation, no inertia
    int rotor;         ///< nonzero: stands for the armature of a joint; pictures leave it out
    trm_shape shape;
    int nlooks; ///< shapes that are drawn in the place of `shape`
} trm_body_view;

typedef enum trm_look_kind {
    TRM_LOOK_SPHERE,
    TRM_LOOK_BOX,
    TRM_LOOK_CYLINDER,
    TRM_LOOK_CAPSULE,
    TRM_LOOK_ELLIPSOID,
    TRM_LOOK_MESH,
    TRM_LOOK_PLANE ///< of imported robots alone: a half space, all below its x and y axes
} trm_look_kind;

/// A shape for eyes.
typedef struct trm_look_view {
    int body; ///< or TRM_INDEX_GROUND
    trm_look_kind kind;
    double size[3];   ///< m: radius; edges; radius, length; radius, length of its straight part;
                      ///< semi-axes; of a mesh its scale, a factor along each axis
    double at[3];     ///< m, its centre (a mesh: its origin) in the body's frame
    double turn[4];   ///< unit quaternion wxyz, its axes to those of the body
    int coloured;     ///< nonzero: rgba was given
    double rgba[4];   ///< 0 to 1
    const char *file; ///< of a mesh, as the scene sees it; else NULL
    int mesh;         ///< the first shape with this file; -1: no mesh
    size_t nvertices, ncorners; ///< of a mesh; corners: three a triangle
    const double *vertices;     ///< [nvertices][3] as in the file
    const uint32_t *corners;    ///< [ncorners], each a vertex
} trm_look_view;

/// How a joint is drawn; each kind of joint has a look of its own.
typedef enum trm_joint_symbol {
    TRM_JOINT_SYMBOL_PIN,    ///< a pin, on a support where one of its bodies is the ground
    TRM_JOINT_SYMBOL_SLIDER, ///< a block on a guide, which does not turn
    TRM_JOINT_SYMBOL_SLEEVE, ///< a ring on a guide
    TRM_JOINT_SYMBOL_SLOT,   ///< a pin in a guide of the first body
    TRM_JOINT_SYMBOL_ROD,    ///< a line between two pins
    TRM_JOINT_SYMBOL_WELD,   ///< a full square
    TRM_JOINT_SYMBOL_BALL,   ///< a ball in its socket
    TRM_JOINT_SYMBOL_CROSS,  ///< two axes
    TRM_JOINT_SYMBOL_PUCK,   ///< a disc on a plate, without a support
    TRM_JOINT_SYMBOL_TRACK,  ///< a point on a line
    TRM_JOINT_SYMBOL_POINT,  ///< a point on a plate
    TRM_JOINT_SYMBOL_NUT,    ///< a nut on a thread
    TRM_JOINT_SYMBOLS
} trm_joint_symbol;

typedef struct trm_joint_view {
    const char *name, *type;
    int line;                 ///< of the file, from 1; 0 without a file
    int body[2];              ///< a, b
    double local[2][3];       ///< m, the joint's point in the frame of a and of b
    double axis[3], axis2[3]; ///< world directions in the initial pose, unit length
    int axis_given, axis2_given;
    int rotor; ///< nonzero: the hinge of a rotor, or a freedom of a joint; pictures leave it out
    int open;  ///< nonzero: a switch holds it open at the start, wherever its bodies are
    trm_joint_symbol symbol;
} trm_joint_view;

typedef struct trm_constraint_view {
    const char *name, *type;
    int line;
    const char *expression; ///< the first row, as it is computed
    int joint[2]; ///< of two wheels, or of a pinion and its rack; TRM_INDEX_NONE: there are none
    double radius[2];    ///< m, theirs; a rack has 0; of a wheel in another one that of the second
                         ///< is negative
    int strand;          ///< belt: 1, crossed: -1; 0: there is none
    int marker[2];       ///< of what rolls: its centre, and a point of the plane or the centre of
                         ///< what it rolls on; of a blade its place; else TRM_INDEX_NONE
    double normal[3];    ///< unit, world, initial pose: of the plane, across the blade; else zero
    double axis[3];      ///< likewise of a disc that rolls; zero: it is a ball or an ellipsoid
    double semi_axes[3]; ///< m, of what rolls on a plane, along the axes of its body
} trm_constraint_view;

typedef struct trm_force_view {
    const char *name, *type;
    int body[2], marker[2], joint; ///< what it acts on
    double stiffness, damping;     ///< of a spring between two markers, N/m and N s/m
    int nmarkers;                  ///< of a tendon; else 0
    const int *markers;            ///< [nmarkers] that it runs over, in order
    const double *pulleys; ///< m, [nmarkers] of a tendon, > 0: turned about to the left; or NULL
    int axle[2];           ///< two markers along their axis; TRM_INDEX_NONE in the plane
} trm_force_view;

/// x := the line of a tendon whose markers are at x[nmarkers], m: tangents of its pulleys and arcs
/// about them; in space they are cylinders along this axis, else NULL. Returns how many points.
enum { TRM_VIEW_ROPE = 2000 };
int trm_view_rope(const trm_force_view *force, const double *axis, double (*x)[3]);

/// What the gap of a stop or a contact is measured from, where a picture can show it.
typedef enum trm_face { TRM_FACE_NONE, TRM_FACE_PLANE, TRM_FACE_BOWL, TRM_FACE_TERRAIN } trm_face;

/// A limit, a stop or friction.
typedef struct trm_contact_view {
    const char *name;
    int line;
    int joint;     ///< its coordinate has limits or friction; TRM_INDEX_NONE: a stop
    double lo, hi; ///< of the coordinate, or of the distance; infinite where there is none
    trm_face face; ///< what is not passed, in the frame of `on`
    int on;        ///< its body, or TRM_INDEX_GROUND
    double at[3];  ///< m: a point of a line or plane, the centre of a bowl, the origin of terrain
    double normal[3]; ///< of a line or plane, unit
    double radius;    ///< m, of a bowl
    int between[2]; ///< markers that the distance of a stop depends on, at most two; TRM_INDEX_NONE
    double apart;   ///< m, what a stop keeps these two apart; 0: a line, a plane or a formula
    int body;       ///< a moving body that it depends on
} trm_contact_view;

trm_scene_view trm_view_scene(const trm_scene *scene);

/// View of an element by its index, 0 to nbodies - 1 and so on; another index gives a name that is
/// NULL.
trm_body_view trm_view_body(const trm_scene *scene, int body);
trm_look_view trm_view_look(const trm_scene *scene, int look); ///< without a name: size is zero
trm_joint_view trm_view_joint(const trm_scene *scene, int joint);
trm_constraint_view trm_view_constraint(const trm_scene *scene, int constraint);
trm_force_view trm_view_force(const trm_scene *scene, int force);
trm_contact_view trm_view_contact(const trm_scene *scene, int contact);

/// m: the height of the terrain of a contact at x, in 3-D x and y, in the frame of its body; NAN
/// where the contact has none.
double trm_view_height(const trm_scene *scene, int contact, double x, double y);

/// place[3*n], m: points at even steps of the parameter along the curve of a constraint, its last
/// one at the end, in the frame of its body (TRM_INDEX_GROUND: the world). Returns how many were
/// written: 0 where there is no curve, n < 2, or no memory. *body, *closed: as of the scene.
int trm_view_curve(const trm_scene *scene, int constraint, int n, double *place, int *body,
                   int *closed);

/// Nonzero when a force acts at the marker, or a formula of a force or constraint has it.
int trm_view_marker_in_use(const trm_scene *scene, int marker);

/// The i-th joint whose rows a run in joint coordinates keeps; -1: there are no more.
int trm_model_cut(const trm_model *model, int i);
/// Why runs of the model are made in the coordinates of its bodies; NULL: they are not.
const char *trm_model_why_absolute(const trm_model *model);
