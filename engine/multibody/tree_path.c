#include "engine/multibody/tree_path.h"
#include "base/loops.h"
#include "engine/multibody/tree.h"

/// The bodies of a row with what hangs on them in their parts, see tree.h and tree_path.h.
typedef struct sums {
    trm_quad Kxx, Kyy, Kxy, hx, hy, L, bx, by, mu;
    trm_quad Bxx, Bxy, Byx, Byy, Nx, Ny;
    trm_quad Cxx, Cyy, Cxy, cx, cy;
} sums;

// ---------------------------------------------------------------------------------------- inwards

/// e, w^2 and G, from the first row to the last.
TRM_WIDE static void reach(trm_tree_motion *motion, const trm_path *path, const double *w,
                           trm_path_row *row, trm_path_parts *parts)
{
    const trm_tree *tree = motion->tree;
    trm_quad Gx = {0}, Gy = {0};
    for (int r = 0, i = path->first; r < path->rows; r++, i += TRM_LANES) {
        const trm_quad c = *trm_quad_at(motion->c + i), s = *trm_quad_at(motion->s + i),
                       rate = *trm_quad_at(w + i);
        const trm_quad Ex = *trm_quad_at(tree->Ex + i), Ey = *trm_quad_at(tree->Ey + i);
        const trm_quad ex = c * Ex - s * Ey, ey = s * Ex + c * Ey, square = rate * rate;
        *trm_quad_to(motion->square + i) = square;
        row[r].ex = ex;
        row[r].ey = ey;
        row[r].Gx = Gx;
        row[r].Gy = Gy;
        Gx -= square * ex;
        Gy -= square * ey;
    }
    parts->cx = Gx;
    parts->cy = Gy;
}

/// The bodies of a row without what hangs on them.
TRM_INLINE void alone(const trm_tree_motion *motion, const double *f, int i,
                      const trm_path_row *row, sums *x)
{
    const trm_tree *tree = motion->tree;
    const trm_quad c = *trm_quad_at(motion->c + i), s = *trm_quad_at(motion->s + i);
    const trm_quad Dx = *trm_quad_at(tree->Dx + i), Dy = *trm_quad_at(tree->Dy + i),
                   m = *trm_quad_at(tree->m + i);
    const trm_quad dx = c * Dx - s * Dy, dy = s * Dx + c * Dy,
                   w = m * *trm_quad_at(motion->square + i);
    const trm_quad fx = *trm_quad_at(f + i) - m * row->Gx,
                   fy = *trm_quad_at(f + tree->n + i) - m * row->Gy;
    x->Kxx = x->Kyy = m;
    x->hx = -m * dy;
    x->hy = m * dx;
    x->L = *trm_quad_at(tree->L + i);
    x->bx = w * dx + fx;
    x->by = w * dy + fy;
    x->mu = *trm_quad_at(f + 2 * tree->n + i) + (dx * fy - dy * fx);
}

/// The last bodies of the parts.
TRM_INLINE void begin(const trm_path_row *row, const trm_path_parts *parts, sums *x)
{
    const trm_quad zero = {0};
    x->Kxy = x->Bxy = x->Byx = x->Cxx = x->Cyy = x->Cxy = zero;
    x->Bxx = x->Byy = zero + 1;
    x->Nx = -row->ey;
    x->Ny = row->ex;
    x->cx = parts->cx;
    x->cy = parts->cy;
}

/// alpha and F_{s+1} from each other: B, C and c without the alpha of this row.
TRM_INLINE void part(const trm_path_row *row, sums *x)
{
    x->Bxx -= row->gx * x->Nx;
    x->Bxy -= row->gx * x->Ny;
    x->Byx -= row->gy * x->Nx;
    x->Byy -= row->gy * x->Ny;
    x->Cxx += row->nx * x->Nx;
    x->Cxy += row->nx * x->Ny;
    x->Cyy += row->ny * x->Ny;
    x->cx += row->y * x->Nx;
    x->cy += row->y * x->Ny;
}

