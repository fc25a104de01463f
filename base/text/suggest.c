// Edit distance of Damerau and Levenshtein, restricted form: insertions, deletions, replacements
// and swaps of neighbours cost 1 each. With d[i][j] the distance of the first i and j letters,
//
//     d[i][j] = min(d[i-1][j] + 1, d[i][j-1] + 1, d[i-1][j-1] + (a_i != b_j),
//                   after a swap also d[i-2][j-2] + 1)
#include "base/text/suggest.h"
#include "program/suggest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 48 }; // longer words are not compared

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int equal_letters(char a, char b)
{
    // capitals differ from small letters by one bit; what else this takes for equal does not matter
    return a == b || (a | 0x20) == (b | 0x20);
}

static int edit_distance(const char *a, int m, const char *b, int n)
{
    int d[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= m; i++) {
        for (int j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            const int same = equal_letters(a[i - 1], b[j - 1]);
            d[i][j] = smaller(smaller(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + !same);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[m][n];
}

/// Whether `words`, parted by spaces, has this one.
static int has_word(const char *words, const char *word, size_t length)
{
    for (size_t n; *words; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        if (n == length && !memcmp(words, word, n)) {
            return 1;
        }
    }
    return 0;
}

/// Other words for the same thing, as people know them from elsewhere.
static int synonyms(const char *word, size_t length, const char *candidate)
{
    static const char *const table[][2] = {
        {"world base fixed", "ground"},
        {"omega w speed angular_velocity velocity", "rate"},
        {"theta phi rotation coordinate orientation euler", "angle"},
        {"orientation rotation quat quaternion q", "quat_wxyz"},
        {"euler", "rpy"},
        {"coordinate displacement center centre pos pose xyz com cog center_of_mass", "position"},
        {"hinge pin pivot rotational continuous", "revolute"},
        {"ball socket ball_socket ball_joint", "spherical"},
        {"ball", "sphere"},
        {"slider slide sliding translational translation linear", "prismatic"},
        {"fixed rigid mate glue", "weld"},
        {"cardan hooke", "universal"},
        {"cylinder", "cylindrical"},
        {"helical thread", "screw"},
        {"slot", "pin_in_slot"},
        {"distance bar", "rod"},
        {"wheel circle", "disc"},
        {"rectangle cube", "box"},
        {"spring damper", "spring_damper"},
        {"torsion torsion_spring rotational_spring", "joint_spring_damper"},
        {"damper viscosity c d kd", "damping"},
        {"spring k kp spring_constant", "stiffness"},
        {"rest ref free_length natural_length L0 l0 s_unstretched springlength", "rest_length"},
        {"rest_length rest_angle springref phi_rel0", "rest"},
        {"moment", "torque"},
        {"mu mu1 dynamic_friction coulomb", "friction"},
        {"e cor bounce", "restitution"},
        {"static_friction mu_static", "sticking"},
        {"setpoint position_target", "target"},
        {"m", "mass"},
        {"I J ixx diaginertia", "inertia"},
        {"speed linear_velocity", "velocity"},
        {"range lower upper", "limits"},
        {"max_force effort forcerange saturation", "limit"},
        {"anchor pos origin", "at"},
        {"parent child body1 body2 links worldbody", "bodies"},
        {"drive actuator", "motor"},
        {"kind", "type"},
        {"duration t_end tend stop_time", "end"},
        {"dt interval", "every"},
        {"tolerance rtol tol", "accuracy"},
        {"description name", "title"},
        {"g", "gravity"},
        {"variables constants", "parameters"},
        {"equality", "constraints"},
        {"sensors", "outputs"},
        {"keyframe", "start"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!strcmp(table[i][1], candidate) && has_word(table[i][0], word, length)) {
            return 1;
        }
    }
    return 0;
}

trm_suggestion trm_suggest(const char *word, size_t length)
{
    return (trm_suggestion){.word = word, .length = length};
}

void trm_suggest_consider(trm_suggestion *suggestion, const char *candidate)
{
    const size_t m = suggestion->length, n = strlen(candidate);
    if (m == 0 || m > LONGEST || n > LONGEST) {
        return;
    }
    if (synonyms(suggestion->word, m, candidate)) {
        suggestion->best = candidate;
        suggestion->distance = 0;
        return;
    }
    const int distance = edit_distance(suggestion->word, (int)m, candidate, (int)n);
    const int allowed = m < 3 ? 1 : ((int)m + 2) / 3;
    const int useful = distance <= allowed && distance < (int)(m > n ? m : n);
    if (useful && (!suggestion->best || distance < suggestion->distance)) {
        suggestion->best = candidate;
        suggestion->distance = distance;
    }
}

const char *trm_suggest_text(const trm_suggestion *suggestion, char *out, size_t size)
{
    out[0] = '\0';
    if (suggestion->best) {
        snprintf(out, size, "; did you mean \"%s\"?", suggestion->best);
    }
    return out;
}

/// What other programs have and Trammel has not: words, and what does instead.
static const char *const foreign[][2] = {
    {"mesh visual", "\"shapes\" of the body to show it; a box, a cylinder or a ball to touch"},
    {"geometry geom collision", "\"shape\", and \"contacts\" of the scene"},
    {"color colour", "\"rgba\" of the body's \"shapes\""},
    {"material", "\"mass\", or \"density\" with \"shape\""},
    {"fixed static is_static kinematic", "\"ground\" in its place, or a \"weld\" to it"},
    {"free freejoint floating", "no joint: a body that has none is free"},
    {"noise", "an input that a program sets, or a table"},
    {"random rand seed", "an input that a program sets, or samples of a sweep"},
    {"delay", "\"events\" with \"every\" and \"set\", which keep what they read"},
    {"hold", "\"start\": {\"O.rate\": 314} holds what it names"},
    {"initial_angle initial_position initial_velocity", "\"start\": {\"O\": 0.3, \"O.rate\": 2}"},
    {"variable", "\"input\": true; formulas, as a friction's \"bound\", may have it"},
    {"lag", "\"lag\" of a \"servo\", or a state of \"states\": \"(u - z)/T\""},
    {"ki pid", "a \"servo\" with \"kp\", \"ki\" and \"kd\", or a state of \"states\""},
    {"integral", "a state of \"states\", whose rate is the integrand"},
    {"derivative", "rates: joint.rate, marker.vx"},
    {"rope cable muscle", "a \"tendon\": it pulls only, \"stiffness\" or \"inextensible\""},
    {"winch", "a \"tendon\" with \"pays_out\" and \"drum_radius\""},
    {"damping_ratio zeta", "\"damping\" = 2*zeta*sqrt(k*m)"},
    {"frequency", "\"stiffness\" = m*(2*pi*f)^2"},
    {"springs dynamics damping stiffness spring_stiffness springref",
     "\"spring_damper\" or \"joint_spring_damper\" of \"forces\""},
    {"degrees units rpm", "SI; rad and rad/s: \"30*deg\", \"3000*2*pi/60\""},
    {"friction_coefficient", "\"friction\": {\"coefficient\": ...}"},
    {"effort torque_limit ctrlrange", "\"limit\" of a \"servo\""},
    {"t_end tend stop_time tolerance", "\"end\" and \"accuracy\" of \"simulation\""},
    {"solref solimp condim", "rigid, or \"stiffness\", \"damping\", \"exponent\""},
    {"mu_s mu_k", "\"friction\": {\"sticking\": ..., \"sliding\": ...}"},
    {"flexible flex beam", "bodies are rigid: cut them in bars with \"bushing\""},
    {"actuator motors", "\"motor\" of a joint, or a \"servo\" or \"joint_force\""},
    {"controller", "a \"servo\", \"states\", \"events\" with \"every\", or a loop in Python or C"},
    {"drag wind buoyancy thrust", "a \"force\" with formulas: \"-c*tip.vx\""},
    {"tire wheel", "\"rolling\" of \"constraints\", or \"contacts\" with \"friction\""},
    {"gearbox mimic gearratio multiplier ratio", "\"gear\" or \"coupling\" of \"constraints\""},
    {"backlash", "\"stops\", or \"limits\" of a joint"},
    {"solver integrator method", "--integrator and --method of trammel run"},
    {"timestep hmax h dt step_size", "--accuracy, or --step with a fixed-step --integrator"},
    {"sensor", "\"outputs\", or sensors in Python and C"},
    {"contact ground_contact", "\"contacts\" of the scene, or \"stops\" between points and lines"},
    {"urdf robot compiler option", "trammel import robot.urdf -o robot.json"},
};

const char *trm_foreign_hint(const trm_suggestion *suggestion, char *out, size_t size)
{
    const int known = suggestion->best && suggestion->distance == 0;
    for (size_t i = 0; !known && i < sizeof foreign / sizeof *foreign; i++) {
        if (has_word(foreign[i][0], suggestion->word, suggestion->length)) {
            snprintf(out, size, "; Trammel has none; instead: %s", foreign[i][1]);
            return out;
        }
    }
    return trm_suggest_text(suggestion, out, size);
}
