// A ball on ground of the height f(s), s the one (in the plane) or two horizontal coordinates of
// side
// 1. With y the height of the centre C and z its horizontal place, the nearest point is where
//
//   F(s) = s - z + grad f (f - y) = 0          by Newton's method from s = z
//   F_s  = 1 + grad f grad f^T + H (f - y),    F_s s' = z' + grad f y'
//
// n is (-grad f, 1) of unit length, gap = (C - P) . n - r. Of ground with a kink f is one side of
// it, which goes on beyond; of a ridge, in the plane, the side whose nearest point is its own, and
// where there is none P is the edge, and n points from there to C.

#include "base/expression/switching.h"
#include "bodies/point.h"
#include "bodies/shapes/side.h"
#include "bodies/vector.h"

#include <float.h>
#include <math.h>

/// f, its gradient and second derivatives at s.
typedef struct ground {
    double f, slope[2], H[2][2];
} ground;

enum { MOST_STEPS = 60 }; ///< of Newton's method, each at least halved while F grows

/// Second derivatives by those along both axes and along their sum.
static ground ground_at(const trm_expression *height, int piece, int n, const double *s,
                        double *room)
{
    const trm_switching_mode mode[] = {piece};
    ground out = {0};
    double along[3][3];
    for (int k = 0; k < (n == 2 ? 3 : 1); k++) {
        const double x[2][3] = {{s[0], k != 1, 0}, {s[1], k != 0, 0}};
        trm_expression_jet_in(height, x, piece ? mode : NULL, room, along[k]);
    }
    out.f = along[0][0];
    out.slope[0] = along[0][1];
    out.H[0][0] = along[0][2];
    if (n == 2) {
        out.slope[1] = along[1][1];
        out.H[1][1] = along[1][2];
        out.H[0][1] = out.H[1][0] = (along[2][2] - along[0][2] - along[1][2]) / 2;
    }
    return out;
}

/// x[n] := A^-1 x.
static void solve(int n, double A[2][2], double *x)
{
    if (n == 1) {
        x[0] /= A[0][0];
        return;
    }
    const double D = A[0][0] * A[1][1] - A[0][1] * A[1][0], x0 = x[0];
    x[0] = (A[1][1] * x0 - A[0][1] * x[1]) / D;
    x[1] = (A[0][0] * x[1] - A[1][0] * x0) / D;
}

/// F and F_s; returns |F|.
static double residual(int n, const ground *at, const double *s, const double *C, double F[2],
                       double F_s[2][2])
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        F[i] = s[i] - C[i] + at->slope[i] * (at->f - C[n]);
        sum += F[i] * F[i];
        for (int j = 0; j < n; j++) {
            F_s[i][j] = (i == j) + at->slope[i] * at->slope[j] + at->H[i][j] * (at->f - C[n]);
        }
    }
    return sqrt(sum);
}

/// s of the point nearest to C, what is there, and F_s.
static ground nearest(const trm_touch_pair *pair, int piece, int n, const double *C, double *room,
                      double *s, double F_s[2][2])
{
    double F[2] = {0, 0};
    s[0] = C[0];
    s[1] = n == 2 ? C[1] : 0;
    ground at = ground_at(pair->height, piece, n, s, room);
    double size = residual(n, &at, s, C, F, F_s);
    for (int k = 0; k < MOST_STEPS && size > 4 * DBL_EPSILON * (fabs(C[0]) + fabs(C[n])); k++) {
        double step[2] = {F[0], F[1]}, try[2], G[2] = {0}, G_s[2][2] = {{0}}, found = INFINITY;
        ground there = at;
        solve(n, F_s, step);
        for (double part = 1; part > 1e-6 && !(found < size); part /= 2) {
            for (int i = 0; i < 2; i++) {
                try[i] = s[i] - (i < n ? part * step[i] : 0);
            }
            there = ground_at(pair->height, piece, n, try, room);
            found = residual(n, &there, try, C, G, G_s);
        }
        if (!(found < size)) {
            break; // to roundoff, or there is no nearest point
        }
        at = there;
        size = found;
        for (int i = 0; i < 2; i++) {
            s[i] = try[i];
            F[i] = G[i];
            F_s[i][0] = G_s[i][0];
            F_s[i][1] = G_s[i][1];
        }
    }
    return at;
}

/// Of a ridge the side whose point nearest to C is its own; 0: s[0] is where the edge is.
static int side_of_ridge(const trm_touch_pair *pair, const double *C, double *room, double *s)
{
    double F_s[2][2], g[3];
    for (int piece = -1; piece <= 1; piece += 2) {
        (void)nearest(pair, piece, 1, C, room, s, F_s);
        trm_expression_switching_values(pair->height, s, NULL, room, g);
        if (piece * g[0] > 0) {
            return piece;
        }
    }
    s[0] = C[0];
    for (int k = 0; k < MOST_STEPS; k++) {
        const double x[1][3] = {{s[0], 1, 0}}, before = s[0];
        trm_expression_switching_jets(pair->height, x, NULL, room, &g);
        s[0] -= g[0] / g[1];
        if (!(fabs(s[0] - before) > DBL_EPSILON * fabs(s[0]))) {
            break;
        }
    }
    return 0;
}

void trm_touch_ball_terrain(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                            trm_touch *out)
{
    const trm_touch_side *const ball = &pair->side[0];
    const int n = pose->width == 3 ? 1 : 2;
    double x[3], u[3], C[3], rate[3], s[2], F_s[2][2] = {{1, 0}, {0, 1}}, up[3] = {0, 0, 0};
    double rising[3] = {0, 0, 0}, moving[2], d[3];
    trm_touch local = {0};
    trm_point(pose, ball->body, ball->center, V, x, u);
    trm_touch_look(pair, pose, V, x, u, C, rate);
    const int piece =
        pair->piece == TRM_TOUCH_RIDGE ? side_of_ridge(pair, C, pose->scratch, s) : pair->piece;
    if (pair->piece == TRM_TOUCH_RIDGE && piece == 0) {
        set3(local.point, s[0], ground_at(pair->height, 1, 1, s, pose->scratch).f, 0);
        local.gap = trm_touch_direction(subtract(C, local.point, d), rate, local.normal,
                                        local.normal_rate) -
                    ball->size[0];
        trm_touch_return(pair, pose, V, &local, out);
        return;
    }
    const ground at = nearest(pair, piece, n, C, pose->scratch, s, F_s);
    for (int i = 0; i < n; i++) {
        moving[i] = rate[i] + at.slope[i] * rate[n];
    }
    solve(n, F_s, moving);
    for (int i = 0; i < n; i++) {
        up[i] = -at.slope[i];
        local.point[i] = s[i];
        local.point_rate[i] = moving[i];
        local.point_rate[n] += at.slope[i] * moving[i];
        for (int j = 0; j < n; j++) {
            rising[i] -= at.H[i][j] * moving[j];
        }
    }
    up[n] = 1;
    local.point[n] = at.f;
    trm_touch_direction(up, rising, local.normal, local.normal_rate);
    local.gap = dot(subtract(C, local.point, d), local.normal) - ball->size[0];
    trm_touch_return(pair, pose, V, &local, out);
}
