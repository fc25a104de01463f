// Springs of joints, tendons and drives: formulas of coordinates and inputs.

#include "scenes/import/writer/writer.h"

#include "bodies/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const trm_link_joint *joint_of(const trm_writer *w, int joint)
{
    return &w->d->joints[joint];
}

static const char *coordinate(const trm_link_joint *joint)
{
    return joint->type == TRM_LINK_SLIDE ? "position" : "angle";
}

/// "2*", "-", "" of 1, "(-2)*"
static void put_factor(trm_text_buffer *out, double x)
{
    if (x == 1 || x == -1) {
        trm_put(out, x < 0 ? "-" : "");
        return;
    }
    trm_put(out, x < 0 ? "(" : "");
    trm_put_number(out, x);
    trm_put(out, x < 0 ? ")*" : "*");
}

/// " + 0.5*knee.angle", or its rate; formulas of a scene count from the start.
static void put_term(trm_writer *w, double factor, int joint, int place, int rate)
{
    trm_put(w->out, place > 0 ? factor < 0 ? " - " : " + " : factor < 0 ? "-" : "");
    put_factor(w->out, fabs(factor));
    trm_putf(w->out, "%s.%s", w->joints[joint], rate ? "rate" : coordinate(joint_of(w, joint)));
}

static void put_constant(trm_text_buffer *out, double x)
{
    if (x != 0) {
        trm_put(out, x < 0 ? " - " : " + ");
        trm_put_number(out, fabs(x));
    }
}

// ---------------------------------------------------------------------------------------- inputs

static int has_force(const trm_link_tendon *tendon)
{
    return tendon->stiffness > 0 || tendon->damping > 0;
}

void trm_write_inputs(trm_writer *w)
{
    for (int i = 0; i < w->d->ndrives; i++) {
        trm_putf(w->out, "%s    \"%s\": {\"value\": ", i > 0 ? ",\n" : ",\n  \"parameters\": {\n",
                 w->controls[i]);
        trm_put_number(w->out, w->d->drives[i].start);
        trm_put(w->out, ", \"input\": true}");
    }
    trm_put(w->out, w->d->ndrives > 0 ? "\n  }" : "");
}

/// sqrt((a.x - b.x)^2 + ...) + ... over the points of a rope.
static void put_rope(trm_writer *w, const trm_link_tendon *rope)
{
    for (int i = 1; i < rope->n; i++) {
        const char *const a = w->marks[rope->of[i - 1]], *const b = w->marks[rope->of[i]];
        trm_putf(w->out, "%ssqrt((%s.x - %s.x)^2 + (%s.y - %s.y)^2 + (%s.z - %s.z)^2)",
                 i > 1 ? " + " : "", a, b, a, b, a, b);
    }
}

/// The length of a tendon in the model's own count.
static void put_length(trm_writer *w, const trm_link_tendon *tendon)
{
    double constant = 0;
    if (tendon->is_rope) {
        put_rope(w, tendon);
        return;
    }
    for (int i = 0; i < tendon->n; i++) {
        put_term(w, tendon->coefficients[i], tendon->of[i], i, 0);
        constant += tendon->coefficients[i] * joint_of(w, tendon->of[i])->start;
    }
    put_constant(w->out, constant);
}

static void put_rate(trm_writer *w, const trm_link_tendon *tendon)
{
    for (int i = 0; i < tendon->n; i++) {
        put_term(w, tendon->coefficients[i], tendon->of[i], i, 1);
    }
}

static double distance_at_zero(const trm_description *d, const trm_link_point *a,
                               const trm_link_point *b)
{
    double x[2][3], along[3];
    const trm_link_point *const ends[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const trm_link_point *const at = ends[i];
        memcpy(x[i], at->place.p, sizeof x[i]);
        if (at->link >= 0) {
            const trm_link *const link = &d->links[at->link];
            const trm_frame local = trm_frame_from(&link->place, &at->place);
            trm_frame_point(&link->zero, local.p, x[i]);
        }
    }
    subtract(x[1], x[0], along);
    return sqrt(dot(along, along));
}

