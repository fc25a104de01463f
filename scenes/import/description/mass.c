// Masses of solids, their sums, and the masses of links that bodies with several joints need.

#include "scenes/import/description/description.h"

#include "bodies/rotation.h"
#include "bodies/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void diagonal(double x, double y, double z, double I[9])
{
    memset(I, 0, 9 * sizeof *I);
    I[0] = x;
    I[4] = y;
    I[8] = z;
}

/// Cylinder of length l, and two half balls at its ends, of radius r: their centres of mass are
/// 3/8 r outside of its ends, about which they have (2/5 - 9/64) m r^2.
static void capsule(const double size[3], trm_mass *out, double *volume)
{
    const double r = size[0], l = size[1];
    const double v_cylinder = TRM_PI * r * r * l, v_ball = 4 * TRM_PI * r * r * r / 3;
    *volume = v_cylinder + v_ball;
    const double a = *volume > 0 ? v_cylinder / *volume : 0, b = 1 - a;
    const double arm = l / 2 + 3 * r / 8;
    const double across = a * (r * r / 4 + l * l / 12) + b * ((0.4 - 9.0 / 64) * r * r + arm * arm);
    diagonal(across, across, a * r * r / 2 + b * 0.4 * r * r, out->inertia);
}

trm_mass trm_solid(trm_look_kind kind, const double size[3], double *volume)
{
    trm_mass out = {.mass = 1};
    const double a = size[0] * size[0], b = size[1] * size[1], c = size[2] * size[2];
    *volume = 0;
    switch (kind) {
    case TRM_LOOK_SPHERE:
        *volume = 4 * TRM_PI * a * size[0] / 3;
        diagonal(0.4 * a, 0.4 * a, 0.4 * a, out.inertia);
        break;
    case TRM_LOOK_BOX:
        *volume = size[0] * size[1] * size[2];
        diagonal((b + c) / 12, (a + c) / 12, (a + b) / 12, out.inertia);
        break;
    case TRM_LOOK_CYLINDER:
        *volume = TRM_PI * a * size[1];
        diagonal(a / 4 + b / 12, a / 4 + b / 12, a / 2, out.inertia);
        break;
    case TRM_LOOK_CAPSULE:
        capsule(size, &out, volume);
        break;
    case TRM_LOOK_ELLIPSOID:
        *volume = 4 * TRM_PI * size[0] * size[1] * size[2] / 3;
        diagonal((b + c) / 5, (a + c) / 5, (a + b) / 5, out.inertia);
        break;
    case TRM_LOOK_MESH:
    case TRM_LOOK_PLANE:
        break;
    }
    return out;
}

/// I += m (|x|^2 1 - x x^T)
static void steiner(double m, const double x[3], double I[9])
{
    for (int i = 0; i < 9; i++) {
        I[i] += m * ((i % 4 == 0 ? dot(x, x) : 0) - x[i / 3] * x[i % 3]);
    }
}

void trm_mass_add(trm_mass *sum, const trm_mass *more)
{
    const double m = sum->mass + more->mass;
    if (!(m > 0)) {
        return;
    }
    double centre[3], arm[3];
    for (int i = 0; i < 3; i++) {
        centre[i] = (sum->mass * sum->centre[i] + more->mass * more->centre[i]) / m;
    }
    steiner(sum->mass, subtract(sum->centre, centre, arm), sum->inertia);
    steiner(more->mass, subtract(more->centre, centre, arm), sum->inertia);
    for (int i = 0; i < 9; i++) {
        sum->inertia[i] += more->inertia[i];
    }
    sum->mass = m;
    memcpy(sum->centre, centre, sizeof centre);
}

/// out := R I R^T
static void turn(const double R[9], const double I[9], double out[9])
{
    double RI[9];
    for (int i = 0; i < 9; i++) {
        const double *const row = R + 3 * (i / 3);
        RI[i] = row[0] * I[i % 3] + row[1] * I[3 + i % 3] + row[2] * I[6 + i % 3];
    }
    for (int i = 0; i < 9; i++) {
        out[i] = dot(RI + 3 * (i / 3), R + 3 * (i % 3));
    }
    for (int i = 0; i < 3; i++) { // symmetric to the last bit
        const int a = i < 2 ? 0 : 1, b = i == 0 ? 1 : 2;
        out[3 * b + a] = out[3 * a + b];
    }
}

trm_mass trm_mass_in(const trm_frame *place, const trm_mass *mass)
{
    trm_mass out = {.mass = mass->mass};
    trm_frame_point(place, mass->centre, out.centre);
    turn(place->R, mass->inertia, out.inertia);
    return out;
}

