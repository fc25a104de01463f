/// Keys of a scene file. One table per element drives the reader, its error texts, scene_format.md,
/// scene.schema.json and `trammel elements`.
#pragma once

#include <stddef.h>

/// What the value of a key must be, and what it is stored as.
typedef enum trm_key_type {
    TRM_KEY_NUMBER,         ///< number, or constant expression string        double
    TRM_KEY_VECTOR,         ///< `dimension` numbers                          double[3], rest 0
    TRM_KEY_VECTOR3,        ///< 3 numbers in either dimension                double[3]
    TRM_KEY_VECTOR4,        ///< 4 numbers                                    double[4]
    TRM_KEY_MATRIX3,        ///< 3 rows of 3 numbers                          double[9]
    TRM_KEY_BOOLEAN,        ///< true or false                                int
    TRM_KEY_TEXT,           ///< string                                       const char *
    TRM_KEY_FORMULA,        ///< number, or expression of t and the motion    trm_formula
    TRM_KEY_FORMULA_VECTOR, ///< `dimension` of them                          trm_formula[3]
    TRM_KEY_BODY,           ///< name of a body, or "ground"                  int
    TRM_KEY_BODY_PAIR,      ///< two different of them                        int[2]
    TRM_KEY_MARKER,         ///< name of a marker                             int
    TRM_KEY_MARKER_PAIR,    ///< two of them                                  int[2]
    TRM_KEY_JOINT,          ///< name of a joint                              int
    TRM_KEY_JOINTS,         ///< names of several                             trm_index_list
    TRM_KEY_MARKERS,        ///< names of several markers                     trm_index_list
    TRM_KEY_NUMBERS,        ///< several numbers                              trm_number_list
    TRM_KEY_CHOICE,         ///< one of the words in `choices`                int, index of the word
    TRM_KEY_SPECIAL         ///< read by code of its own; `schema` describes it
} trm_key_type;

enum { TRM_MOST_LISTED = 16 };

/// Elements of the scene, in the order of the file.
typedef struct trm_index_list {
    int n;
    int item[TRM_MOST_LISTED];
} trm_index_list;

typedef struct trm_number_list {
    int n;
    double item[TRM_MOST_LISTED];
} trm_number_list;

/// What a number must satisfy.
typedef enum trm_range { TRM_ANY, TRM_POSITIVE, TRM_NOT_NEGATIVE, TRM_NOT_ZERO } trm_range;

typedef struct trm_key {
    const char *name; ///< NULL ends a table
    trm_key_type type;
    size_t offset;        ///< of the value in the element's definition (base/scene/scene.h)
    size_t given;         ///< of an int set to 1 when the key is present; 0: nobody asks
    size_t varies;        ///< of numbers: of a trm_formula for each. Where one is given that is no
                          ///< constant, its number is 1. 0: constants alone
    int required;         ///< nonzero: its absence is an error
    int dimension;        ///< 0: in both; 2 or 3: only there
    trm_range range;      ///< of every number in the value (TRM_NOT_ZERO: of a vector's length)
    const char *unit;     ///< "m", "rad"; NULL without one
    const char *fallback; ///< the default as scene_format.md prints it; NULL without one
    const char *doc;      ///< one sentence
    const char *needs;    ///< "stiffness": without one of these keys it has no effect; "a|b"
    const char *excludes; ///< likewise: beside one of these it has none
    const char *choices;  ///< TRM_KEY_CHOICE: "world|body"
    const char *schema;   ///< TRM_KEY_SPECIAL: JSON schema of the value
} trm_key;

/// Of a key of forces: `varies`.
#define TRM_VARIES(index) .varies = offsetof(trm_scene_force, value[index])

/// A key whose value has a place of its own, a member of the element's definition; then its
/// sentence, and other members of trm_key. TRM_KEY_OWN: one that is read by code of its own.
#define TRM_KEY(word, kind, definition, member, ...)                                               \
    {                                                                                              \
        .name = word, .type = TRM_KEY_##kind, .offset = offsetof(definition, member),              \
        .doc = __VA_ARGS__                                                                         \
    }
#define TRM_KEY_OWN(word, ...)                                                                     \
    {                                                                                              \
        .name = word, .type = TRM_KEY_SPECIAL, .doc = __VA_ARGS__                                  \
    }

/// Of friction by a coefficient, a trm_scene_friction, while it sticks.
#define TRM_HOLDING_KEYS(definition, member)                                                       \
    TRM_KEY("sticking", NUMBER, definition, member.holding,                                        \
            "The coefficient while nothing slips, not below `friction`.", .range = TRM_POSITIVE,   \
            .fallback = "as `friction`", .needs = "friction", .excludes = "stiffness"),            \
        TRM_KEY("stribeck", NUMBER, definition, member.stribeck,                                   \
                "From sticking to sliding as exp(-(slip/stribeck)^2); without it at once.",        \
                .range = TRM_POSITIVE, .unit = "m/s", .needs = "sticking")

/// Keys of one object that exclude each other, or of which some must be there.
typedef struct trm_key_group {
    int needed;          ///< 1: one of them must be there; TRM_SOME: one or more
    const char *keys[8]; ///< ends with NULL; the first one NULL ends a list of groups
} trm_key_group;

enum { TRM_SOME = 2 };
