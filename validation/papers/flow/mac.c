#include "validation/papers/flow/mac.h"
#include "trammel/trammel_error.h"

#include <stdlib.h>
#include <string.h>

int trm_paper_mac_u(const trm_paper_mac *mac, int i, int j)
{
    return j * (mac->n - 1) + i - 1;
}

int trm_paper_mac_v(const trm_paper_mac *mac, int i, int j)
{
    return mac->half + (j - 1) * mac->n + i;
}

// -------------------------------------------------------------------------- walls and ghost values

/// Faces i = 0..n of rows j = -1..n; rows -1 and n are ghosts.
static double *u_at(const trm_paper_mac *mac, int i, int j)
{
    return mac->u + (j + 1) * (mac->n + 1) + i;
}

/// Faces j = 0..n of columns i = -1..n.
static double *v_at(const trm_paper_mac *mac, int i, int j)
{
    return mac->v + j * (mac->n + 2) + i + 1;
}

/// x with the walls around it: the mean of a ghost and its neighbour is the wall's velocity, or
/// they are equal.
static void surround(const trm_paper_mac *mac, const double *x)
{
    const int n = mac->n;
    for (int j = 0; j < n; j++) {
        memcpy(u_at(mac, 1, j), x + trm_paper_mac_u(mac, 1, j), (size_t)(n - 1) * sizeof(double));
    }
    for (int j = 1; j < n; j++) {
        memcpy(v_at(mac, 0, j), x + trm_paper_mac_v(mac, 0, j), (size_t)n * sizeof(double));
    }
    for (int i = 1; i < n; i++) {
        const double bottom = *u_at(mac, i, 0), top = *u_at(mac, i, n - 1);
        const double left = *v_at(mac, 0, i), right = *v_at(mac, n - 1, i);
        *u_at(mac, i, -1) = mac->slip ? bottom : -bottom;
        *u_at(mac, i, n) = mac->slip ? top : 2 * mac->lid - top;
        *v_at(mac, -1, i) = mac->slip ? left : -left;
        *v_at(mac, n, i) = mac->slip ? right : -right;
    }
}

// --------------------------------------------------------------------------------------- functions

/// nu Lap w - d(c w)/dx - d(d w)/dy in the notation of u; across = distance of rows in memory. c
/// and d are the velocities at the four sides of the cell about w.
static double transport(double nu, double h, const double *w, int across, const double side[4])
{
    const double east = (w[0] + w[1]) / 2, west = (w[0] + w[-1]) / 2;
    const double north = (w[0] + w[across]) / 2, south = (w[0] + w[-across]) / 2;
    const double laplacian = (w[1] + w[-1] + w[across] + w[-across] - 4 * w[0]) / (h * h);
    return nu * laplacian -
           (side[1] * east - side[0] * west + side[3] * north - side[2] * south) / h;
}

static int field(double t, const double *x, double *out, void *user)
{
    (void)t;
    const trm_paper_mac *mac = user;
    const int n = mac->n;
    const double h = 1.0 / n;
    surround(mac, x);
    for (int j = 0; j < n; j++) {
        for (int i = 1; i < n; i++) {
            const double *u = u_at(mac, i, j);
            const double side[4] = {(u[0] + u[-1]) / 2, (u[0] + u[1]) / 2,
                                    (*v_at(mac, i - 1, j) + *v_at(mac, i, j)) / 2,
                                    (*v_at(mac, i - 1, j + 1) + *v_at(mac, i, j + 1)) / 2};
            out[trm_paper_mac_u(mac, i, j)] = transport(mac->nu, h, u, n + 1, side);
        }
    }
    for (int j = 1; j < n; j++) {
        for (int i = 0; i < n; i++) {
            const double *v = v_at(mac, i, j);
            const double side[4] = {(*u_at(mac, i, j - 1) + *u_at(mac, i, j)) / 2,
                                    (*u_at(mac, i + 1, j - 1) + *u_at(mac, i + 1, j)) / 2,
                                    (v[0] + v[-(n + 2)]) / 2, (v[0] + v[n + 2]) / 2};
            out[trm_paper_mac_v(mac, i, j)] = transport(mac->nu, h, v, n + 2, side);
        }
    }
    return 0;
}

