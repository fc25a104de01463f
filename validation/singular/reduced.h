/// Mechanisms in one coordinate, for angles that do not come from this library.
#pragma once

/// The angle at t_end of the crank of slider_crank with l2 >= 2, from phi with rate w > 0.
double reduced_crank_angle(double l2, double phi, double w, double t_end);

/// A four-bar of ground, coupler and right crank of length 1 and a left crank of
/// length a < 1: the shortest link turns, and the loop keeps its side. With r from the
/// right foot to the left top, d = |r|,
///
///     e(phi) = r/2 - h r_perp/d,   h^2 = 1 - d^2/4,   e(psi) = e(phi) - r,   sin(phi - psi) = h d,
///
/// psi the angle of the coupler, phi that of the right crank; the derivatives by the angle theta of
/// the left crank from a e(theta) + e(psi) = (1, 0) + e(phi).
typedef struct reduced_loop {
    double psi, phi, psi_rate, phi_rate;
    double room; ///< sin(phi - psi): zero where the bars are in line
} reduced_loop;

reduced_loop reduced_loop_at(double a, double theta);
/// theta at t_end, from pi/2 with the rate w < 0.
double reduced_loop_angle(double a, double w, double t_end);
