/// Simulations in lanes: which of them may step together just now.
#include "program/lanes.h"
#include "trammel/trammel_batch.h"

#include "base/status.h"
#include "integrators/lanes/lanes.h"
#include "simulation/run/simulation.h"
#include "simulation/studies/stiff_switching.h"

#include <stdlib.h>

struct trm_lanes {
    trm_lane_slots slots; // ops NULL: one lane
};

trm_status trm_lanes_create(int width, trm_lanes **out, trm_error *err)
{
    TRM_CLEAR(out);
    if (!out || width < 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, out ? "width" : "out",
                        "expected a width >= 0 and a place for the lanes, got %d", width);
    }
    trm_lanes *lanes = calloc(1, sizeof *lanes);
    if (!lanes) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for lanes");
    }
    lanes->slots.ops = trm_lane_ops_of(width);
    *out = lanes;
    return TRM_OK;
}

void trm_lanes_destroy(trm_lanes *lanes)
{
    if (lanes) {
        trm_lane_slots_close(&lanes->slots);
        free(lanes);
    }
}

int trm_lanes_width(const trm_lanes *lanes)
{
    return lanes && lanes->slots.ops ? lanes->slots.ops->width : 1;
}

const char *trm_lanes_take_slot(trm_lanes *lanes, int lane, const trm_sim *sim)
{
    if (!lanes || !lanes->slots.ops) {
        return "there is one lane";
    }
    if (lane < 0 || lane >= lanes->slots.ops->width) {
        return "there is no such lane";
    }
    if (sim && sim->locator.active) {
        return "it has contacts, events or formulas";
    }
    return trm_lane_slots_take(&lanes->slots, lane, sim ? sim->model : NULL,
                               sim ? &sim->run : NULL);
}

/// The run of a simulation whose next step is an ordinary one.
static trm_run *run_of(trm_sim *sim, const trm_model *model, double t_end)
{
    const int ready = sim && sim->model == model && sim->phase == TRM_SIM_READY &&
                      sim->start_rank != TRM_START_UNDECIDED && !sim->ended_by_contact &&
                      !sim->locator.active && sim->stiff_switching.method_changes == 0 &&
                      !sim->run.inputs_changed && sim->run.now.t < t_end;
    return ready ? &sim->run : NULL;
}

/// The direction of that run that its watch follows, where it is only one and of one part.
static const double *weakest_of(const trm_sim *sim)
{
    const trm_singularity_monitor *monitor = &sim->monitor;
    return monitor->active && monitor->ncontinuations == 1 && sim->model->components.n == 1
               ? monitor->continuation[0].now.w
               : NULL;
}

void trm_lanes_prepare(trm_lanes *lanes, trm_sim *const *sim, const double *t_end)
{
    trm_lane_rider rider[TRM_MOST_LANES] = {{NULL, 0, NULL}};
    if (!lanes || !lanes->slots.ops || !sim || !t_end) {
        return;
    }
    for (int l = 0; l < lanes->slots.ops->width; l++) {
        const int rides = sim[l] && sim[l]->stiff_switching.method_changes == 0 &&
                          trm_stiff_switching_where_due(sim[l], NULL) == TRM_OK;
        if (rides && trm_sim_enter_to_move(sim[l], NULL) == TRM_OK) {
            rider[l] = (trm_lane_rider){run_of(sim[l], lanes->slots.slot[l].model, t_end[l]),
                                        t_end[l], weakest_of(sim[l])};
            trm_sim_leave(sim[l], TRM_OK);
        }
    }
    trm_lane_slots_prepare(&lanes->slots, rider);
}
