#include "engine/multibody/model.h"

trm_system *trm_model_system(const trm_model *model, double delta, trm_arena *arena)
{
    return model->from_equations ? trm_equations_layout(model, delta, arena)
                                 : trm_assembler_layout(model, delta, arena);
}
