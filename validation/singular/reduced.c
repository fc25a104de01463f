/// Mechanisms in one coordinate: its value at t_end from the energy integral,
///
///     w = sqrt((E - V)/(I/2)),   I = dK/d(w^2/2),   t = int dphi/w
///
/// by Simpson's rule. The integrand is smooth on the scale of the distance from the singular
/// position, which is what phi is advanced by: c = sqrt(l2^2 - 4 sin^2 phi) for the slider-crank,
/// with psi = -asin(2 sin phi/l2), sin(phi - psi) for the four-bar.
#include "validation/singular/reduced.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static double crank_inertia(double l2, double phi)
{
    const double s = sin(phi), c = cos(phi);
    if (l2 == 2) {
        return 8.0 / 3 + 8 * s * s; // psi = -phi, straight through
    }
    const double root = sqrt(l2 * l2 - 4 * s * s); // l2 cos psi
    const double b = -2 * c / root;                // psi'/phi'
    const double sin_psi = -2 * s / l2, cos_psi = root / l2;
    const double vx = -2 * s - l2 / 2 * sin_psi * b;
    const double vy = 2 * c + l2 / 2 * cos_psi * b;
    return 1 + 1.0 / 3 + vx * vx + vy * vy + l2 * l2 / 12 * b * b;
}

static double crank_slowness(double l2, double phi, double E)
{
    const double V = 9.81 * (sin(phi) + sin(phi)); // both centres at height sin phi
    return sqrt(crank_inertia(l2, phi) / (2 * (E - V)));
}

double reduced_crank_angle(double l2, double phi, double w, double t_end)
{
    const double E = crank_inertia(l2, phi) / 2 * w * w + 2 * 9.81 * sin(phi);
    double t = 0;
    for (;;) {
        const double s = sin(phi);
        const double d = l2 == 2 ? 1e-4 : 1e-3 * sqrt(l2 * l2 - 4 * s * s);
        const double dt = d / 6 *
                          (crank_slowness(l2, phi, E) + 4 * crank_slowness(l2, phi + d / 2, E) +
                           crank_slowness(l2, phi + d, E));
        if (t + dt >= t_end) {
            return phi + d * (t_end - t) / dt;
        }
        t += dt;
        phi += d;
    }
}

reduced_loop reduced_loop_at(double a, double theta)
{
    const double s = sin(theta / 2), c = cos(theta / 2);
    const double x = -(1 - a) - 2 * a * s * s, y = a * sin(theta); // a cos(theta) - 1
    const double d = sqrt((1 - a) * (1 - a) + 4 * a * s * s);
    const double h = sqrt((1 - a) * (3 + a) + 4 * a * c * c) / 2;
    const double qx = x / 2 + h * y / d, qy = y / 2 - h * x / d;
    reduced_loop l = {.phi = atan2(qy, qx), .psi = atan2(qy - y, qx - x), .room = h * d};
    l.psi_rate = -a * sin(l.phi - theta) / l.room;
    l.phi_rate = -a * sin(l.psi - theta) / l.room;
    return l;
}

/// T = I theta'^2/2.
static double loop_inertia(double a, double theta)
{
    const reduced_loop l = reduced_loop_at(a, theta);
    const double vx = -a * sin(theta) - sin(l.psi) * l.psi_rate / 2;
    const double vy = a * cos(theta) + cos(l.psi) * l.psi_rate / 2;
    return a * a / 3 + vx * vx + vy * vy + l.psi_rate * l.psi_rate / 12 +
           l.phi_rate * l.phi_rate / 3;
}

static double loop_potential(double a, double theta)
{
    const reduced_loop l = reduced_loop_at(a, theta);
    return 9.81 * (1.5 * a * sin(theta) + sin(l.psi) / 2 + sin(l.phi) / 2);
}

double reduced_loop_angle(double a, double w, double t_end)
{
    const double E = loop_inertia(a, pi / 2) * w * w / 2 + loop_potential(a, pi / 2);
    double t = 0, theta = pi / 2;
    int turns = 0; // apart: near theta = 0 the coupler turns within 1 - a of theta
    for (;;) {
        const double d = 1e-3 * reduced_loop_at(a, theta).room;
        double weighed = 0;
        for (int k = 0; k < 3; k++) {
            const double x = theta - k * d / 2;
            const double slow = sqrt(loop_inertia(a, x) / (2 * (E - loop_potential(a, x))));
            weighed += k == 1 ? 4 * slow : slow;
        }
        const double dt = d / 6 * weighed;
        if (t + dt >= t_end) {
            return theta - 2 * pi * turns - d * (t_end - t) / dt;
        }
        t += dt;
        theta -= d;
        if (theta < -pi) {
            theta += 2 * pi;
            turns++;
        }
    }
}
