/// Another method where a run is stiff, and back: the one owner of which method goes on. The
/// measure is simulated time per evaluation of the forces: an explicit pair at its stability limit
/// has a known pace; ida is tried for some steps and stays as long as it is faster.
///
///     steps by   what is seen between two steps                                goes on by
///     chosen     stiff, and ida may step: never before, or t_retry has come,   ida
///                or the pair has become slower than ida was
///     ida        slower than the pair                                          chosen, to t_retry
///     ida        `probe` steps: whether it is still stiff; a new start         chosen
///     ida        no step found, a singular position near (where Baumgarte's    chosen
///                terms take energy), or a state that is to be saved
#include "simulation/studies/stiff_switching.h"
#include "base/accuracy_policy.h"
#include "base/status.h"
#include "integrators/rk/stage_closing.h"
#include "integrators/trajectory/stiffness.h"
#include "program/run_details.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_scene.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// validation/campaign/numbers: half or double of any of these numbers leaves all runs of the
// grid of stiff laws right, within five times the steps of ida.
enum {
    WINDOW = TRM_STIFF_SPAN * TRM_STIFF_POINTS, // steps that a pace is taken over
    TRIAL = 64, // steps of ida over which it is judged; its first as many are short, of order 1
    PROBE = 512 // steps of ida until the explicit pair shows whether the run is still stiff;
                // doubled each time
};
static const double finer = (double)TRM_ACCURACY_STEPS / TRM_ACCURACY_STEPS_MULTISTEP; // has ida
static const double retry = 10; // times the time that ida took in vain, until the next trial

typedef enum trm_due { TRM_DUE_NONE, TRM_DUE_CHOSEN, TRM_DUE_IDA } trm_due; ///< the next method

/// ida, with constraints by Baumgarte's terms: without multipliers among its unknowns it takes a
/// third of the evaluations of ggl, and scenes/flyball.json is off by 5e-8 where ggl is by 6e-7.
static int find_ida(const trm_model *model, const trm_options *options, trm_options *out)
{
    const trm_stabilization stabilization =
        trm_model_sizes(model).nc > 0 ? TRM_STABILIZATION_BAUMGARTE : TRM_STABILIZATION_PLAIN;
    const trm_method *methods;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_INTEGRATOR_IDA &&
            methods[i].stabilization == stabilization) {
            *out = trm_default_options(TRM_INTEGRATOR_IDA, stabilization);
            const double of_more_steps = options->integrator == TRM_INTEGRATOR_ADAMS ? 1 : finer;
            out->rtol = of_more_steps * options->rtol;
            out->atol = of_more_steps * options->atol;
            out->by_motion = options->by_motion;
            out->overlap = options->overlap;
            out->accuracy = options->accuracy;
            out->tolerance = options->tolerance;
            return 1;
        }
    }
    return 0;
}

/// Pace, in s of the motion per evaluation, since the last mark; sets the next mark.
static double take_pace(trm_stiff_switching *switching, double t, const trm_stats *stats)
{
    const long evaluations = stats->force_evals - switching->evals_mark;
    const double pace = evaluations > 0 ? (t - switching->t_mark) / (double)evaluations : 0;
    switching->t_mark = t;
    switching->evals_mark = stats->force_evals;
    switching->step_mark = stats->steps;
    return pace;
}

/// Not before ten times the time of the steps that showed that it does not pay, unless the explicit
/// pair becomes slower than ida was.
static void keep_from_ida(trm_stiff_switching *switching, double t, double since, double pace)
{
    switching->t_retry = t + retry * (t - since);
    switching->pace_ida = pace;
}

/// The explicit pair goes on where ida is slower, and from time to time, to see whether the run is
/// still stiff.
static trm_due due_in_ida(trm_sim *sim, double t, const trm_stats *stats)
{
    trm_stiff_switching *const switching = &sim->stiff_switching;
    const double since = switching->t_mark;
    const int first = switching->step_mark == switching->step_entered;
    const double pace = take_pace(switching, t, stats);
    if (first) {
        return TRM_DUE_NONE;
    }
    if (pace < switching->pace) {
        keep_from_ida(switching, t, since, pace);
        return TRM_DUE_CHOSEN;
    }
    if (stats->steps - switching->step_entered < switching->probe) {
        return TRM_DUE_NONE;
    }
    switching->probe *= 2; // as many steps were taken: far from overflow
    return TRM_DUE_CHOSEN;
}

