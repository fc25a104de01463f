#include "tools/compare/report/picture.h"

#include "tools/compare/pool.h"
#include "tools/view/motion.h"
#include "tools/view/picture.h"

#include <stdlib.h>
#include <string.h>

enum { STATES = 2000, FEWEST_STATES = 400, NUMBERS = 4000000 };

typedef struct painter {
    trm_comparison *c;
    int started;
} painter;

static int next(void *user)
{
    painter *const p = user;
    return p->started++ == 0 ? 0 : -1;
}

static void work(int job, FILE *out, void *user)
{
    (void)job;
    const trm_comparison *const c = ((painter *)user)->c;
    const trm_sizes sizes = trm_model_sizes(c->model);
    const int most = NUMBERS / (sizes.nq + 1);
    const int n = most > STATES ? STATES : most < FEWEST_STATES ? FEWEST_STATES : most;
    const double end = c->reference.t_agree > 0 ? c->reference.t_agree : c->end;
    trm_options options;
    trm_motion motion = {0};
    trm_sim *sim = NULL;
    if (trm_choose_options(c->model, 1e-6, &options, NULL, NULL) == TRM_OK) {
        options.assemble = c->arguments.assemble;
        if (trm_sim_create(c->model, &options, &sim, NULL) == TRM_OK) {
            trm_motion_record(sim, sizes, end, n + 1, &motion, NULL);
        }
    }
    if (motion.n > 0) {
        trm_picture_draw(out, c->scene, c->model, &motion, 0, NULL, NULL);
    }
    trm_motion_destroy(&motion);
    trm_sim_destroy(sim);
}

static void done(int job, const trm_child_result *result, void *user)
{
    (void)job;
    trm_comparison *const c = ((painter *)user)->c;
    if (result->end == TRM_CHILD_DONE && result->length > 0) {
        c->picture = calloc(result->length + 1, 1);
        if (c->picture != NULL) {
            memcpy(c->picture, result->bytes, result->length);
        }
    }
}

void trm_compare_picture(trm_comparison *c)
{
    painter p = {.c = c};
    const trm_pool pool = {
        .width = 1,
        .budget = c->budget,
        .next = next,
        .work = work,
        .done = done,
        .user = &p,
        .interrupted = c->stop,
    };
    trm_pool_run(&pool);
}
