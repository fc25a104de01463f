/// All tables and figures.
#include "validation/papers/shared/paper.h"
#include "validation/papers/tables/figures.h"
#include "validation/papers/tables/tables.h"

// clang-format off
static const trm_paper_table *const tables[] = {
    &trm_paper_srm2_6_1, &trm_paper_srm2_6_2, &trm_paper_srm2_6_3, &trm_paper_srm2_6_4,
    &trm_paper_srm2_6_5,
    &trm_paper_srm1_5_1, &trm_paper_srm1_5_2, &trm_paper_srm1_5_3, &trm_paper_srm1_5_4,
    &trm_paper_srm1_5_5, &trm_paper_srm1_5_6, &trm_paper_srm1_5_7,
    &trm_paper_acpr_6_1, &trm_paper_acpr_6_2, &trm_paper_acpr_6_3, &trm_paper_acpr_6_4,
    &trm_paper_thesis_4_1, &trm_paper_thesis_4_2, &trm_paper_thesis_4_3, &trm_paper_thesis_4_4,
    &trm_paper_thesis_5_1, &trm_paper_thesis_5_2, &trm_paper_thesis_5_3,
};
// clang-format on
int trm_paper_tables(const trm_paper_table *const **out)
{
    *out = tables;
    return sizeof tables / sizeof *tables;
}

static const trm_paper_figure figures[] = {
    {"SRM-II/5.1", "the slider-crank passes its singular position", trm_paper_draw_srm2_5_1},
    {"SRM-II/6.1", "angles and rates of the swinging slider-crank", trm_paper_draw_srm2_6_1},
    {"SRM-II/6.2", "acceleration of the slider", trm_paper_draw_srm2_6_2},
    {"ACPR/2.1", "error against the stabilization parameter", trm_paper_draw_acpr_2_1},
    {"ACPR/6.1", "the two-link arm", trm_paper_draw_acpr_6_1},
    {"ACPR/6.2", "path of the arm's end point, Case I", trm_paper_draw_acpr_6_2},
    {"ACPR/6.3", "path of the arm's end point, Case II", trm_paper_draw_acpr_6_3},
    {"ACPR/6.4", "the seven angles of the squeezing mechanism", trm_paper_draw_acpr_6_4},
    {"TH/cavity", "streamlines and vorticity of the lid-driven cavity, Re = 1000",
     trm_paper_draw_cavity},
    {"TH/five-spot", "the front of the solvent in a porous medium", trm_paper_draw_five_spot},
    {"TH/iterates", "error of a flow against epsilon and iterates", trm_paper_draw_iterates},
};

int trm_paper_figures(const trm_paper_figure **out)
{
    *out = figures;
    return sizeof figures / sizeof *figures;
}