/// Whether nothing can move: what is fast there is rounding, not a force.
static int is_locked(const trm_sim *sim)
{
    trm_locked_part part;
    return trm_sim_locked(sim, 0, &part) && part.nbodies == sim->model->sizes.nbody;
}

/// Whether rows lose rank within the next steps, where Baumgarte's terms take energy. ida leaves
/// gaps of its tolerance, by which a crossing looks like a corner.
static int is_singular_ahead(trm_run *run)
{
    return run->t_singular > run->now.t && trm_stage_closing_is_near(run, run->stats.h) &&
           (trm_stage_closing_is_one(run) || run->meeting == TRM_MEETING_CORNER);
}

static trm_due due_in_chosen(trm_sim *sim, double t, const trm_stats *stats)
{
    trm_stiff_switching *const switching = &sim->stiff_switching;
    const int may_change = switching->ida == TRM_IDA_MAY_STEP;
    const long steps = stats->steps - switching->step_mark;
    const double each = (double)(stats->force_evals - switching->evals_mark) / (double)steps;
    // where stiffness has begun within the window, its first steps were longer
    const double pace = fmin(take_pace(switching, t, stats), stats->h / each);
    trm_stiff stiff;
    if ((switching->found && !may_change) || !trm_sim_stiff(sim, &stiff) || is_locked(sim)) {
        return TRM_DUE_NONE;
    }
    if (!switching->found) {
        switching->found = 1;
        switching->t_found = t;
        sim->first_stiffness = stiff;
    }
    switching->pace = pace;
    // ida assembles all rows: where those left out no longer follow, in another assembly mode
    const int pays = isinf(sim->t_off) && !is_singular_ahead(&sim->run) &&
                     (t >= switching->t_retry || pace < switching->pace_ida);
    return may_change && pays ? TRM_DUE_IDA : TRM_DUE_NONE;
}

/// A run that has just begun, or begun anew: ida, which was for the motion before, is handed back.
static trm_due begin(trm_sim *sim)
{
    const int in_ida = sim->stiff_switching.in_ida;
    const int may_step = in_ida || sim->run.options.hand_over;
    trm_options implicit;
    sim->stiff_switching = (trm_stiff_switching){
        .t_retry = -INFINITY, .t_mark = sim->run.now.t, .probe = PROBE, .in_ida = in_ida};
    sim->stiff_switching.ida = !find_ida(sim->model, &sim->run.options, &implicit) ? TRM_IDA_ABSENT
                               : may_step ? TRM_IDA_MAY_STEP
                                          : TRM_IDA_KEPT_OUT;
    return in_ida ? TRM_DUE_CHOSEN : TRM_DUE_NONE;
}

static trm_due due(trm_sim *sim)
{
    trm_stiff_switching *const switching = &sim->stiff_switching;
    const long steps = sim->run.stats.steps;
    if (switching->probe == 0) {
        return begin(sim);
    }
    switching->ida_steps += switching->in_ida;
    if (switching->in_ida && is_singular_ahead(&sim->run)) {
        return TRM_DUE_CHOSEN;
    }
    if (steps - switching->step_mark < (switching->in_ida ? TRIAL : WINDOW)) {
        return TRM_DUE_NONE;
    }
    const trm_stats stats = trm_sim_stats(sim);
    const double t = sim->run.now.t;
    return switching->in_ida ? due_in_ida(sim, t, &stats) : due_in_chosen(sim, t, &stats);
}

// ---------------------------------------------------------------------------------------- change

static void tell_place(trm_sim *sim)
{
    if (sim->run.method_ops->moved) {
        sim->run.method_ops->moved(&sim->run);
    }
}

/// `sim` becomes what `next` is, at its own address; who works on it stays. `next` is destroyed.
void trm_stiff_switching_become(trm_sim *sim, trm_sim *next)
{
    char kept[offsetof(trm_sim, busy)];
    memcpy(kept, sim, sizeof kept);
    memcpy((void *)sim, next, sizeof kept);
    memcpy((void *)next, kept, sizeof kept);
    trm_sim_destroy(next);
    tell_place(sim);
}

/// The chosen method, for a run that ida leaves with gaps of its tolerance.
static trm_options chosen_of(const trm_sim *sim)
{
    trm_options options = sim->chosen;
    options.assemble = 1;
    return options;
}

