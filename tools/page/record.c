#include "tools/page/record.h"

#include "tools/common/contact_words.h"
#include "tools/common/output.h"

#include "tools/page/page.h"
#include "trammel/trammel_error.h"
#include "trammel/trammel_report.h"
#include "trammel/trammel_simulation.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

double trm_page_interval(const trm_model *model, double end)
{
    const double most = 4000, fewest = 400, numbers = 4e6;
    const trm_sizes n = trm_model_sizes(model);
    const double lines = numbers / (n.nq + n.nv + n.nc + 1);
    return end > 0 ? end / floor(fmin(fmax(lines, fewest), most)) : 0;
}

trm_status trm_page_temporary(char *path, size_t size, trm_error *err)
{
    const char *const folder = getenv("TMPDIR");
    snprintf(path, size, "%s/trammel-XXXXXX", folder != NULL && *folder ? folder : "/tmp");
    const int file = mkstemp(path);
    if (file < 0) {
        return TRM_FAIL(err, TRM_ERR_IO, path, "no room for a temporary file: %s", strerror(errno));
    }
    close(file);
    return TRM_OK;
}

// ------------------------------------------------------------------------------------------ events

static void watch_steps(trm_tape *events, const trm_sim *sim, trm_page_counts *counts)
{
    const long now = trm_sim_stats(sim).rejected, more = now - counts->rejected;
    if (more > 0) {
        trm_page_event e = {.kind = TRM_EVENT_REJECTED, .t = trm_sim_state(sim).t};
        snprintf(e.text, sizeof e.text, "%ld %s rejected on the way to here.", more,
                 more == 1 ? "step" : "steps");
        trm_tape_add(events, &e);
    }
    counts->rejected = now;
}

static void watch_impacts(trm_tape *events, const trm_sim *sim, trm_page_counts *counts)
{
    const trm_impacts now = trm_sim_impacts(sim);
    if (now.count > counts->impacts) {
        trm_page_event e = {.kind = TRM_EVENT_IMPACT, .t = now.last};
        snprintf(e.text, sizeof e.text, "Impact: %.3g J lost.", now.energy_lost - counts->lost);
        trm_tape_add(events, &e);
    }
    counts->impacts = now.count;
    counts->lost = now.energy_lost;
}

/// s, where what is seen now began: with this step, or at what was located in it.
static double begin_of(const trm_sim *sim, const trm_page_counts *counts)
{
    const trm_impacts impacts = trm_sim_impacts(sim);
    trm_event event = {.t = counts->t};
    trm_sim_event(sim, trm_sim_events(sim) - 1, &event);
    return fmax(counts->t, fmax(impacts.last, event.t)); // fmax leaves NAN
}

static void watch_modes(trm_tape *events, const trm_model *model, const trm_sim *sim,
                        trm_page_counts *counts)
{
    const trm_impacts impacts = trm_sim_impacts(sim);
    const long changes = impacts.changes + impacts.count + trm_sim_events(sim);
    const int n = trm_model_sizes(model).ncontact, first = counts->mode == NULL;
    const int moved = changes != counts->changes, look = moved || counts->pending || first;
    counts->changes = changes;
    counts->pending = moved;
    counts->mode = first ? calloc((size_t)n + 1, sizeof *counts->mode) : counts->mode;
    trm_contact_state now;
    for (int i = 0; look && counts->mode && i < n && trm_sim_contact(sim, i, &now); i++) {
        const trm_contact_info contact = trm_model_contact_info(model, i);
        if (!first && (int)now.mode != counts->mode[i]) {
            trm_page_event e = {.kind = TRM_EVENT_MODE, .t = begin_of(sim, counts)};
            snprintf(e.text, sizeof e.text, "%.80s: %s, from here on.", contact.name,
                     trm_contact_word(&contact, &now));
            trm_tape_add(events, &e);
        }
        counts->mode[i] = (int)now.mode;
    }
}

void trm_page_watch(trm_tape *events, const trm_model *model, const trm_sim *sim,
                    trm_page_counts *counts)
{
    watch_steps(events, sim, counts);
    watch_impacts(events, sim, counts);
    watch_modes(events, model, sim, counts);
    counts->t = trm_sim_state(sim).t;
}

