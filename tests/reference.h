/// Reference values of the shipped scenes, from sources that share no code with Trammel.
///
/// [EL]   closed form in elliptic functions and integrals
/// [QUAD] 128-bit extrapolation (order 24 or more) in minimal coordinates, confirmed by a second
///        code in absolute coordinates; all digits printed here are common to both
/// [RED]  reduced to the least number of coordinates, extrapolation in long double, confirmed by
///        Gauss collocation of order 12 in redundant coordinates
#pragma once

// simple pendulum, t = 10 [EL]
static const double pendulum_x_10 = -0.27508746257611686, pendulum_y_10 = -0.96141920509912506;

// Equal-bar slider-crank: I(phi) phi'' + 8 sin phi cos phi phi'^2 + 19.62 cos phi = 0,
// I = 8/3 + 8 sin^2 phi, phi unreduced [RED]; the period by quadrature of the energy integral.
static const double swing_angle_30 = 5.4917922375, swing_angle_70 = 4.5259544855;
static const double swing_period = 4.296576241;
static const double turn_angle_10 = 33.74175906000317;
static const double turn_energy = 40.540101713547;  // I phi'^2 / 2 + 19.62 sin phi at the start
static const double turn_peak = 124.03809247;       // max |4 (sin phi phi'' + cos phi phi'^2)|
static const double turn_first_crossing = 0.353233; // phi = pi/2
static const double turn_half_period = 1.860881639 / 2.0;

// N four-bars in a row: theta'' = kappa sin theta, theta clockwise from the vertical; top of the
// first bar at t = 10, its speed, time T of a turn and first alignment T90 [EL]
typedef struct four_bar_reference {
    const char *scene;
    int n;
    double x, y, vx;
    double turn, first_alignment;
} four_bar_reference;

static const four_bar_reference four_bars[] = {
    {"four_bar", 1, 0.47838505776097056, 0.87815017879120930, 1.7272640755471537,
     1.92371181733896585, 0.708450008835758869},
    {"double_four_bar", 2, 0.32845811154081538, 0.94451853817860096, 1.4230514702069441,
     1.94251492260708368, 0.714355529292960472},
    {"four_bar_40", 40, 0.18051222668672839, 0.98357274058231157, 1.1484412774694141,
     1.96560192870465044, 0.721581024825656828},
};

// Andrews' squeezing mechanism: beta, Theta, gamma, Phi, delta, Omega, epsilon [QUAD]
static const double andrews_003[7] = {
    15.810771195153707,  -15.756371058411839, 0.040822240119645805, -0.53473011634207959,
    0.52440996587995407, 0.53473011634207959, 1.0480807410419379};
static const double andrews_005[7] = {
    33.825867766954517,  -33.583431517463868, 0.11339507381259902, -0.40785286560188444,
    0.52606044491699583, 0.40785286560188444, 1.0569024294349628};

// Bricard's mechanism: P3 at t = 5 [QUAD, closed form with one degree of freedom]
static const double bricard_P3_5[3] = {0.99993274230211708, -0.99999999773835316,
                                       -6.7255436083961457e-5};

// stiff flyball governor: height of the slider at t = 1, angular momentum about z [QUAD]
static const double flyball_s_1 = 0.50142092237956765;

// heavy top: centre of mass at t = 2, angular velocity in body axes [QUAD]
static const double heavy_top_x_2[3] = {-0.15041682274564176, -0.72416559163689566,
                                        -0.67302226956044410};
static const double heavy_top_rate_2[3] = {0.12223321949739424, 150.0, -5.8556245892054577};

// spatial slider-crank, variant A: position of the slider at t = 1 [QUAD]
static const double spatial_slider_1 = 0.23636285600098373;

// Two-link arm: theta1, theta2 (relative), their rates at t = 5 [RED, 13 digits and more]
static const double arm_parabola_5[4] = {0.845662940554249, -2.598207374690357, 2.77842673650583,
                                         0.62856995069158};
static const double arm_sine_5[4] = {3.82096817428937, -2.0855245771215, 2.44177405446,
                                     -11.1062964667271};