/// What `sim`, by ida or not, takes over of the run that it goes on for.
static void note_change(trm_sim *sim, int in_ida, const trm_sim *from)
{
    const trm_stats stats = trm_sim_stats(sim);
    trm_stiff_switching switching = from->stiff_switching;
    switching.method_changes++;
    switching.in_ida = in_ida;
    switching.step_entered = stats.steps;
    (void)take_pace(&switching, sim->run.now.t, &stats);
    sim->stiff_switching = switching;
    const trm_projected_state state = sim->projected.state;
    sim->projected = from->projected;
    sim->projected.state = state; // that of its own start
    sim->chosen = from->chosen;
    sim->first_stiffness = from->first_stiffness;
}

static trm_status change_method(trm_sim *sim, int to_ida, trm_error *err)
{
    trm_stiff_switching *const switching = &sim->stiff_switching;
    trm_sim *next = NULL;
    trm_error refused = {0};
    trm_options options = chosen_of(sim);
    if (to_ida) {
        sim->chosen = sim->run.options;
        (void)find_ida(sim->model, &sim->chosen, &options);
        options.assemble = 1;
    }
    const trm_status status = trm_sim_create_from(sim, &options, &next, &refused);
    if (status == TRM_ERR_MEMORY) {
        return TRM_FAIL(err, status, refused.where, "%s", refused.message);
    }
    if (status != TRM_OK) { // no gain
        switching->ida = TRM_IDA_KEPT_OUT;
        return TRM_OK;
    }
    const trm_state_blocks blocks = trm_sim_blocks(sim);
    next->size_of_chosen = to_ida ? trm_saved_size(&blocks) : 0;
    note_change(next, to_ida, sim);
    trm_stiff_switching_become(sim, next);
    return TRM_OK;
}

/// Whether stability is looked at: by the explicit pairs; and ida, which may be handed back.
static int is_concerned(const trm_sim *sim)
{
    const trm_integrator integrator = sim->run.options.integrator;
    return integrator == TRM_INTEGRATOR_DOP853 || integrator == TRM_INTEGRATOR_DOPRI5 ||
           integrator == TRM_INTEGRATOR_ADAMS || sim->stiff_switching.in_ida;
}

trm_status trm_stiff_switching_where_due(trm_sim *sim, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    if (!is_concerned(sim) || sim->phase != TRM_SIM_READY) {
        return TRM_OK;
    }
    TRM_TRY(trm_sim_enter_to_move(sim, err));
    const trm_due next = due(sim);
    return trm_sim_leave(sim, next ? change_method(sim, next == TRM_DUE_IDA, err) : TRM_OK);
}

trm_status trm_stiff_switching_blank(const trm_sim *sim, trm_sim **out, trm_error *err)
{
    return trm_sim_create(sim->model, &sim->chosen, out, err);
}

trm_status trm_stiff_switching_back(trm_sim *sim, trm_error *err)
{
    trm_sim *next = NULL;
    const trm_options options = chosen_of(sim);
    TRM_TRY(trm_sim_create_from(sim, &options, &next, err));
    note_change(next, 0, sim);
    trm_stiff_switching_become(sim, next);
    return TRM_OK;
}

trm_status trm_stiff_switching_failed(trm_sim *sim, trm_error *err)
{
    const double t = sim->run.now.t;
    keep_from_ida(&sim->stiff_switching, t, t,
                  0); // not before the explicit pair has shown it stiff again
    return trm_stiff_switching_back(sim, err);
}

// --------------------------------------------------------------------------------------- answers

trm_hand_over trm_sim_hand_over(const trm_sim *sim)
{
    if (!sim) {
        return (trm_hand_over){.t = NAN};
    }
    const trm_stiff_switching *const switching = &sim->stiff_switching;
    const int may = switching->ida == TRM_IDA_MAY_STEP || switching->method_changes > 0 ||
                    !sim->run.options.hand_over;
    return (trm_hand_over){.available = switching->ida != TRM_IDA_ABSENT && may,
                           .found = switching->found,
                           .t = switching->t_found,
                           .stiff = sim->first_stiffness,
                           .changes = switching->method_changes,
                           .implicit = switching->in_ida,
                           .implicit_steps = switching->ida_steps};
}
