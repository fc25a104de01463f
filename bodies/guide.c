#include "bodies/guide.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bodies/point.h"
#include "bodies/vector.h"

static const double nowhere[3] = {0.0, 0.0, 0.0};

/// P in the frame of a, from its centre.
static void seen_from_a(const trm_guide *guide, const trm_pose *pose, double out[3])
{
    double p[3], P[3], d[3];
    trm_point(pose, guide->a, nowhere, NULL, p, NULL);
    trm_point(pose, guide->b, guide->point, NULL, P, NULL);
    trm_to_body(pose, guide->a, subtract(P, p, d), out);
}

/// The columns of J.
static void columns(const trm_guided *at, double J[3][3])
{
    const trm_curve_point *curve = &at->curve;
    for (int k = 0; k < 3; k++) {
        J[0][k] =
            curve->c[1][k] + at->x[1] * curve->side[0][1][k] + at->x[2] * curve->side[1][1][k];
        J[1][k] = curve->side[0][0][k];
        J[2][k] = curve->side[1][0][k];
    }
}

/// The rows of J^-1, by its cofactors; infinite where J has none.
static void invert(const trm_guided *at, double inverse[3][3])
{
    double J[3][3];
    columns(at, J);
    for (int i = 0; i < 3; i++) {
        cross(J[(i + 1) % 3], J[(i + 2) % 3], inverse[i]);
    }
    const double one = 1.0 / dot(J[0], inverse[0]);
    for (int i = 0; i < 3; i++) {
        scale(one, inverse[i], inverse[i]);
    }
}

/// out := r minus the place that the parameter and distances x give; returns its length.
static double missing(const trm_guided *at, const double r[3], double out[3])
{
    const trm_curve_point *curve = &at->curve;
    for (int k = 0; k < 3; k++) {
        out[k] = r[k] - curve->c[0][k] - at->x[1] * curve->side[0][0][k] -
                 at->x[2] * curve->side[1][0][k];
    }
    return sqrt(dot(out, out));
}

/// Newton's method ends where what is missing is not halved any more. That is roundoff, some eps
/// of the size, or it did not converge; half the digits lie between both. Steps are as long as a
/// tenth of the curve at most, so that it does not leave for another part of it.
static void solve(const trm_guide *guide, const trm_pose *pose, const double r[3], double from,
                  trm_guided *out)
{
    enum { TRIES = 40 };
    const trm_curve *curve = guide->curve;
    const double size = curve->size + sqrt(dot(r, r)), most = 0.1 * (curve->hi - curve->lo);
    double left[3], last = INFINITY;
    set3(out->x, from, 0.0, 0.0);
    for (int tries = 0; tries < TRIES; tries++) {
        trm_curve_at(curve, out->x[0], pose->room, &out->curve);
        const double now = missing(out, r, left);
        invert(out, out->inverse);
        if (!isfinite(now)) {
            break;
        }
        if (!(now > DBL_EPSILON * size) || (now < sqrt(DBL_EPSILON) * size && now > 0.5 * last)) {
            return;
        }
        last = now;
        const double ds = dot(out->inverse[0], left);
        const double part = fabs(ds) > most ? most / fabs(ds) : 1.0;
        for (int i = 0; i < 3; i++) {
            out->x[i] += part * dot(out->inverse[i], left);
        }
    }
    set3(out->x, NAN, NAN, NAN);
}

/// From the parameter `from`, if kept.
static void measure(const trm_guide *guide, const trm_pose *pose, int kept, double from,
                    trm_guided *out)
{
    static const double near = 1e-3; // of its size: no stage of a run is as far beside the curve
    double r[3];
    subtract(out->at, guide->origin, r);
    solve(guide, pose, r, kept ? from : trm_curve_nearest(guide->curve, r), out);
    if (kept && !(hypot(out->x[1], out->x[2]) <= near * guide->curve->size)) {
        trm_guided other = *out; // a pose that is asked for, not one that the run comes to
        solve(guide, pose, r, trm_curve_nearest(guide->curve, r), &other);
        if (!(hypot(other.x[1], other.x[2]) >= hypot(out->x[1], out->x[2]))) {
            *out = isfinite(other.x[0]) ? other : *out;
        }
    }
}

