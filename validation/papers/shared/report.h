/// A table that has been run: judged cells as text and as JSON.
#pragma once

#include "tools/common/json_out.h"
#include "validation/papers/shared/paper.h"

typedef struct trm_paper_result {
    const trm_paper_table *table;
    trm_paper_cell *cells; ///< [nrows*ncolumns]
    int count[TRM_VERDICTS];
    double cpu; ///< s
} trm_paper_result;

/// Run the table and judge every cell. Errors: MEMORY, or what a run failed with.
trm_status trm_paper_result_create(const trm_paper_table *table, trm_paper_result *out,
                                   trm_error *err);
void trm_paper_result_destroy(trm_paper_result *result);

void trm_paper_print(const trm_paper_result *result);                ///< cell by cell, to stdout
void trm_paper_json(const trm_paper_result *result, trm_json *json); ///< one object
void trm_paper_counts_json(const int count[TRM_VERDICTS], trm_json *json); ///< one object

void trm_paper_summary_head(void);
void trm_paper_summary_line(const char *name, const int count[TRM_VERDICTS], double cpu);
void trm_paper_print_differing(const trm_paper_result *result); ///< nothing if no cell differs
