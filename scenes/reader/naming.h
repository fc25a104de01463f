/// Names in one expression -> what they stand for: what the resolver works with.
#ifndef TRM_NAMING_H
#define TRM_NAMING_H

#include "program/suggest.h"
#include "scenes/reader/reader.h"

typedef struct trm_naming {
    trm_reader *reader;
    trm_formula *formula;         ///< NULL: constants only
    int overriding;               ///< no names at all
    const trm_scene_force *force; ///< whose keys are names too (bodies/forces/force.h); NULL: none
    const struct trm_relation *relation; ///< whose words begin with _; NULL: there are none
    const char *own, *second;            ///< of a curve or terrain: x[0] and x[1]; NULL: none
    int capacity;                        ///< of formula->variables
    int no_memory;
    char reason[200];  ///< why a name was refused
    char culprit[160]; ///< the operation on constants that has no finite value, or ""
} trm_naming;

/// A trm_resolve_fn; user is the trm_naming.
int trm_resolve_symbol(const char *text, size_t length, trm_symbol *out, void *user);

/// Note why a name is refused; returns 0.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int trm_refuse_symbol(trm_naming *n, const char *format, ...);

/// Why an expression is refused.
const char *trm_naming_reason(const trm_naming *n, const trm_expression_error *error);
/// Refuse a value that is not finite; `culprit`: the operation that has none, or "".
trm_status trm_check_finite(trm_reader *reader, const trm_node *node, const char *text,
                            double value, const char *culprit);

/// Characters of a name to show in a message.
int trm_shown(size_t length);

/// The variable among those of the formula, once.
int trm_add_variable(trm_naming *n, trm_variable variable, trm_symbol *out);
/// "tip.x": the part before the dot is a marker, a body or a joint.
int trm_resolve_dotted(trm_naming *n, const char *text, size_t length, size_t dot, trm_symbol *out);
/// All of them as suggestions for a misspelled name.
struct trm_suggestion;
void trm_consider_names(struct trm_suggestion *near, const trm_names *names);

#endif