void trm_guide_measure(const trm_guide *guide, const trm_pose *pose, trm_guided *out)
{
    trm_guide_memory *const memory = pose->guided ? &pose->guided[guide->index] : NULL;
    const trm_turn *was = pose->turn ? &pose->turn[guide->turn] : NULL;
    const int kept = was && was->known > 0.0;
    const double from = kept ? was->x : 0.0;
    seen_from_a(guide, pose, out->at);
    if (memory && memory->known && memory->kept == kept && memory->from == from &&
        !memcmp(memory->seen.at, out->at, sizeof out->at)) {
        *out = memory->seen;
        return;
    }
    measure(guide, pose, kept, from, out);
    if (memory) {
        *memory = (trm_guide_memory){1, kept, from, *out};
    }
}

void trm_guides_wind(const trm_guide *guides, int n, trm_pose *pose)
{
    for (int i = 0; i < n; i++) {
        trm_guided at;
        trm_guide_measure(&guides[i], pose, &at);
        if (isfinite(at.x[0])) {
            pose->turn[guides[i].turn] = (trm_turn){.x = at.x[0], .known = 1.0};
        }
    }
}

/// The rate of a in its own axes.
static void rate_of(const trm_guide *guide, const trm_pose *pose, const double *V, double out[3])
{
    if (pose->width == 3) {
        set3(out, 0.0, 0.0, V[3 * guide->a + 2]);
    } else {
        memcpy(out, &V[6 * guide->a + 3], 3 * sizeof *out);
    }
}

/// omega x (omega x l) of the point, in the world.
static void towards_centre(const trm_guide *guide, const trm_pose *pose, const double *V,
                           double out[3])
{
    double first[3], second[3];
    if (pose->width == 3) {
        const double rate = V[3 * guide->b + 2];
        trm_to_world(pose, guide->b, guide->point, first);
        scale(-rate * rate, first, out);
        return;
    }
    const double *omega = &V[6 * guide->b + 3];
    cross(omega, guide->point, first);
    cross(omega, first, second);
    trm_to_world(pose, guide->b, second, out);
}

/// r' and r'': with w the rate of a, d = P - p_a and rho = R_a^T d,
/// rho' = R_a^T d' - w x rho,   rho'' = R_a^T d'' - w x (R_a^T d') - w x rho'
static void moving(const trm_guide *guide, const trm_pose *pose, const double *V,
                   const double rho[3], double first[3], double second[3])
{
    double w[3], x[3], u[3], v[3], bend[3], own[3], turned[3];
    rate_of(guide, pose, V, w);
    trm_point(pose, guide->a, nowhere, V, x, v);
    trm_point(pose, guide->b, guide->point, V, x, u);
    trm_to_body(pose, guide->a, subtract(u, v, x), own);
    towards_centre(guide, pose, V, bend);
    trm_to_body(pose, guide->a, bend, second);
    subtract(own, cross(w, rho, turned), first);
    subtract(second, cross(w, own, turned), second);
    subtract(second, cross(w, first, turned), second);
}

void trm_guide_jet(const trm_guide *guide, const trm_pose *pose, const double *V, int which,
                   double out[3])
{
    trm_guided at;
    double first[3], second[3], rate[3];
    trm_guide_measure(guide, pose, &at);
    moving(guide, pose, V, at.at, first, second);
    for (int i = 0; i < 3; i++) {
        rate[i] = dot(at.inverse[i], first);
    }
    const trm_curve_point *c = &at.curve;
    for (int k = 0; k < 3; k++) {
        const double bend = c->c[2][k] + at.x[1] * c->side[0][2][k] + at.x[2] * c->side[1][2][k];
        const double turn = rate[1] * c->side[0][1][k] + rate[2] * c->side[1][1][k];
        second[k] -= rate[0] * rate[0] * bend + 2.0 * rate[0] * turn;
    }
    set3(out, at.x[which], rate[which], dot(at.inverse[which], second));
}

void trm_guide_gradient(const trm_guide *guide, const trm_pose *pose, const trm_guided *at,
                        int which, double *a, double *b)
{
    double n[3], back[3];
    trm_to_world(pose, guide->a, at->inverse[which], n);
    trm_force_at(pose, guide->a, at->at, scale(-1.0, n, back), a);
    trm_force_at(pose, guide->b, guide->point, n, b);
}