static double length_at_zero(const trm_writer *w, const trm_link_tendon *tendon)
{
    const trm_description *const d = w->d;
    double sum = 0;
    for (int i = 0; i < tendon->n && !tendon->is_rope; i++) {
        sum += tendon->coefficients[i] * joint_of(w, tendon->of[i])->zero;
    }
    for (int i = 1; i < tendon->n && tendon->is_rope; i++) {
        sum += distance_at_zero(d, &d->points[tendon->of[i - 1]], &d->points[tendon->of[i]]);
    }
    return sum;
}

/// u, within its range.
static void put_control(trm_writer *w, int i)
{
    const trm_drive *const drive = &w->d->drives[i];
    if (!drive->control_limited) {
        trm_put(w->out, w->controls[i]);
        return;
    }
    trm_putf(w->out, "clamp(%s, ", w->controls[i]);
    trm_put_number(w->out, drive->control[0]);
    trm_put(w->out, ", ");
    trm_put_number(w->out, drive->control[1]);
    trm_put(w->out, ")");
}

static void put_drive_length(trm_writer *w, const trm_drive *drive, int rate)
{
    put_factor(w->out, drive->gear[0]);
    trm_put(w->out, "(");
    if (drive->tendon >= 0) {
        const trm_link_tendon *const tendon = &w->d->tendons[drive->tendon];
        rate ? put_rate(w, tendon) : put_length(w, tendon);
    } else {
        const trm_link_joint *const joint = joint_of(w, drive->joint);
        trm_putf(w->out, "%s.%s", w->joints[drive->joint], rate ? "rate" : coordinate(joint));
        put_constant(w->out, rate ? 0 : joint->start);
    }
    trm_put(w->out, ")");
}

/// gain u + b0 + b1 length + b2 rate, within the range of the force.
static void put_force(trm_writer *w, int i)
{
    const trm_drive *const drive = &w->d->drives[i];
    const int of_point = drive->point >= 0;
    trm_put(w->out, drive->force_limited ? "clamp(" : "");
    put_factor(w->out, drive->gain);
    put_control(w, i);
    put_constant(w->out, drive->bias[0]);
    for (int k = 1; k < 3 && !of_point; k++) {
        if (drive->bias[k] != 0) {
            trm_put(w->out, " + ");
            put_factor(w->out, drive->bias[k]);
            put_drive_length(w, drive, k == 2);
        }
    }
    if (drive->force_limited) {
        trm_put(w->out, ", ");
        trm_put_number(w->out, drive->force[0]);
        trm_put(w->out, ", ");
        trm_put_number(w->out, drive->force[1]);
        trm_put(w->out, ")");
    }
}

static int is_servo(const trm_drive *drive)
{
    const int even = !drive->force_limited || drive->force[0] == -drive->force[1];
    return drive->joint >= 0 && drive->bias[1] < 0 && drive->gain == -drive->bias[1] &&
           drive->bias[0] == 0 && drive->bias[2] <= 0 && even && drive->gear[0] != 0;
}

/// Forces that act at several places have a name of their own.
void trm_write_definitions(trm_writer *w)
{
    int first = 1;
    for (int i = 0; i < w->d->ntendons; i++) {
        const trm_link_tendon *const tendon = &w->d->tendons[i];
        if (tendon->is_rope || !has_force(tendon)) {
            continue;
        }
        const double length = length_at_zero(w, tendon);
        const double lo = tendon->rests ? tendon->slack[0] : length;
        const double hi = tendon->rests ? tendon->slack[1] : length;
        trm_putf(w->out, "%s    \"%s_length\": \"", first ? ",\n  \"definitions\": {\n" : ",\n",
                 w->tendons[i]);
        put_length(w, tendon);
        trm_putf(w->out, "\",\n    \"%s_pull\": \"", w->tendons[i]);
        put_factor(w->out, tendon->stiffness);
        trm_putf(w->out, "(%s_length - clamp(%s_length, ", w->tendons[i], w->tendons[i]);
        trm_put_number(w->out, lo);
        trm_put(w->out, ", ");
        trm_put_number(w->out, hi);
        trm_put(w->out, ")) + ");
        put_factor(w->out, tendon->damping);
        trm_put(w->out, "(");
        put_rate(w, tendon);
        trm_put(w->out, ")\"");
        first = 0;
    }
    for (int i = 0; i < w->d->ndrives; i++) {
        if (w->d->drives[i].joint < 0) {
            trm_putf(w->out, "%s    \"%s_pull\": \"", first ? ",\n  \"definitions\": {\n" : ",\n",
                     w->drives[i]);
            put_force(w, i);
            trm_put(w->out, "\"");
            first = 0;
        }
    }
    trm_put(w->out, first ? "" : "\n  }");
}

