/// Methods with parameters of their own: "srm(E=GBinv, iterations=3)", "baumgarte(12, 70)".
#pragma once

#include "tools/compare/compare.h"

/// An entry of --methods; it lies in the list that was given.
typedef struct trm_form_entry {
    const char *name;
    size_t length;
    const char *values; ///< behind the parenthesis; NULL: none are given
    size_t nvalues;     ///< bytes of them
    int place;          ///< of the name in the list, characters from 1
} trm_form_entry;

/// The next entry of the list, and *at behind it; commas within parentheses do not count. Errors:
/// OPTIONS (a parenthesis without its partner).
trm_status trm_form_next(const char *list, const char **at, trm_form_entry *out, trm_error *err);

/// *out: `method` with the values of the entry, among c->forms; its stabilization_name has them
/// too. Values without a name go by the order of method->parameters. Errors: OPTIONS, MEMORY.
trm_status trm_form_make(trm_comparison *c, const trm_method *method, const trm_form_entry *entry,
                         const trm_method **out, trm_error *err);

/// The form that `method` is a part of; NULL: one with default parameters.
const trm_form *trm_form_of(const trm_comparison *c, const trm_method *method);

void trm_forms_destroy(trm_comparison *c);
