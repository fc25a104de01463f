#include "tools/view/view_tapes.h"

#include "program/view.h"
#include "tools/common/load.h"
#include "tools/common/output.h"
#include "tools/page/film.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

trm_status trm_view_load_tapes(const trm_arguments *a, trm_scene **scene, trm_model **model,
                               trm_tape *tapes, trm_error *err)
{
    *scene = NULL;
    *model = NULL;
    for (int i = 0; i < a->nrecordings; i++) {
        TRM_TRY(trm_input_note(a->recordings[i], err));
        TRM_TRY(trm_tape_read(a->recordings[i], &tapes[i], err));
        trm_tape_find_events(&tapes[i]);
    }
    if (a->scene != NULL) {
        return trm_load(a, scene, model, err);
    }
    const trm_status made = trm_tape_scene(&tapes[0], scene, err);
    if (made == TRM_ERR_OPTIONS && err != NULL) {
        snprintf(err->where, sizeof err->where, "%.150s", a->recordings[0]);
    }
    TRM_TRY(made);
    trm_tape_note(&tapes[0],
                  "Bodies are drawn as points: a recording knows neither shapes nor joints. "
                  "Name its scene as well: trammel view SCENE.json %.120s",
                  a->recordings[0]);
    return trm_model_build(*scene, model, err);
}

/// The state at t on the straight line between two rows; quaternions are made unit again.
static void state_at(const trm_film *f, double t, long *row, double *q)
{
    const trm_tape *const tape = f->tape;
    const int nq = trm_model_sizes(f->model).nq;
    while (*row + 2 < f->rows && tape->x[(*row + 1) * tape->columns] <= t) {
        (*row)++;
    }
    const long next = *row + 1 < f->rows ? *row + 1 : *row;
    const double t0 = tape->x[*row * tape->columns], t1 = tape->x[next * tape->columns];
    const double u = next > *row ? fmin(fmax((t - t0) / (t1 - t0), 0), 1) : 0;
    for (int k = 0; k < nq; k++) {
        q[k] = (1 - u) * f->q[*row * nq + k] + u * f->q[next * nq + k];
    }
    for (int b = 0; b < f->view.nbodies && f->view.dimension == 3; b++) {
        const trm_body_info body = trm_model_body_info(f->model, b);
        double *const e = q + body.q0 + 3;
        const double norm =
            body.nq == 7 ? sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]) : 0;
        for (int k = 0; k < 4 && norm > 0; k++) {
            e[k] /= norm;
        }
    }
}

trm_status trm_view_motion(const trm_scene *scene, const trm_model *model, trm_tape *tape, int n,
                           trm_motion *out, trm_error *err)
{
    const trm_sizes sizes = trm_model_sizes(model);
    int nfigures;
    trm_figure *const figure = trm_figures_of(scene, &nfigures);
    trm_film film = {0};
    *out = (trm_motion){.n = n, .nq = sizes.nq, .complete = 1};
    out->q = calloc((size_t)n * (size_t)sizes.nq + 1, sizeof *out->q);
    out->v = calloc((size_t)sizes.nv + 1, sizeof *out->v);
    trm_status status = figure != NULL && out->q != NULL && out->v != NULL
                            ? trm_film_begin(scene, model, nfigures, figure, tape, &film, err)
                            : TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    if (status == TRM_OK) {
        const double from = tape->x[0], to = tape->x[(film.rows - 1) * tape->columns];
        out->interval = (to - from) / (n - 1);
        memcpy(out->v, film.v, (size_t)sizes.nv * sizeof *out->v);
        long row = 0;
        for (int i = 0; i < n; i++) {
            state_at(&film, from + i * out->interval, &row, out->q + (size_t)i * (size_t)sizes.nq);
        }
    }
    trm_film_end(&film);
    free(figure);
    return status;
}