// ---------------------------------------------------------------------------------------- forces

static void write_springs(trm_writer *w)
{
    for (int i = 0; i < w->d->njoints; i++) {
        const trm_link_joint *const joint = joint_of(w, i);
        if (joint->stiffness == 0 && joint->damping == 0) {
            continue;
        }
        trm_writer_entry(w, trm_writer_element(w, w->joints[i], "_spring"));
        trm_putf(w->out, ", \"type\": \"joint_spring_damper\", \"joint\": \"%s\"", w->joints[i]);
        if (joint->stiffness != 0) {
            trm_put_key_number(w->out, "stiffness", joint->stiffness);
            trm_put_key_number(w->out, "rest", joint->rest - joint->start);
        }
        if (joint->damping != 0) {
            trm_put_key_number(w->out, "damping", joint->damping);
        }
        trm_put(w->out, "}");
    }
}

/// -factor times the definition, as a force along the joint.
static void write_pull(trm_writer *w, const char *of, int joint, double factor)
{
    char suffix[40];
    trm_writer_entry(
        w, trm_writer_element(
               w, of, (snprintf(suffix, sizeof suffix, "_%.30s", w->joints[joint]), suffix)));
    trm_putf(w->out, ", \"type\": \"joint_force\", \"joint\": \"%s\", \"value\": \"",
             w->joints[joint]);
    put_factor(w->out, factor);
    trm_putf(w->out, "%s_pull\"}", of);
}

static void write_rope(trm_writer *w, int i)
{
    trm_description *const d = w->d;
    const trm_link_tendon *const rope = &d->tendons[i];
    const double length = length_at_zero(w, rope);
    const double lo = rope->rests ? rope->slack[0] : length;
    const double hi = rope->rests ? rope->slack[1] : length;
    const int pulls = lo <= 0;
    if (!pulls && rope->n > 2) {
        trm_lose(d, rope->from, NULL, 1, "a rope over several sites pulls and does not push");
    }
    if (rope->stiffness == 0 && rope->n > 2) {
        trm_lose(d, rope->from, "damping", 1, "a rope without stiffness has no damping");
        return;
    }
    const int is_spring = !pulls && rope->n == 2;
    if (is_spring && lo != hi) {
        trm_lose(d, rope->from, "springlength", 1, "it is slack at one length only, the first");
    }
    trm_writer_entry(w, w->tendons[i]);
    trm_putf(w->out, ", \"type\": \"%s\", \"markers\": [", is_spring ? "spring_damper" : "tendon");
    for (int k = 0; k < rope->n; k++) {
        trm_putf(w->out, "%s\"%s\"", k > 0 ? ", " : "", w->marks[rope->of[k]]);
    }
    trm_put(w->out, "]");
    trm_put_key_number(w->out, "stiffness", rope->stiffness);
    trm_put_key_number(w->out, "damping", rope->damping);
    trm_put_key_number(w->out, "rest_length", is_spring ? lo : hi);
    trm_put(w->out, "}");
}

static void write_tendon(trm_writer *w, int i)
{
    const trm_link_tendon *const tendon = &w->d->tendons[i];
    if (!has_force(tendon)) {
        return;
    }
    if (tendon->is_rope) {
        write_rope(w, i);
        return;
    }
    for (int k = 0; k < tendon->n; k++) {
        write_pull(w, w->tendons[i], tendon->of[k], -tendon->coefficients[k]);
    }
}