/// out[n*n] := -div v, also g.
static int minus_divergence(double t, const double *x, const double *v, double *out, void *user)
{
    (void)t, (void)x;
    const trm_paper_mac *mac = user;
    const int n = mac->n;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            const double west = i > 0 ? v[trm_paper_mac_u(mac, i, j)] : 0;
            const double east = i < n - 1 ? v[trm_paper_mac_u(mac, i + 1, j)] : 0;
            const double south = j > 0 ? v[trm_paper_mac_v(mac, i, j)] : 0;
            const double north = j < n - 1 ? v[trm_paper_mac_v(mac, i, j + 1)] : 0;
            out[j * n + i] = n * (west - east + south - north);
        }
    }
    return 0;
}

static int gap(double t, const double *x, double *out, void *user)
{
    return minus_divergence(t, x, x, out, user);
}

static int gradient(double t, const double *x, const double *p, double *out, void *user)
{
    (void)t, (void)x;
    const trm_paper_mac *mac = user;
    const int n = mac->n;
    for (int j = 0; j < n; j++) {
        for (int i = 1; i < n; i++) {
            out[trm_paper_mac_u(mac, i, j)] = n * (p[j * n + i] - p[j * n + i - 1]);
        }
    }
    for (int j = 1; j < n; j++) {
        for (int i = 0; i < n; i++) {
            out[trm_paper_mac_v(mac, i, j)] = n * (p[j * n + i] - p[(j - 1) * n + i]);
        }
    }
    return 0;
}

// -------------------------------------------------------------------------------- the same as rows

/// The faces west, east, south and north of a cell, -1 where there is a wall.
static void faces_of(const trm_paper_mac *mac, int k, int face[4])
{
    const int n = mac->n;
    const int i = k % n, j = k / n;
    face[0] = i > 0 ? trm_paper_mac_u(mac, i, j) : -1;
    face[1] = i < n - 1 ? trm_paper_mac_u(mac, i + 1, j) : -1;
    face[2] = j > 0 ? trm_paper_mac_v(mac, i, j) : -1;
    face[3] = j < n - 1 ? trm_paper_mac_v(mac, i, j + 1) : -1;
}

static int values_of_G(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x;
    const trm_paper_mac *mac = user;
    for (int k = 0; k < mac->n * mac->n; k++) {
        int face[4];
        faces_of(mac, k, face);
        for (int side = 0; side < 4; side++) {
            if (face[side] >= 0) {
                *out++ = side % 2 == 0 ? mac->n : -mac->n;
            }
        }
    }
    return 0;
}

static int values_of_B(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x;
    const trm_paper_mac *mac = user;
    for (int k = 0; k < 2 * mac->half; k++) {
        out[2 * k] = -mac->n;
        out[2 * k + 1] = mac->n;
    }
    return 0;
}

static void patterns(trm_paper_mac *mac)
{
    const int n = mac->n;
    int e = 0;
    for (int k = 0; k < n * n; k++) {
        int face[4];
        faces_of(mac, k, face);
        mac->start[k] = e;
        for (int side = 0; side < 4; side++) {
            if (face[side] >= 0) {
                mac->column[e++] = face[side];
            }
        }
    }
    mac->start[n * n] = e;
    for (int k = 0; k < 2 * mac->half; k++) {
        const int of_u = k < mac->half;
        const int before = of_u ? k / (n - 1) * n + k % (n - 1) : k - mac->half;
        mac->start_t[k] = 2 * k;
        mac->column_t[2 * k] = before;
        mac->column_t[2 * k + 1] = before + (of_u ? 1 : n);
    }
    mac->start_t[2 * mac->half] = 4 * mac->half;
}

// --------------------------------------------------------------------------- nu Lap for IMEX steps

