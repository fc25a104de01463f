#include "validation/papers/claims_report.h"
#include "tools/common/json_out.h"
#include "trammel/trammel_error.h"
#include "validation/papers/claims/claims.h"

#include <math.h>
#include <stdio.h>

/// "holds", "fails", "done" or "open".
static const char *verdict_on(const trm_paper_claim *claim, double found)
{
    if (claim->run == NULL) {
        return claim->done ? "done" : "open";
    }
    return found >= claim->low && found <= claim->high ? "holds" : "fails";
}

static void print_text(const trm_paper_claim *claim, double found)
{
    printf("%-22s %-6s %s\n", claim->name, verdict_on(claim, found), claim->claim);
    if (claim->run == NULL) {
        printf("%-29s %s\n", "", claim->measured);
    } else {
        printf("%-29s %s: %.3g, expected %.3g to %.3g\n", "", claim->measured, found, claim->low,
               claim->high);
    }
}

static void print_json(const trm_paper_claim *claim, double found, trm_json *json)
{
    trm_json_object(json);
    trm_json_key_string(json, "name", claim->name);
    trm_json_key_string(json, "claim", claim->claim);
    trm_json_key_string(json, "verdict", verdict_on(claim, found));
    trm_json_key_string(json, claim->run == NULL ? "reason" : "measured", claim->measured);
    if (claim->run != NULL) {
        trm_json_key_number(json, "found", found);
        trm_json_key_number(json, "low", claim->low);
        trm_json_key_number(json, "high", claim->high);
    }
    trm_json_end(json);
}

trm_status trm_paper_claims_print(int as_json, int *failed, trm_error *err)
{
    const trm_paper_claim *claims;
    const int n = trm_paper_claims(&claims);
    trm_json json = {.out = stdout};
    if (as_json) {
        trm_json_object(&json);
        trm_json_key(&json, "claims");
        trm_json_list(&json);
    }
    *failed = 0;
    for (int i = 0; i < n; i++) {
        double found = NAN;
        if (claims[i].run != NULL) {
            TRM_TRY(claims[i].run(&found, err));
            *failed += !(found >= claims[i].low && found <= claims[i].high);
        }
        if (as_json) {
            print_json(&claims[i], found, &json);
        } else {
            print_text(&claims[i], found);
        }
    }
    if (as_json) {
        trm_json_end(&json);
        trm_json_end(&json);
    }
    return TRM_OK;
}