static void write_servo(trm_writer *w, int i)
{
    const trm_drive *const drive = &w->d->drives[i];
    const double g = drive->gear[0];
    trm_writer_entry(w, w->drives[i]);
    trm_putf(w->out, ", \"type\": \"servo\", \"joint\": \"%s\", \"target\": \"",
             w->joints[drive->joint]);
    put_control(w, i);
    if (g != 1) {
        trm_put(w->out, "/(");
        trm_put_number(w->out, g);
        trm_put(w->out, ")");
    }
    put_constant(w->out, -joint_of(w, drive->joint)->start);
    trm_put(w->out, "\"");
    trm_put_key_number(w->out, "kp", g * g * drive->gain);
    trm_put_key_number(w->out, "kd", -g * g * drive->bias[2]);
    if (drive->force_limited) {
        trm_put_key_number(w->out, "limit", fabs(g) * drive->force[1]);
    }
    trm_put(w->out, "}");
}

/// Three components along the axes of the body.
static void put_components(trm_writer *w, int i, const double local[3])
{
    trm_put(w->out, ", \"axes\": \"body\", \"value\": [");
    for (int k = 0; k < 3; k++) {
        trm_put(w->out, k > 0 ? ", \"" : "\"");
        put_factor(w->out, fabs(local[k]) < 1e-15 ? 0 : local[k]);
        trm_putf(w->out, "%s_pull\"", w->drives[i]);
    }
    trm_put(w->out, "]}");
}

/// A force and a torque in the frame of a point.
static void write_at_point(trm_writer *w, int i)
{
    const trm_drive *const drive = &w->d->drives[i];
    const trm_link_point *const point = &w->d->points[drive->point];
    const int carrier = trm_carrier(w->d, point->link);
    if (carrier < 0) {
        trm_lose(w->d, drive->from, NULL, 1, "its site does not move");
        return;
    }
    for (int part = 0; part < 2; part++) {
        double world[3], local[3];
        rotate(point->place.R, drive->gear + 3 * (size_t)part, world);
        rotate_back(w->d->links[carrier].place.R, world, local);
        if (dot(world, world) == 0) {
            continue;
        }
        trm_writer_entry(w, part ? trm_writer_element(w, w->drives[i], "_torque") : w->drives[i]);
        if (part) {
            trm_putf(w->out, ", \"type\": \"torque\", \"body\": \"%s\"", w->links[carrier]);
        } else {
            trm_putf(w->out, ", \"type\": \"force\", \"marker\": \"%s\"", w->marks[drive->point]);
        }
        put_components(w, i, local);
    }
}

static void write_drive(trm_writer *w, int i)
{
    const trm_drive *const drive = &w->d->drives[i];
    if (drive->point >= 0) {
        write_at_point(w, i);
    } else if (drive->tendon >= 0) {
        const trm_link_tendon *const tendon = &w->d->tendons[drive->tendon];
        for (int k = 0; k < tendon->n; k++) {
            write_pull(w, w->drives[i], tendon->of[k], drive->gear[0] * tendon->coefficients[k]);
        }
    } else if (is_servo(drive)) {
        write_servo(w, i);
    } else {
        trm_writer_entry(w, w->drives[i]);
        trm_putf(w->out, ", \"type\": \"joint_force\", \"joint\": \"%s\", \"value\": \"",
                 w->joints[drive->joint]);
        put_factor(w->out, drive->gear[0]);
        trm_put(w->out, "(");
        put_force(w, i);
        trm_put(w->out, ")\"}");
    }
}

void trm_write_forces(trm_writer *w)
{
    write_springs(w);
    for (int i = 0; i < w->d->ntendons; i++) {
        write_tendon(w, i);
    }
    for (int i = 0; i < w->d->ndrives; i++) {
        write_drive(w, i);
    }
}

