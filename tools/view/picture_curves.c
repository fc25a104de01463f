/// Curves that points are guided along, as wires.
#include "tools/view/picture.h"
#include "tools/view/svg_out.h"

enum { PLACES = 193 };

void trm_picture_include_curves(trm_picture *picture)
{
    const int n = trm_view_scene(picture->scene).nconstraints;
    const double *const q = trm_motion_at(picture->motion, 0);
    for (int k = 0; k < n; k++) {
        double place[PLACES][3], x[3];
        int body, closed;
        const int places = trm_view_curve(picture->scene, k, PLACES, place[0], &body, &closed);
        for (int i = 0; i < places; i++) {
            trm_picture_point(picture, body, place[i], q, x);
            trm_camera_include(&picture->camera, x, 0);
        }
    }
}

void trm_picture_curves(const trm_picture *picture)
{
    const int n = trm_view_scene(picture->scene).nconstraints;
    const double *const q = trm_motion_at(picture->motion, picture->now);
    for (int k = 0; k < n; k++) {
        double place[PLACES][3];
        trm_page_point corner[PLACES];
        int body, closed;
        const int places = trm_view_curve(picture->scene, k, PLACES, place[0], &body, &closed);
        for (int i = 0; i < places; i++) {
            corner[i] = trm_picture_project(picture, body, place[i], q);
        }
        if (places > 0) {
            trm_svg_polyline(picture->out, places, corner, closed, "rod");
        }
    }
}
