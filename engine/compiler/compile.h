/// Scene -> model, step by step. Each step counts, or carves and fills (see arena.h).
#pragma once

#include "base/scene/scene.h"
#include "engine/multibody/model.h"

/// Shared by the steps: the geometry of the joints and the numbering of rows and blocks.
typedef struct trm_draft {
    const trm_scene *scene;
    int nheld;
    const trm_held_row *held; ///< [nheld] contacts that are held
    const char *in_tree;      ///< [joints] nonzero: only the motor's row is left; NULL: of none
    const int (*alone)[2];    ///< [joints] see trm_joint_axis; NULL: there is no tree
    trm_joint_frame *frames;  ///< [joints]
    trm_row_list *rows;       ///< [joints]
    int nblocks, nc, nG, nblock_bodies;
    int entries[TRM_ROW_KINDS]; ///< of each kind of row, pins not counted
    trm_block *blocks; ///< [nblocks] joints, expressions, users' constraints, held contacts
    int *block_bodies; ///< [nblock_bodies]
    int *size;         ///< [nblocks] rows
    int *pairs;        ///< [2*npairs] blocks that share a moving body
    int npairs;
    int *first_use,
        *uses; ///< the blocks (and places in them) of moving body b: uses[first_use[b]...]
    const trm_guide **guides; ///< [nguides] of the model; NULL while counting
} trm_draft;

/// Of draft->scene, in_tree and held. Errors: SCENE (a constraint that moves no body), MEMORY.
trm_status trm_draft_create(trm_draft *draft, trm_error *err);
void trm_draft_destroy(trm_draft *draft);
/// Errors: MEMORY, SCENE.
trm_status trm_model_compile(const trm_draft *draft, trm_model *model, trm_error *err);
/// model->in_joints, of a compiled model, where the scene asks for joint coordinates or they are
/// faster; else model->why_absolute. Errors: SCENE (a cut that ties nothing else), MEMORY.
trm_status trm_compile_joint_tree(trm_model *model, const trm_draft *draft, trm_error *err);

/// model->q0 and v0 with what the scene names in coordinates of joints. Errors: INCONSISTENT (not
/// to be reached, or a contradiction), MEMORY.
trm_status trm_compile_start(trm_model *model, const trm_scene *scene, trm_error *err);

/// The joint itself, or the one that it is a freedom of: whose rows hold the bodies.
int trm_holder_of(const trm_scene *scene, int joint);

/// Ground is the body behind the last one.
int trm_body_or_ground(const trm_scene *scene, int body);

/// R[9]: body to world in the initial pose, in either dimension.
void trm_initial_rotation(const trm_scene *scene, int body, double R[9]);

/// A formula with its markers replaced by bodies, joints by what they measure; code and quantities
/// live in the arena.
void trm_function_compile(const trm_draft *draft, const trm_formula *formula, trm_model *model,
                          trm_function *out);
/// A pair of shapes in terms of the model; NULL while counting.
trm_touch_pair *trm_compile_pair(const trm_scene *scene, const trm_touch_pair *def,
                                 trm_arena *arena);
/// model->guides, before all that has formulas.
void trm_compile_guides(trm_model *model, const trm_draft *draft);
/// A formula of a scene, and of what it is.
typedef struct trm_scene_formula {
    const trm_formula *formula;
    const char *name;
    int held;  ///< nonzero: of a motor, a constraint or a contact
    int event; ///< 1 + the event whose condition it is; 0: of none
    /// Nonzero: it is composed by the kind of its constraint, as those of rolling, or is the
    /// tension of a rope with constant numbers. They are not searched, and trm_input_coverage says
    /// so. The tension is k L + c L', of lengths L, k and c not negative: along a straight line L
    /// is convex and L' rises, so that what a point makes of it that passes near another one
    /// changes all that comes after, and stages see it. Where points stay together, the length
    /// between them is rounding, which has peaks in every step: a search ends steps on them without
    /// end. Equations of kinds are fulfilled along the motion, and are long: in rolling, searches
    /// took hundreds of times the run, and ran out.
    int composed;
} trm_scene_formula;

/// Formula i: motors, constraints, coordinates of contacts, values of forces, scales of contacts,
/// events; all zero behind the last.
trm_scene_formula trm_scene_formula_of(const trm_scene *scene, int i);
/// How many switches the formulas before this one have; NULL: all.
int trm_switching_functions_before(const trm_scene *scene, const trm_formula *formula);
/// model->switching_formulas, after all else with formulas.
void trm_compile_switching(trm_model *model, const trm_draft *draft);
/// model->contacts
void trm_compile_contacts(trm_model *model, const trm_draft *draft);
/// The moving bodies of a formula, each once, into `bodies`, which has room for two of each
/// variable. Returns how many.
int trm_bodies_of_formula(const trm_scene *scene, const trm_formula *formula, int *bodies);
/// The bodies that a variable depends on, ground included: bodies[2]. Returns how many.
int trm_bodies_of_variable(const trm_scene *scene, const trm_variable *x, int *bodies);
/// Whether one of formula[n] reads the coordinate or rate of this joint; TRM_INDEX_NONE: of any.
int trm_formulas_read(const trm_formula *formula, int n, int joint);
/// The entry that stands for the part of i in a forest of parents so far; shortens the way there.
int trm_forest_root(int *parent, int i);
/// model->outputs; their sensors are found when the model is whole. Errors: SCENE (no such sensor).
void trm_compile_outputs(trm_model *model, const trm_draft *draft);
trm_status trm_find_readings(trm_model *model, const trm_scene *scene, trm_error *err);
void trm_compile_events(trm_model *model, const trm_draft *draft);
/// "arm.json:12:20 /forces/0/value"; "" without a file.
const char *trm_where_compile(const trm_scene *scene, trm_place place, trm_arena *arena);

/// Returns nonzero if a block of rows is a pin, see pins.h.
int trm_is_pin(const trm_draft *draft, int block);
/// Returns nonzero if blocks i and j share a moving body before number `body`; a block shares its
/// own with itself.
int trm_meet_before(const trm_draft *draft, int i, int j, int body);

void trm_compile_bodies(trm_model *model, const trm_draft *draft);
/// model->component; after the bodies.
void trm_compile_components(trm_model *model, const trm_draft *draft);
void trm_compile_pins(trm_model *model, const trm_draft *draft);
void trm_compile_rows(trm_model *model, const trm_draft *draft);
void trm_compile_forces(trm_model *model, const trm_draft *draft);
/// model->structure; after the bodies.
void trm_compile_structure(trm_model *model, const trm_draft *draft);
/// The points and directions of a joint for a force; they live as long as the geometry.
typedef struct trm_joint_geometry {
    double local[4][3], side[2][3];
} trm_joint_geometry;
void trm_joint_site(const trm_joint_frame *frame, trm_joint_geometry *geometry,
                    trm_force_site *site);
/// What joint number `joint` measures.
void trm_compile_axis(const trm_draft *draft, int joint, trm_joint_axis *out);
void trm_compile_names(trm_model *model, const trm_draft *draft);
