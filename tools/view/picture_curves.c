/// Curves that points are guided along, as wires.
#include "scenes/plain/curve.h"
#include "tools/view/picture.h"
#include "tools/view/svg_out.h"

#include <stdlib.h>

enum { PIECES = 192 };

/// Place i of PIECES along the curve, in the world at state q. work: of the curve.
static void place_of(const trm_picture *picture, const trm_scene_constraint *def, int i,
                     const double *q, double *work, double x[3])
{
    const trm_scene_marker *const origin = &picture->scene->markers[def->markers[1]];
    const double s = def->curve->lo + (def->curve->hi - def->curve->lo) * i / PIECES;
    double c[3][3], local[3];
    trm_curve_place(def->curve, s, work, c);
    for (int k = 0; k < 3; k++) {
        local[k] = origin->local[k] + c[0][k];
    }
    trm_picture_point(picture, origin->body, local, q, x);
}

static double *workspace(const trm_scene_constraint *def)
{
    return calloc((size_t)trm_curve_workspace(def->curve) + 1, sizeof(double));
}

void trm_picture_include_curves(trm_picture *picture)
{
    for (int k = 0; k < picture->scene->nconstraints; k++) {
        const trm_scene_constraint *const def = &picture->scene->constraints[k];
        double *const work = def->curve ? workspace(def) : NULL, x[3];
        for (int i = 0; work && i <= PIECES; i++) {
            place_of(picture, def, i, trm_motion_at(picture->motion, 0), work, x);
            trm_camera_include(&picture->camera, x, 0);
        }
        free(work);
    }
}

void trm_picture_curves(const trm_picture *picture)
{
    const double *const q = trm_motion_at(picture->motion, picture->now);
    for (int k = 0; k < picture->scene->nconstraints; k++) {
        const trm_scene_constraint *const def = &picture->scene->constraints[k];
        double *const work = def->curve ? workspace(def) : NULL, x[3];
        trm_page_point corner[PIECES + 1];
        if (!work) {
            continue;
        }
        for (int i = 0; i <= PIECES; i++) {
            place_of(picture, def, i, q, work, x);
            corner[i] = trm_camera_project(&picture->camera, x);
        }
        trm_svg_polyline(picture->out, PIECES + 1, corner, def->closed, "rod");
        free(work);
    }
}
