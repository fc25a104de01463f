/// One `trammel run`, from its command line to what is reported of it.
#ifndef TRM_TOOLS_RUN_H
#define TRM_TOOLS_RUN_H

#include "engine/trammel.h"
#include "tools/assembly.h"
#include "tools/csv_out.h"
#include "tools/method_choice.h"
#include "tools/options.h"

typedef struct trm_run {
    trm_arguments arguments;
    trm_scene *scene;
    trm_model *model;
    trm_choice choice; ///< method NULL until it is made
    double end, every; ///< s
    trm_sim *sim;      ///< NULL until the start was accepted
    trm_assembly assembly;
    trm_recording *recording; ///< NULL without one
    int *unique; ///< [nc] whether a multiplier is determined at the start; NULL: not known
    double cpu;  ///< s of process CPU time, stepping alone
    int started; ///< nonzero once time may have advanced
    trm_status status;
    trm_error error; ///< when status is neither TRM_OK nor TRM_STOPPED
} trm_run;

void trm_run_json(const trm_run *run); ///< one JSON object to stdout
void trm_run_text(const trm_run *run); ///< the same for people; once started

#endif