/// From a row to the row before it, `known` without what hangs on it: the
/// formulas of tree_sweep.c without w^2.
TRM_INLINE void pass(const trm_path_row *row, const trm_quad *inverse, const trm_path_row *before,
                     const sums *known, sums *x)
{
    const trm_quad px = -before->ey, py = before->ex;
    const trm_quad Kpx = x->Kxx * px + x->Kxy * py, Kpy = x->Kxy * px + x->Kyy * py;
    const trm_quad hp = x->hx * px + x->hy * py;
    x->L = (known->L + (Kpx * px + Kpy * py)) - hp * hp * *inverse;
    x->mu = (known->mu + (x->bx * px + x->by * py)) - hp * row->y;
    x->Kxx = (known->Kxx + x->Kxx) - x->hx * row->gx;
    x->Kyy = (known->Kyy + x->Kyy) - x->hy * row->gy;
    x->Kxy = x->Kxy - x->hx * row->gy;
    x->bx = (known->bx + x->bx) - x->hx * row->y;
    x->by = (known->by + x->by) - x->hy * row->y;
    x->hx = (known->hx + Kpx) - hp * row->gx;
    x->hy = (known->hy + Kpy) - hp * row->gy;
    x->Nx = x->Bxx * px + x->Byx * py;
    x->Ny = x->Bxy * px + x->Byy * py;
}

/// What the first bodies of the parts pass on.
TRM_INLINE void finish(const trm_path_row *row, const sums *x, trm_path_parts *parts)
{
    *parts = (trm_path_parts){.Kxx = x->Kxx - x->hx * row->gx,
                              .Kyy = x->Kyy - x->hy * row->gy,
                              .Kxy = x->Kxy - x->hx * row->gy,
                              .bx = x->bx - x->hx * row->y,
                              .by = x->by - x->hy * row->y,
                              .Bxx = x->Bxx,
                              .Bxy = x->Bxy,
                              .Byx = x->Byx,
                              .Byy = x->Byy,
                              .Cxx = x->Cxx,
                              .Cyy = x->Cyy,
                              .Cxy = x->Cxy,
                              .cx = x->cx,
                              .cy = x->cy};
}

TRM_WIDE static void condense(const trm_tree_motion *motion, const trm_path *path, const double *f,
                              trm_path_row *row, trm_path_parts *parts)
{
    sums x, known;
    int r = path->rows - 1;
    alone(motion, f, path->first + TRM_LANES * r, &row[r], &x);
    begin(&row[r], parts, &x);
    for (;;) {
        const trm_quad inverse = 1 / x.L;
        row[r].gx = x.hx * inverse;
        row[r].gy = x.hy * inverse;
        row[r].nx = x.Nx * inverse;
        row[r].ny = x.Ny * inverse;
        row[r].y = x.mu * inverse;
        part(&row[r], &x);
        if (r == 0) {
            break;
        }
        alone(motion, f, path->first + TRM_LANES * (r - 1), &row[r - 1], &known);
        pass(&row[r], &inverse, &row[r - 1], &known, &x);
        r--;
    }
    finish(&row[0], &x, parts);
}

void trm_path_condense(trm_tree_motion *motion, int k, const double *w, const double *f)
{
    const trm_path *path = &motion->tree->path[k];
    trm_path_motion *own = &motion->path[k];
    reach(motion, path, w, own->row, &own->parts);
    condense(motion, path, f, own->row, &own->parts);
}

/// K+ and b+, what is outside a part.
typedef struct outside {
    double xx, yy, xy, bx, by;
} outside;

