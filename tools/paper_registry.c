/// All tables and figures.
#include "tools/paper.h"
#include "tools/paper_tables.h"

// clang-format off
static const trm_paper_table *const tables[] = {
    &trm_paper_srm2_6_1, &trm_paper_srm2_6_2, &trm_paper_srm2_6_3, &trm_paper_srm2_6_4,
    &trm_paper_srm2_6_5,
    &trm_paper_srm1_5_1, &trm_paper_srm1_5_2, &trm_paper_srm1_5_3, &trm_paper_srm1_5_4,
    &trm_paper_srm1_5_5, &trm_paper_srm1_5_6, &trm_paper_srm1_5_7,
    &trm_paper_acpr_6_1, &trm_paper_acpr_6_2, &trm_paper_acpr_6_3, &trm_paper_acpr_6_4,
};
// clang-format on
int trm_paper_tables(const trm_paper_table *const **out)
{
    *out = tables;
    return sizeof tables / sizeof *tables;
}

int trm_paper_figures(const trm_paper_figure **out)
{
    *out = NULL;
    return 0;
}