/// The joints whose rows depend on each other there.
static void take_joints(trm_page_event *e, const trm_model *model, const trm_crossing *c)
{
    enum { MOST = (int)(sizeof e->joints / sizeof *e->joints) };
    for (int k = 0; k < trm_model_sizes(model).njoint; k++) {
        const trm_joint_info joint = trm_model_joint_info(model, k);
        int involved = 0;
        for (int i = 0; i < c->nrows; i++) {
            involved |= c->rows[i] >= joint.row && c->rows[i] < joint.row + joint.rows;
        }
        if (involved && e->njoints < MOST) {
            e->joints[e->njoints++] = k;
        }
    }
}

static void describe(trm_page_event *e, const trm_model *model, const trm_crossing *c)
{
    char names[120] = "", energy[48] = "";
    for (int k = 0; k < e->njoints; k++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%.30s", k > 0 ? ", " : "",
                 trm_model_joint_info(model, e->joints[k]).name);
    }
    if (fabs(c->energy_lost) > 0) {
        snprintf(energy, sizeof energy, "; energy changed by %.2g J", -c->energy_lost);
    }
    static const char *const kinds[] = {"Singular position", "Near a singular position",
                                        "Singular position met at rest: several motions go on",
                                        "Singular position where the velocity jumped"};
    const char *const went = !c->judged          ? "not judged yet"
                             : c->branch_changed ? "the assembly changed"
                             : c->bifurcation    ? "which of them is taken is not determined"
                             : c->undecided ? "undecided in double precision which motion goes on"
                                            : "went through on its branch";
    snprintf(e->text, sizeof e->text, "%s, sigma %.2g, joints %s: %s%s.", kinds[e->kind], c->sigma,
             names, went, energy);
}

static void take_crossing(trm_tape *events, const trm_model *model, const trm_crossing *c)
{
    trm_page_event e = {.kind = c->branch_changed ? TRM_EVENT_BRANCH
                                : c->bifurcation  ? TRM_EVENT_BIFURCATION
                                : c->resolved     ? TRM_EVENT_NEAR
                                                  : TRM_EVENT_CROSSING,
                        .t = c->t};
    take_joints(&e, model, c);
    describe(&e, model, c);
    trm_tape_add(events, &e);
}

void trm_page_crossings(trm_tape *events, const trm_model *model, const trm_sim *sim,
                        const trm_error *failure)
{
    const long n = trm_sim_report(sim).crossings;
    long lost = 0;
    for (long i = 0; i < n; i++) {
        trm_crossing c;
        if (trm_sim_crossing(sim, i, &c)) {
            take_crossing(events, model, &c);
        } else {
            lost++;
        }
    }
    if (lost > 0) {
        trm_tape_note(events,
                      "The first %ld of %ld singular positions are not marked: the last %ld are.",
                      lost, n, n - lost);
    }
    if (failure != NULL) {
        trm_page_event e = {.kind = TRM_EVENT_END, .t = trm_sim_state(sim).t};
        snprintf(e.text, sizeof e.text, "The run failed here: %.250s", failure->message);
        trm_tape_add(events, &e);
        trm_tape_note(events, "%s", e.text);
    }
    trm_tape_sort(events);
}

void trm_page_take(trm_tape *tape, trm_tape *events)
{
    for (int i = 0; i < events->nnotes; i++) {
        trm_tape_note(tape, "%s", events->note[i]);
    }
    free(tape->event);
    tape->event = events->event;
    tape->verdict = events->verdict;
    tape->nevents = events->nevents;
    tape->room = events->room;
    *events = (trm_tape){0};
}

// -------------------------------------------------------------------------------------------- file

trm_status trm_can_write(const char *path, trm_error *err)
{
    const int existed = access(path, F_OK) == 0;
    FILE *const file = fopen(path, "a");
    if (file == NULL) {
        return TRM_FAIL(err, TRM_ERR_IO, path, "cannot be written: %s", strerror(errno));
    }
    fclose(file);
    if (!existed) {
        unlink(path);
    }
    return TRM_OK;
}

trm_status trm_save_text(const char *path, const char *text, size_t length, trm_error *err)
{
    return trm_outfile_save(&(trm_outfile_wish){.path = path}, text, length, err);
}

trm_status trm_page_save(const char *path, const trm_scene *scene, const trm_model *model,
                         int ntapes, trm_tape *tapes, const char *command, trm_error *err)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = trm_text_stream(&text, &length);
    if (out == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    trm_status status = trm_page_write(out, scene, model, ntapes, tapes, command, err);
    if (trm_stream_close(out) != 0 && status == TRM_OK) {
        status = TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    if (status == TRM_OK) {
        status = trm_save_text(path, text, length, err);
    }
    free(text);
    return status;
}
