#include "tools/paper/claims/claims.h"

// clang-format off
static const trm_paper_claim claims[] = {
    {"TH 6.1.1", "a repulsive turning point: O(1/N + epsilon) for every epsilon",
     // (0.5 + 1/32)/0.5 = 1.0625 where the error is that of epsilon alone
     "growth of the largest error/(1/N + epsilon) from N = 32 to 256",
     trm_paper_claim_repulsive, 0, 1.0625, 1},
    {"TH 6.1.2", "an attractive turning point: first order in L1, uniformly",
     "least observed order, epsilon = 1 .. 1e-12, N = 40 .. 320", trm_paper_claim_attractive, 0.8, 1.3, 1},
    {"TH 6.2 claim 1", "upwinding has spurious solutions when epsilon << h: the error stays",
     "error at epsilon = 1e-5 on 128 intervals over that on 32", trm_paper_claim_spurious, 0.6, 1.05, 1},
    {"TH 6.2 claim 2", "the inverse grows like 1/max(epsilon, h)",
     "observed power of 1/h at epsilon = 1e-5", trm_paper_claim_inverse, 0.8, 1.05, 1},
    {"TH 6.3", "the fitted hyperbolic scheme is of first order, uniformly",
     "least observed order, epsilon = 1 .. 1e-12, n = 64 .. 512", trm_paper_claim_hyperbolic, 0.7, 2.5, 1},
    {"TH 6.3 unfitted", "without fitting it does not converge where h is near epsilon",
     "least observed order, the same", trm_paper_claim_unfitted, -2, 0.2, 1},
    {"AL93 theorem 3.1", "no layer in By while s <= M+1: O(epsilon^(M+1)) at t = O(epsilon)",
     "largest distance of observed orders from M+1, s = 2, M = -1, 0, 1", trm_paper_claim_layers, 0, 0.25, 1},
    {"AL93 section 3", "E = (CB + delta I)^-1 passes a mesh point at the singularity",
     "error at t = 1 over that with the point moved", trm_paper_claim_delta, 0.2, 2, 1},
    {"AL95 section 2", "E = (GB)^T in the By form, nonsingular",
     "error at t = 1, four iterates", trm_paper_claim_transposed, 0, 1e-6, 1},
    {"AL95 example 3.1", "(3.2) passes a singularity where P depends on the direction",
     "error at t = 2.5 over that at t = 1", trm_paper_claim_direction, 0, 100, 1},
    {"AL95 (4.14)-(4.16)", "index 3 with B not M^-1 G^T: s iterates give O(epsilon^s), no g_xx",
     "largest distance of observed orders from s = 1, 2", trm_paper_claim_index3, 0, 0.25, 1},
    {"AL95 (4.4)-(4.5)", "Baumgarte-type index 3, alpha1 = 1: O(epsilon^s) uniformly",
     "largest distance of observed orders from s = 1, 2", trm_paper_claim_index3_uniform, 0, 0.25, 1},
    {"AL95 (4.23)", "singular index 3 with B not M^-1 G^T: (3.2) for G x', g in f",
     "error at t = 1, singular at t = 1/2, three iterates, no mesh point there", trm_paper_claim_index3_singular, 0, 1e-4, 1},
    {"AL95 (2.2)", "boundary values of nonlinear problems: Newton's method over linear ones",
     "observed order in h of the midpoint scheme", trm_paper_claim_nonlinear_boundary, 1.8, 2.2, 1},
    {"AL95 (4.2)", "boundary values of index 3, by the pair (g, G x')",
     "observed order in h of the midpoint scheme", trm_paper_claim_index3_boundary, 1.8, 2.2, 1},
    {"AL93 remark 4.1", "collocation at several Gauss or Radau points",
     "largest distance of observed orders from 4 (3 Gauss points) and 3 (2 Radau points)", trm_paper_claim_collocation, 0, 0.35, 1},
    {"TH example 1.1", "index 2 is ill-posed: delta sin(w t) in the constraint moves y by delta w",
     "change of y over delta w, w = 1000", trm_paper_claim_ill_posed, 0.95, 1.05, 1},
    {"TH (2.26)", "pseudo-compressibility",
     "the method pseudo-compressibility; its order: tests of dae_large", 0, 0, 0, 1},
    {"TH (2.27)", "the penalty method", "one iterate of srm with y_0 = 0, alpha1 = 0", 0, 0, 0, 1},
    {"TH (2.28)-(2.29)", "parameterization", "baumgarte with alpha2 = 1/epsilon", 0, 0, 0, 1},
    {"TH theorem 5.2", "miscible displacement: O(dt + h^2 + epsilon^s)",
     "tests of dae_large; figure TH/five-spot", 0, 0, 0, 1},
    {"ACPR 6.3, 6.4", "F from stage 6 of the step is what the printed drifts have",
     "velocity drift of the seven-body mechanism over the printed, --formula stage",
     trm_paper_claim_stage, 0.6, 1.4, 1},
    {"ACPR example 1", "Euler's step B of Baumgarte's equation: B^2 = 0, |B| > 1/h with gamma = 1/h",
     "least h |B| for h = 1 .. 1e-4, where B^2 = 0; figure ACPR/2.1 shows what follows",
     trm_paper_claim_baumgarte, 1, 1.01, 1},
    {"ACPR section 2", "nonholonomic constraints: g = G(q) v is of index 2, g' + gamma g = 0",
     "error of a skate on a slope at t = 5, h = 1e-3", trm_paper_claim_nonholonomic, 0, 1e-5, 1},
    {"TH (2.12)-(2.14)",
     "Bayo and Avello's (alpha, Omega, mu) is alf: 1, 2 Omega mu, Omega^2, epsilon = 1/alpha",
     "distance of the observed order from Heun's 2, (1e7, 10, 1) and (1e6, 20, 0.7)", trm_paper_claim_bayo, 0, 0.25, 1},
    {"Bayo & Avello", "through their crank's singular position a shorter step may be worse",
     "largest error of five steps, 2e-3 to 1.25e-4, over that of the longest", trm_paper_claim_bayo_singular, 10, 1e6, 1},
};
// clang-format on

int trm_paper_claims(const trm_paper_claim **out)
{
    *out = claims;
    return sizeof claims / sizeof *claims;
}
