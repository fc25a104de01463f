#include "bodies/planar_energy.h"

trm_lane trm_planar_kinetic(int n, const trm_lane *mass, const trm_lane *inertia, const trm_lane *V)
{
    trm_lane sum = {0};
    for (int i = 0; i < n; i++) {
        const trm_lane *v = &V[3 * i];
        sum += mass[i] * (v[0] * v[0] + v[1] * v[1]) + inertia[i] * v[2] * v[2];
    }
    return 0.5 * sum;
}

trm_lane trm_planar_height(int n, const trm_lane *mass, const trm_lane *field, const trm_lane *x,
                           const trm_lane *y)
{
    trm_lane sum = {0};
    for (int i = 0; i < n; i++) {
        sum -= mass[i] * (field[0] * (x[i] - x[n]) + field[1] * (y[i] - y[n]));
    }
    return sum;
}
