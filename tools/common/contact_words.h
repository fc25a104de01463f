/// What reports call the states of limits, stops and friction.
#pragma once

#include "trammel/trammel_contact.h"

/// For programs: "open", "low", "high", "sticks", "regularized", "slides", "undetermined" or
/// "locked".
const char *trm_contact_mode_name(trm_contact_mode mode);

/// For readers: a stop "presses"; friction alone "slides", or is "free" where it has no force; else
/// as above.
const char *trm_contact_word(const trm_contact_info *contact, const trm_contact_state *state);

/// Nonzero where the contact is a row of its own, which keeps its coordinate from moving.
int trm_contact_is_held(trm_contact_mode mode);

/// "-1 to 1.2 rad", "0 m and above", "none".
void trm_contact_limits(const trm_contact_info *contact, char out[64]);