/// Part s is then outside too. Dx or Dy may be zero, where what is outside does not weigh anything.
static void join(trm_path_parts *p, int s, outside *o)
{
    // K+ = L D L^T, C' = L^T C L, c' = L^T c, b' = L^-1 b+, H = B L
    const int x_first = o->xx > o->yy;
    const double ratio = o->xy / (x_first ? o->xx : o->yy);
    const double l = x_first ? ratio : 0, m = x_first ? 0 : ratio; // L = [1 m; l 1]
    const double Dx = trm_larger(o->xx - m * o->xy, 0), Dy = trm_larger(o->yy - l * o->xy, 0);
    const double Cxx = p->Cxx[s] + l * (2 * p->Cxy[s] + l * p->Cyy[s]);
    const double Cyy = p->Cyy[s] + m * (2 * p->Cxy[s] + m * p->Cxx[s]);
    const double Cxy = p->Cxy[s] + (m * p->Cxx[s] + l * p->Cyy[s]);
    const double Hxx = p->Bxx[s] + l * p->Bxy[s], Hxy = p->Bxy[s] + m * p->Bxx[s];
    const double Hyx = p->Byx[s] + l * p->Byy[s], Hyy = p->Byy[s] + m * p->Byx[s];
    const double rx = Dx * (p->cx[s] + l * p->cy[s]) - (o->bx - m * o->by);
    const double ry = Dy * (p->cy[s] + m * p->cx[s]) - (o->by - l * o->bx);
    // T = (I + D C')^-1, Z = T D H^T, z = T (D c' - b')
    const double x = 1 + Dx * Cxx, y = 1 + Dy * Cyy, both = Dx * Dy * Cxy;
    const double inverse = 1 / (x * y - both * Cxy);
    const double Zxx = inverse * (y * Dx * Hxx - both * Hxy);
    const double Zxy = inverse * (y * Dx * Hyx - both * Hyy);
    const double Zyx = inverse * (x * Dy * Hxy - both * Hxx);
    const double Zyy = inverse * (x * Dy * Hyy - both * Hyx);
    const double zx = inverse * (y * rx - Dx * Cxy * ry), zy = inverse * (x * ry - Dy * Cxy * rx);
    // F_{s+1} = L (Z A_s + z)
    p->Vxx[s] = Zxx + m * Zyx;
    p->Vxy[s] = Zxy + m * Zyy;
    p->Vyx[s] = Zyx + l * Zxx;
    p->Vyy[s] = Zyy + l * Zxy;
    p->fx[s] = zx + m * zy;
    p->fy[s] = zy + l * zx;
    o->xx = p->Kxx[s] + (Hxx * Zxx + Hxy * Zyx);
    o->xy = p->Kxy[s] + (Hxx * Zxy + Hxy * Zyy);
    o->yy = p->Kyy[s] + (Hyx * Zxy + Hyy * Zyy);
    o->bx = p->bx[s] - (Hxx * zx + Hxy * zy);
    o->by = p->by[s] - (Hyx * zx + Hyy * zy);
}

void trm_path_join(trm_path_motion *path, trm_pair *K, double *Kxy, trm_pair *b)
{
    outside o = {.xx = (*K)[0], .yy = (*K)[1], .xy = *Kxy, .bx = (*b)[0], .by = (*b)[1]};
    for (int s = TRM_LANES - 1; s >= 0; s--) {
        join(&path->parts, s, &o);
    }
    *K = (trm_pair){o.xx, o.yy};
    *Kxy = o.xy;
    *b = (trm_pair){o.bx, o.by};
}

// --------------------------------------------------------------------------------------- outwards

/// A and F of the parts one after the other; A0 becomes that of the pin behind the last.
static void hand_out(const trm_path_parts *p, double A0[2], double A[2][TRM_LANES],
                     double F[2][TRM_LANES])
{
    for (int s = 0; s < TRM_LANES; s++) {
        const double x = A0[0], y = A0[1];
        const double Fx = p->Vxx[s] * x + p->Vxy[s] * y + p->fx[s];
        const double Fy = p->Vyx[s] * x + p->Vyy[s] * y + p->fy[s];
        A[0][s] = x;
        A[1][s] = y;
        F[0][s] = Fx;
        F[1][s] = Fy;
        A0[0] = (p->Bxx[s] * x + p->Byx[s] * y + p->cx[s]) - (p->Cxx[s] * Fx + p->Cxy[s] * Fy);
        A0[1] = (p->Bxy[s] * x + p->Byy[s] * y + p->cy[s]) - (p->Cxy[s] * Fx + p->Cyy[s] * Fy);
    }
}

/// alpha = (mu - N.F_{s+1} - h.A)/L, A_c = A_i + alpha J e, both less G.
TRM_WIDE static void release(const trm_path *path, const trm_path_row *row, const double *A_first,
                             const double *F, double *alpha)
{
    trm_quad Ax = *trm_quad_at(A_first), Ay = *trm_quad_at(A_first + TRM_LANES);
    const trm_quad Fx = *trm_quad_at(F), Fy = *trm_quad_at(F + TRM_LANES);
    for (int r = 0; r < path->rows; r++) {
        const trm_quad known = row[r].y - (row[r].nx * Fx + row[r].ny * Fy);
        const trm_quad turn = known - (row[r].gx * Ax + row[r].gy * Ay);
        *trm_quad_to(alpha + path->first + TRM_LANES * r) = turn;
        Ax -= turn * row[r].ey;
        Ay += turn * row[r].ex;
    }
}

void trm_path_release(const trm_tree_motion *motion, int k, double A0[2], double *alpha)
{
    const trm_path_motion *own = &motion->path[k];
    double A[2][TRM_LANES], F[2][TRM_LANES];
    hand_out(&own->parts, A0, A, F);
    release(&motion->tree->path[k], own->row, A[0], F[0], alpha);
}