// ----------------------------------------------------------------------------------------- stops

/// Ranges of tendons.
void trm_write_stops(trm_writer *w)
{
    for (int i = 0; i < w->d->ntendons; i++) {
        const trm_link_tendon *const tendon = &w->d->tendons[i];
        for (int end = 0; end < 2 && tendon->limited; end++) {
            if (tendon->is_rope && end == 0 && tendon->limits[0] <= 0) {
                continue;
            }
            trm_writer_entry(w, trm_writer_element(w, w->tendons[i], end ? "_most" : "_least"));
            trm_put(w->out, ", \"gap\": \"");
            if (end) {
                trm_put_number(w->out, tendon->limits[1]);
            }
            trm_put(w->out, end ? " - (" : "");
            put_length(w, tendon);
            trm_put(w->out, end ? ")" : "");
            put_constant(w->out, end ? 0 : -tendon->limits[0]);
            trm_put(w->out, "\"}");
        }
    }
}

// ---------------------------------------------------------------------------------------- outputs

static void begin_output(trm_writer *w, const char *suffix, const char *unit)
{
    trm_putf(w->out, "%s    \"%s%s\": {", w->first ? ",\n  \"outputs\": {\n" : ",\n",
             w->sensors[w->sensor], suffix);
    if (unit[0]) {
        trm_putf(w->out, "\"unit\": \"%s\", ", unit);
    }
    trm_put(w->out, "\"value\": \"");
    w->first = 0;
}

static void end_output(trm_writer *w)
{
    trm_put(w->out, "\"}");
}

/// Three numbers: NAME_x, NAME_y and NAME_z.
static void write_components(trm_writer *w, int point, const char *rate, const char *unit)
{
    for (const char *axis = "xyz"; *axis; axis++) {
        const char suffix[] = {'_', *axis, '\0'};
        begin_output(w, suffix, unit);
        trm_putf(w->out, "%s.%s%c", w->marks[point], rate, *axis);
        end_output(w);
    }
}

static void write_coordinate(trm_writer *w, int of, int rate)
{
    const trm_link_joint *const joint = joint_of(w, of);
    const int slides = joint->type == TRM_LINK_SLIDE;
    begin_output(w, "", rate ? slides ? "m/s" : "rad/s" : slides ? "m" : "rad");
    put_term(w, 1, of, 0, rate);
    put_constant(w->out, rate ? 0 : joint->start);
    end_output(w);
}

/// Of a tendon or a drive, whose units depend on what it moves.
static void write_reading(trm_writer *w, trm_link_reading kind, int of)
{
    const trm_description *const d = w->d;
    begin_output(w, "", kind == TRM_READING_TIME ? "s" : "");
    if (kind == TRM_READING_TENDON) {
        put_length(w, &d->tendons[of]);
    } else if (kind == TRM_READING_TENDON_RATE) {
        put_rate(w, &d->tendons[of]);
    } else if (kind == TRM_READING_DRIVE_FORCE) {
        put_force(w, of);
    } else if (kind == TRM_READING_TIME) {
        trm_put(w->out, "t");
    } else {
        put_drive_length(w, &d->drives[of], kind == TRM_READING_DRIVE_RATE);
    }
    end_output(w);
}

void trm_write_outputs(trm_writer *w)
{
    w->first = 1;
    for (w->sensor = 0; w->sensor < w->d->nsensors; w->sensor++) {
        const trm_link_sensor *const one = &w->d->sensors[w->sensor];
        if (one->kind == TRM_READING_POINT) {
            write_components(w, one->of, "", "m");
        } else if (one->kind == TRM_READING_POINT_VELOCITY) {
            write_components(w, one->of, "v", "m/s");
        } else if (one->kind == TRM_READING_JOINT || one->kind == TRM_READING_JOINT_RATE) {
            write_coordinate(w, one->of, one->kind == TRM_READING_JOINT_RATE);
        } else {
            write_reading(w, one->kind, one->of);
        }
    }
    trm_put(w->out, w->first ? "" : "\n  }");
}
