/// Embedded pairs of Bogacki and Shampine, and of Dormand and Prince: tableaux.
#pragma once

enum { TRM_EMBEDDED_STAGES = 16 };

typedef struct trm_embedded {
    int order;
    int stages;       ///< the solution is row `stages` of a; stage number `stages` is z' at the end
    int extended;     ///< stages, including those of the dense output alone
    int interpolants; ///< rows of d
    double exponent, beta;   ///< of the step-size control
    double safety;           ///< of the step-size control, < 1: less means fewer steps refused
    double slowest, fastest; ///< largest change of the step size, down and up
    double inside;           ///< of h times the largest eigenvalue: from here on the dense output
                             ///< does without its last stage; 0: nowhere
    double c[TRM_EMBEDDED_STAGES];
    double a[TRM_EMBEDDED_STAGES][TRM_EMBEDDED_STAGES];
    double e[TRM_EMBEDDED_STAGES];     ///< error estimate
    double b3[TRM_EMBEDDED_STAGES];    ///< order 8: the third-order solution of its second estimate
    double d[4][TRM_EMBEDDED_STAGES];  ///< dense output
    double lower[TRM_EMBEDDED_STAGES]; ///< order 8: error estimate of a step of the pair 3(2)
} trm_embedded;

extern const trm_embedded trm_embedded_3, trm_embedded_5, trm_embedded_8;
