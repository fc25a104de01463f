#include "tools/common/contact_words.h"

#include <math.h>
#include <stdio.h>

const char *trm_contact_mode_name(trm_contact_mode mode)
{
    static const char *const names[] = {[TRM_CONTACT_MODE_OPEN] = "open",
                                        [TRM_CONTACT_MODE_LOW] = "low",
                                        [TRM_CONTACT_MODE_HIGH] = "high",
                                        [TRM_CONTACT_MODE_STICKS] = "sticks",
                                        [TRM_CONTACT_MODE_REGULARIZED] = "regularized",
                                        [TRM_CONTACT_SLIDES] = "slides",
                                        [TRM_CONTACT_UNDETERMINED] = "undetermined",
                                        [TRM_CONTACT_MODE_LOCKED] = "locked"};
    return names[mode];
}

const char *trm_contact_word(const trm_contact_info *contact, const trm_contact_state *state)
{
    const trm_contact_mode mode = state->mode;
    const int low = isfinite(contact->lo), high = isfinite(contact->hi);
    if ((mode == TRM_CONTACT_MODE_LOW || mode == TRM_CONTACT_MODE_HIGH) && low != high) {
        return "presses";
    }
    if (mode == TRM_CONTACT_MODE_OPEN && (state->x < contact->lo || state->x > contact->hi)) {
        return "presses"; // a spring, beyond where it begins
    }
    return trm_contact_mode_name(mode);
}

int trm_contact_is_held(trm_contact_mode mode)
{
    return mode == TRM_CONTACT_MODE_LOW || mode == TRM_CONTACT_MODE_HIGH ||
           mode == TRM_CONTACT_MODE_STICKS || mode == TRM_CONTACT_MODE_LOCKED;
}

void trm_contact_limits(const trm_contact_info *contact, char out[64])
{
    const int low = isfinite(contact->lo), high = isfinite(contact->hi);
    if (low && high) {
        snprintf(out, 64, "%.6g to %.6g %s", contact->lo, contact->hi, contact->unit);
    } else if (low || high) {
        snprintf(out, 64, "%.6g %s and %s", low ? contact->lo : contact->hi, contact->unit,
                 low ? "above" : "below");
    } else {
        snprintf(out, 64, "none");
    }
}
