/// Two shapes that may touch, as data: which pair they are, where they sit, how large they are.
#pragma once

#include "base/expression/expression.h"

/// Side 0 is the first of the name. One file of bodies/shapes has the geometry of each.
typedef enum trm_touch_kind {
    TRM_TOUCH_BALL_PLANE,    ///< a ball (in the plane: a disc; of radius 0: a point), a half space
    TRM_TOUCH_BALL_BALL,     ///< two balls
    TRM_TOUCH_BALL_BOWL,     ///< a ball inside a sphere
    TRM_TOUCH_BALL_FUNNEL,   ///< a ball inside a cylinder or cone
    TRM_TOUCH_BALL_BOX,      ///< a ball, a box
    TRM_TOUCH_BALL_ROD,      ///< a ball, a rod with round ends (capsule)
    TRM_TOUCH_BALL_CYLINDER, ///< a ball, a cylinder
    TRM_TOUCH_BALL_TERRAIN,  ///< a ball, ground of a given height
    TRM_TOUCH_ELLIPSOID_PLANE, ///< an ellipsoid, a half space
    TRM_TOUCH_RIM_PLANE,       ///< a circle, the rim of a disc or cylinder, a half space
    TRM_TOUCH_KINDS
} trm_touch_kind;

/// One of the shapes, in the frame of its body (ground: the world).
typedef struct trm_touch_side {
    int body; ///< or TRM_INDEX_GROUND; in a model the ground is the body behind the last one
    double center[3]; ///< m; plane: a point of it; cone: on its axis, where it is size[0] wide
    double axis[3];   ///< unit: normal of the plane; axis of rod, cylinder, cone, rim
    double axes[9];   ///< of box and ellipsoid, in the frame of the body; row-major
    double size[3]; ///< m: radius; box: half edges; ellipsoid: half axes; rod, cylinder: radius and
                    ///< half length; cone: radius, and its half angle in rad
} trm_touch_side;

typedef struct trm_touch_pair {
    trm_touch_kind kind;
    trm_touch_side side[2];
    double across[3]; ///< unit, in the frame of side 1: the first tangent is its part along the
                      ///< surface
    double belt[3];   ///< m/s, in the frame of side `belt_side`: its surface moves so over its body
    int belt_side;
    double *rest; ///< [6] of a rim in a run, rim_plane.c: w, and m found; NULL: by its position
    int pressed;  ///< nonzero: then it is held
    const trm_expression *height; ///< m, of the coordinates x[1], in space x[2], of side 1
    int piece; ///< of ground with a kink: 1 or -1 one of its sides, which goes on beyond it, or
               ///< TRM_TOUCH_RIDGE the lower one everywhere; 0: there is no kink
} trm_touch_pair;

/// rad: a rim whose tilt is below it lies flat. What steps err by where a run is to 1e-6. By
/// validation/campaign/numbers half and twice of it, and of the next, change no motion of the grid.
#define TRM_TOUCH_FLAT 1e-8
/// rad, by which a rim that begins to tip is off the flat: far above the roundoff of directions.
#define TRM_TOUCH_SEED 1e-11

enum { TRM_TOUCH_RIDGE = 2 };

/// Rows of a pair. In the plane there are one tangent and one way to roll.
enum {
    TRM_TOUCH_GAP,
    TRM_TOUCH_ALONG,
    TRM_TOUCH_ACROSS,
    TRM_TOUCH_ROLLS, ///< about the first tangent, in the plane about z
    TRM_TOUCH_ROLLS_ACROSS,
    TRM_TOUCH_SPINS, ///< about the normal
    // of a face that lies flat; else these rows are zero
    TRM_TOUCH_TIPS, ///< about the first tangent
    TRM_TOUCH_TIPS_ACROSS,
    TRM_TOUCH_TWISTS ///< about the normal
};
