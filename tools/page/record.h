/// From a run to its page: a recording kept for the moment of drawing, and what happened on the
/// way.
#pragma once

#include "tools/page/tape.h"
#include "trammel/trammel_scene.h"

/// s, between two lines of a recording that becomes a page; 400 to 4000 of them.
double trm_page_interval(const trm_model *model, double end);

/// A new empty file for a recording; the caller removes it. Errors: IO.
trm_status trm_page_temporary(char *path, size_t size, trm_error *err);

/// What a run had counted when it was last looked at.
typedef struct trm_page_counts {
    long rejected, impacts, changes; ///< changes: of anything that may change a mode
    int pending;                     ///< what a step ends with acts in the next
    double lost;                     ///< J
    double t;                        ///< s, where the next step begins
    int *mode;                       ///< [ncontact] trm_contact_mode
} trm_page_counts;

/// After each step: rejected steps, impacts and changes of mode become events.
void trm_page_watch(trm_tape *events, const trm_model *model, const trm_sim *sim,
                    trm_page_counts *counts);

/// After the run: its crossings, branch changes, and how it failed (`failure`: NULL if it did not).
void trm_page_crossings(trm_tape *events, const trm_model *model, const trm_sim *sim,
                        const trm_error *failure);

/// Gives the events to the recording that was read.
void trm_page_take(trm_tape *tape, trm_tape *events);

/// The whole file at `path`, or none. Errors: IO, MEMORY, and those of trm_page_write.
trm_status trm_page_save(const char *path, const trm_scene *scene, const trm_model *model,
                         int ntapes, trm_tape *tapes, const char *command, trm_error *err);

/// Whether a file can be written there; an existing one stays as it is. Errors: IO.
trm_status trm_can_write(const char *path, trm_error *err);

/// All of a text at `path`, or no file. Errors: IO.
trm_status trm_save_text(const char *path, const char *text, size_t length, trm_error *err);
