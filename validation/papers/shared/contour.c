/// Marching squares. Where the level crosses all four edges of a cell, the mean of its corners
/// tells which corners are joined.
#include "validation/papers/shared/contour.h"

#include <math.h>

/// Where the level crosses the edge from corner a to corner b, if it
/// does; corners 0..3 go around the cell.
static int crosses(const double z[4], int a, int b, double level, double point[2])
{
    static const double at[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    if ((z[a] < level) == (z[b] < level)) {
        return 0;
    }
    const double s = (level - z[a]) / (z[b] - z[a]);
    point[0] = at[a][0] + s * (at[b][0] - at[a][0]);
    point[1] = at[a][1] + s * (at[b][1] - at[a][1]);
    return 1;
}

/// One segment and a gap; returns the new count.
static int add(const double from[2], const double to[2], const double cell[2], double h, int count,
               double *x, double *y)
{
    x[count] = (cell[0] + from[0]) * h;
    y[count] = (cell[1] + from[1]) * h;
    x[count + 1] = (cell[0] + to[0]) * h;
    y[count + 1] = (cell[1] + to[1]) * h;
    x[count + 2] = y[count + 2] = NAN;
    return count + 3;
}

static int one_cell(const double z[4], const double cell[2], double h, double level, int count,
                    double *x, double *y)
{
    double point[4][2];
    int found = 0;
    for (int edge = 0; edge < 4; edge++) {
        found += crosses(z, edge, (edge + 1) % 4, level, point[found]);
    }
    if (found == 2) {
        return add(point[0], point[1], cell, h, count, x, y);
    }
    if (found == 4) { // the corner between edges 3 and 0 is on the side of the mean, or cut off
        const int joined = ((z[0] + z[1] + z[2] + z[3]) / 4 < level) == (z[0] < level);
        count = add(point[0], point[joined ? 1 : 3], cell, h, count, x, y);
        return add(point[2], point[joined ? 3 : 1], cell, h, count, x, y);
    }
    return count;
}

int trm_paper_contour(int n, double h, const double *z, double level, double *x, double *y)
{
    int count = 0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            const double *corner = z + j * (n + 1) + i;
            const double around[4] = {corner[0], corner[1], corner[n + 2], corner[n + 1]};
            const double cell[2] = {i, j};
            if (!isnan(around[0] + around[1] + around[2] + around[3])) {
                count = one_cell(around, cell, h, level, count, x, y);
            }
        }
    }
    return count;
}