void trm_mass_scale(trm_mass *mass, double factor)
{
    mass->mass *= factor;
    for (int i = 0; i < 9; i++) {
        mass->inertia[i] *= factor;
    }
}

/// The slack is the rounding of files that print six digits.
const char *trm_mass_judge(const trm_mass *mass)
{
    double e[3];
    if (!(mass->mass > 0) || !isfinite(mass->mass)) {
        return "it moves and has no mass; give it one, or fix it to a link that has";
    }
    trm_eigenvalues(mass->inertia, e);
    const double least = fmin(e[0], fmin(e[1], e[2])), largest = fmax(e[0], fmax(e[1], e[2]));
    const double sum = e[0] + e[1] + e[2];
    if (!isfinite(sum) || !(least > 0)) {
        return "its moments of inertia are not all positive; give it an inertia";
    }
    return largest > (sum - largest) * (1 + 1e-5)
               ? "the largest of its moments of inertia exceeds the sum of the other two, which "
                 "no body can have; correct the inertia"
               : NULL;
}

/// The farthest joint of each link from its centre, squared.
static void reach(const trm_description *d, double *reached)
{
    for (int j = 0; j < d->njoints; j++) {
        const int ends[2] = {d->joints[j].a, d->joints[j].b};
        for (int k = 0; k < 2; k++) {
            const int i = trm_carrier(d, ends[k]);
            if (i >= 0) {
                double arm[3];
                subtract(d->joints[j].point[k], d->links[i].mass.centre, arm);
                reached[i] = fmax(reached[i], dot(arm, arm));
            }
        }
    }
}

/// Of all bodies of mass m that are nowhere denser than rho, the ball has the least trace of
/// inertia, 6/5 m r^2 with m = 4/3 pi rho r^3: mass farther out only adds to the integral of
/// 2 |x|^2. A link whose mass exceeds that of the ball with its trace is denser somewhere. Where
/// a joint lies farther out, its distance is r, since inertias are often left at small numbers.
void trm_hint_masses(trm_description *d)
{
    const double densest = 22590; // osmium, kg/m^3
    double *const reached = trm_pool_take(d->pool, (size_t)d->nlinks + 1, sizeof *reached);
    if (!reached) {
        trm_describe_no_memory(d);
        return;
    }
    reach(d, reached);
    for (int i = 0; i < d->nlinks && d->status == TRM_OK; i++) {
        const trm_mass *const own = &d->links[i].mass;
        const double trace = own->inertia[0] + own->inertia[4] + own->inertia[8];
        const double r = sqrt(fmax(reached[i], 5 * trace / (6 * own->mass)));
        if (d->links[i].carrier == i && own->mass > 4 * TRM_PI / 3 * densest * r * r * r) {
            const char *const says = trm_describe_text(
                d,
                "its mass is taken as it stands; %g kg within %.3g m, by its inertia and joints, "
                "is denser than osmium: are its units kg, m and kg m^2?",
                own->mass, r);
            trm_lose(d, d->links[i].from, NULL, 0, says ? says : "");
        }
    }
}

// ------------------------------------------------------------------------------ several joints

/// The mass of a link between two joints of one body is that of the body times f. The motion errs
/// by f, its rounding by eps/f: f = sqrt(eps) makes both equal.
static void share(trm_description *d, int between, int body)
{
    trm_link *const link = &d->links[between];
    const trm_mass *const of = &d->links[body].mass;
    const double f = sqrt(DBL_EPSILON), trace = of->inertia[0] + of->inertia[4] + of->inertia[8];
    link->mass = (trm_mass){.mass = f * of->mass};
    memcpy(link->mass.centre, link->place.p, sizeof link->place.p);
    diagonal(f * trace / 3, f * trace / 3, f * trace / 3, link->mass.inertia);
    trm_lose(d, link->from, NULL, 1,
             "a link between its joints has 1.5e-8 of its mass; accelerations differ by about as "
             "much");
}

/// What follows a link comes behind it in the list of joints, so that chains are met from their
/// end.
void trm_share_masses(trm_description *d)
{
    for (int j = d->njoints - 1; j >= 0 && d->status == TRM_OK; j--) {
        const int link = trm_carrier(d, d->joints[j].a), body = trm_carrier(d, d->joints[j].b);
        if (link >= 0 && body >= 0 && d->links[link].between && d->links[link].mass.mass == 0 &&
            d->links[body].mass.mass > 0) {
            share(d, link, body);
        }
    }
}
