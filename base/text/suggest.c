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
        d[i][0] = i;
    }
    for (int j = 0; j <= n; j++) {
        d[0][j] = j;
    }
    for (int i = 1; i <= m; i++) {
        for (int j = 1; j <= n; j++) {
            const int same = equal_letters(a[i - 1], b[j - 1]);
            d[i][j] = smaller(smaller(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + !same);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[m][n];
}

/// Other words for the same thing, as people know them from elsewhere.
static int synonyms(const char *word, size_t length, const char *candidate)
{
    static const char *const table[][2] = {
        {"world", "ground"},
        {"base", "ground"},
        {"fixed", "ground"},
        {"omega", "rate"},
        {"w", "rate"},
        {"speed", "rate"},
        {"velocity", "rate"},
        {"theta", "angle"},
        {"phi", "angle"},
        {"rotation", "angle"},
        {"coordinate", "angle"},
        {"coordinate", "position"},
        {"displacement", "position"},
        {"hinge", "revolute"},
        {"pin", "revolute"},
        {"pivot", "revolute"},
        {"ball", "spherical"},
        {"ball", "sphere"},
        {"socket", "spherical"},
        {"slider", "prismatic"},
        {"sliding", "prismatic"},
        {"translational", "prismatic"},
        {"fixed", "weld"},
        {"rigid", "weld"},
        {"cardan", "universal"},
        {"hooke", "universal"},
        {"slot", "pin_in_slot"},
        {"distance", "rod"},
        {"bar", "rod"},
        {"wheel", "disc"},
        {"circle", "disc"},
        {"rectangle", "box"},
        {"cube", "box"},
        {"spring", "spring_damper"},
        {"damper", "spring_damper"},
        {"damper", "damping"},
        {"spring", "stiffness"},
        {"moment", "torque"},
        {"kind", "type"},
        {"duration", "end"},
        {"t_end", "end"},
        {"tend", "end"},
        {"dt", "every"},
        {"interval", "every"},
        {"rotational", "revolute"},
        {"translation", "prismatic"},
        {"speed", "velocity"},
        {"center", "position"},
        {"centre", "position"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strlen(table[i][0]) == length && !memcmp(table[i][0], word, length) &&
            !strcmp(table[i][1], candidate)) {
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

/// What other programs have and Trammel has not: the word, and what does instead.
static const char *const foreign[][2] = {
    {"mesh", "\"shapes\" of the body to show it; a box, a cylinder or a ball to touch"},
    {"meshes", "\"shapes\" of the body to show it; a box, a cylinder or a ball to touch"},
    {"geometry", "\"shape\", and \"contacts\" of the scene"},
    {"collision", "\"contacts\" of the scene, between shapes of bodies"},
    {"visual", "\"shapes\" of the body"},
    {"color", "\"rgba\" of the body's \"shapes\""},
    {"colour", "\"rgba\" of the body's \"shapes\""},
    {"material", "\"mass\", or \"density\" with \"shape\""},
    {"noise", "an input that a program sets, or a table"},
    {"random", "an input that a program sets, or samples of a sweep"},
    {"rand", "an input that a program sets, or samples of a sweep"},
    {"delay", "\"events\" with \"every\" and \"set\", which keep what they read"},
    {"hold", "\"start\": {\"O.rate\": 314} holds what it names"},
    {"variable", "\"input\": true; formulas, as a friction's \"bound\", may have it"},
    {"lag", "\"lag\" of a \"servo\", or a state of \"states\": \"(u - z)/T\""},
    {"ki", "\"ki\" of a \"servo\", or a state of \"states\""},
    {"pid", "a \"servo\" with \"kp\", \"ki\" and \"kd\""},
    {"integral", "a state of \"states\", whose rate is the integrand"},
    {"derivative", "rates: joint.rate, marker.vx"},
    {"rope", "a \"tendon\": it pulls only, \"stiffness\" or \"inextensible\""},
    {"cable", "a \"tendon\": it pulls only, \"stiffness\" or \"inextensible\""},
    {"winch", "a \"tendon\" with \"pays_out\" and \"drum_radius\""},
    {"damping_ratio", "\"damping\" = 2*zeta*sqrt(k*m)"},
    {"zeta", "\"damping\" = 2*zeta*sqrt(k*m)"},
    {"frequency", "\"stiffness\" = m*(2*pi*f)^2"},
    {"rpm", "rad/s: \"3000*2*pi/60\""},
    {"degrees", "rad: \"30*deg\""},
    {"friction_coefficient", "\"friction\": {\"coefficient\": ...}"},
    {"mu_s", "\"friction\": {\"sticking\": ..., \"sliding\": ...}"},
    {"mu_k", "\"friction\": {\"sticking\": ..., \"sliding\": ...}"},
    {"flexible", "bodies are rigid: cut them in bars with \"bushing\""},
    {"flex", "bodies are rigid: cut them in bars with \"bushing\""},
    {"beam", "bodies are rigid: cut them in bars with \"bushing\""},
    {"actuator", "\"motor\" of a joint, or a \"servo\" or \"joint_force\""},
    {"controller", "a \"servo\", \"states\", \"events\" with \"every\", or a loop in Python or C"},
    {"sensor", "\"outputs\", or sensors in Python and C"},
    {"ground_contact", "\"contacts\" of the scene, with \"ground\""},
    {"contact", "\"contacts\" of the scene, or \"stops\" between points and lines"},
    {"urdf", "trammel import robot.urdf -o robot.json"},
};

const char *trm_foreign_hint(const trm_suggestion *suggestion, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        if (strlen(foreign[i][0]) == suggestion->length &&
            !memcmp(foreign[i][0], suggestion->word, suggestion->length) &&
            !(suggestion->best && suggestion->distance == 0)) {
            snprintf(out, size, "; Trammel has none; instead: %s", foreign[i][1]);
            return out;
        }
    }
    return trm_suggest_text(suggestion, out, size);
}
