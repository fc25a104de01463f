/// Joints and locks that inputs switch in a run. While a switch is on, its rows hold as those of
/// joints do (engine/contact/contact.h); where it comes on, an impact makes their rates zero.
#pragma once

#include "simulation/contact_modes/active_set.h"

typedef enum trm_switch_failure {
    TRM_SWITCH_APART = 1, ///< it closes where its row is not zero
    TRM_SWITCH_DRIVEN     ///< the joints keep the rate of its row
} trm_switch_failure;

typedef struct trm_switching {
    int any;                    ///< nonzero: something was switched
    double struck;              ///< the largest rate that an impact has made zero; 0: none
    double lost;                ///< J, which that took
    trm_switch_failure failure; ///< 0: none
    int row;                    ///< of the failure
} trm_switching;

/// Takes up at now what the inputs say. A joint closes where its rows are within `near` of zero, m
/// or rad; a weld, and a lock, where they are. Returns a system's code.
int trm_switches_take(trm_run *run, double near, trm_switching *out);
/// A row of a switch whose force is above what it breaks at, at now; -1: none.
int trm_switches_overloaded(trm_run *run);
