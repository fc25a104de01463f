/// A recording in memory: named columns over time, what is to be said of it, and what happened on
/// the way. Read from the file that `trammel run -o x.csv` writes.
#pragma once

#include "trammel/trammel_scene.h"

enum { TRM_TAPE_NOTES = 6, TRM_TAPE_NOTE = 320 };

typedef enum trm_event_kind {
    TRM_EVENT_CROSSING,    ///< the constraints lost rank
    TRM_EVENT_NEAR,        ///< they came near to that
    TRM_EVENT_BIFURCATION, ///< they lost it (almost) at rest
    TRM_EVENT_BRANCH,      ///< the assembly changed
    TRM_EVENT_REJECTED,    ///< steps that were repeated with a smaller one
    TRM_EVENT_SCENE,       ///< an event of the scene
    TRM_EVENT_IMPACT,      ///< something struck
    TRM_EVENT_MODE,        ///< a contact or a friction changed: sticks, slides, open
    TRM_EVENT_END          ///< the run failed here
} trm_event_kind;

typedef struct trm_page_event {
    trm_event_kind kind;
    double t;       ///< s
    int njoints;    ///< whose rows depend on each other there, at most 8
    int joints[8];  ///< indices as in trm_model
    char text[320]; ///< one sentence
} trm_page_event;

typedef struct trm_tape {
    char label[160]; ///< file, or method
    long rows;
    int columns;
    const char **name; ///< [columns] "bar.x[m]"; the first is "t"
    double *x;         ///< [rows*columns], NAN where the file has no number
    int nnotes;
    char note[TRM_TAPE_NOTES][TRM_TAPE_NOTE]; ///< sentences: what is wrong with it
    const char *verdict; ///< "good", "fair", "POOR", of the run; NULL: not known
    int nevents, room;
    trm_page_event *event; ///< [nevents] in order of time
    char *text;            ///< the file, to which the names point
} trm_tape;

/// A torn last line, numbers that are none and a t that does not increase end up as notes; what is
/// before them stays. Errors: IO, MEMORY; OPTIONS (no recording at all).
trm_status trm_tape_read(const char *path, trm_tape *out, trm_error *err);
void trm_tape_destroy(trm_tape *tape);

/// A scene of the bodies that the columns name, without shapes and joints (tape_scene.c): for a
/// recording whose scene is not given. Errors: SCENE, MEMORY.
trm_status trm_tape_scene(const trm_tape *tape, trm_scene **out, trm_error *err);

/// -1: no such column. `hint` (-1: none) is where the search starts.
int trm_tape_column(const trm_tape *tape, const char *name, int hint);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void trm_tape_note(trm_tape *tape, const char *format, ...);

/// An event is left out when memory is short, or there are more than 2000.
void trm_tape_add(trm_tape *tape, const trm_page_event *event);
void trm_tape_sort(trm_tape *tape); ///< events, in order of time

/// Events from the counting columns, for a file whose run is not at hand: as exact as its lines.
void trm_tape_find_events(trm_tape *tape);