/// A row of nu Lap: entry = {place, weight} of south, west, itself, east, north; -1
/// beyond a wall. Parallel to the wall the ghost is + or - the face itself; across
/// it, the wall's own velocity is zero.
static void laplacian_row(const trm_paper_mac *mac, int k, int place[5], double weight[5])
{
    const int n = mac->n;
    const int of_u = k < mac->half;
    const int columns = of_u ? n - 1 : n, rows = of_u ? n : n - 1;
    const int q = of_u ? k : k - mac->half;
    const int i = q % columns, j = q / columns;
    const double w = mac->nu * n * n;
    const double ghost = mac->slip ? w : -w;
    const int there[5] = {j > 0, i > 0, 1, i < columns - 1, j < rows - 1};
    const int step[5] = {-columns, -1, 0, 1, columns};
    weight[2] = -4 * w;
    for (int side = 0; side < 5; side++) {
        const int parallel = of_u ? side % 4 == 0 : side % 2 == 1;
        place[side] = there[side] ? k + step[side] : -1;
        weight[side] = side == 2 ? weight[side] : w;
        weight[2] += !there[side] && parallel ? ghost : 0;
    }
}

static int values_of_L(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x;
    const trm_paper_mac *mac = user;
    for (int k = 0; k < 2 * mac->half; k++) {
        int place[5];
        double weight[5];
        laplacian_row(mac, k, place, weight);
        for (int side = 0; side < 5; side++) {
            if (place[side] >= 0) {
                *out++ = weight[side];
            }
        }
    }
    return 0;
}

static void pattern_of_L(trm_paper_mac *mac)
{
    int e = 0;
    for (int k = 0; k < 2 * mac->half; k++) {
        int place[5];
        double weight[5];
        laplacian_row(mac, k, place, weight);
        mac->start_L[k] = e;
        for (int side = 0; side < 5; side++) {
            if (place[side] >= 0) {
                mac->column_L[e++] = place[side];
            }
        }
    }
    mac->start_L[2 * mac->half] = e;
}

// --------------------------------------------------------------------------------------- all of it

/// Room for everything; nonzero without memory.
static int take(trm_paper_mac *mac)
{
    const size_t n = (size_t)mac->n;
    const size_t nx = 2 * (size_t)mac->half, ny = n * n;
    mac->block = calloc(2 * (n + 1) * (n + 2) + 3 * ny, sizeof *mac->block);
    mac->start = calloc(ny + 1 + 4 * ny + nx + 1 + 2 * nx + nx + 1 + 5 * nx, sizeof *mac->start);
    if (mac->block == NULL || mac->start == NULL) {
        return -1;
    }
    mac->u = mac->block;
    mac->v = mac->u + (n + 1) * (n + 2);
    mac->null = mac->v + (n + 1) * (n + 2);
    mac->right = mac->null + ny;
    mac->coarse = mac->right + ny;
    mac->column = mac->start + ny + 1;
    mac->start_t = mac->column + 4 * ny;
    mac->column_t = mac->start_t + nx + 1;
    mac->start_L = mac->column_t + 2 * nx;
    mac->column_L = mac->start_L + nx + 1;
    for (size_t k = 0; k < ny; k++) {
        mac->null[k] = 1;
    }
    return 0;
}

trm_status trm_paper_mac_open(trm_paper_mac *mac, int n, double nu, double lid, int slip,
                              int with_rows, trm_error *err)
{
    *mac = (trm_paper_mac){.n = n, .nu = nu, .lid = lid, .slip = slip, .half = n * (n - 1)};
    if (take(mac)) {
        trm_paper_mac_close(mac);
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "out of memory");
    }
    patterns(mac);
    pattern_of_L(mac);
    mac->large = (trm_dae_large){
        .constant = 1, .null = mac->null, .L_rows = {mac->start_L, mac->column_L, values_of_L}};
    if (with_rows) {
        mac->large.G_rows = (trm_dae_rows){mac->start, mac->column, values_of_G};
        mac->large.B_rows = (trm_dae_rows){mac->start_t, mac->column_t, values_of_B};
    } else {
        mac->large.G = mac->large.B_transposed = minus_divergence;
        mac->large.B = mac->large.G_transposed = gradient;
        mac->large.precondition = trm_paper_mac_multigrid;
    }
    mac->problem = (trm_dae_problem){.name = "staggered grid",
                                     .nx = 2 * mac->half,
                                     .ny = n * n,
                                     .f = field,
                                     .g = gap,
                                     .user = mac,
                                     .large = &mac->large};
    return TRM_OK;
}

void trm_paper_mac_close(trm_paper_mac *mac)
{
    free(mac->block);
    free(mac->start);
    *mac = (trm_paper_mac){0};
}
