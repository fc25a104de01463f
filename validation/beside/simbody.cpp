// Simbody: the motion of a free body of 1 kg on the plane z = 0, by its compliant contact.
//
// usage: simbody sphere|box r mu a v_t gravity(3) position(3) velocity(3) end n
//
// A box of 2 r, 2 r, r stands on four spheres of r/100. a, s/m: F = F_Hertz (1 + a d'). v_t, m/s:
// the slip at which friction has reached its bound. Prints t, position, velocity and rate at n + 1
// times.
#include <Simbody.h>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace SimTK;

int main(int argc, char **argv)
{
    if (argc != 17) {
        return 2;
    }
    double x[17] = {0};
    for (int i = 2; i < argc; i++) {
        x[i] = std::atof(argv[i]);
    }
    const bool ball = std::string(argv[1]) == "sphere";
    const double r = x[2], end = x[15];
    const int n = static_cast<int>(x[16]);
    MultibodySystem system;
    SimbodyMatterSubsystem matter(system);
    GeneralForceSubsystem forces(system);
    Force::UniformGravity gravity(forces, matter, Vec3(x[6], x[7], x[8]));
    ContactTrackerSubsystem tracker(system);
    CompliantContactSubsystem contact(system, tracker);
    contact.setTransitionVelocity(x[5]);
    const ContactMaterial material(1e9, x[4] / 1.5, x[3], x[3],
                                   0); // Simbody: F_Hertz (1 + 3/2 c d')
    matter.Ground().updBody().addContactSurface(
        Transform(Rotation(Pi / 2, YAxis)), ContactSurface(ContactGeometry::HalfSpace(), material));
    Body::Rigid body(MassProperties(
        1, Vec3(0), ball ? UnitInertia::sphere(r) : UnitInertia::brick(r, r, r / 2)));
    for (int i = 0; i < (ball ? 1 : 4); i++) {
        const Vec3 corner(i & 1 ? r : -r, i & 2 ? r : -r, r / 100 - r / 2);
        body.addContactSurface(
            Transform(ball ? Vec3(0) : corner),
            ContactSurface(ContactGeometry::Sphere(ball ? r : r / 100), material));
    }
    MobilizedBody::Free free(matter.Ground(), Transform(), body, Transform());
    system.realizeTopology();
    State state = system.getDefaultState();
    free.setQToFitTransform(state, Transform(Vec3(x[9], x[10], x[11])));
    free.setUToFitVelocity(state, SpatialVec(Vec3(0), Vec3(x[12], x[13], x[14])));
    RungeKuttaMersonIntegrator integrator(system);
    integrator.setAccuracy(1e-8);
    TimeStepper stepper(system, integrator);
    stepper.initialize(state);
    for (int i = 0; i <= n; i++) {
        stepper.stepTo(end * i / n);
        const State &now = stepper.getState();
        system.realize(now, Stage::Velocity);
        const Vec3 p = free.getBodyOriginLocation(now), v = free.getBodyOriginVelocity(now),
                   w = free.getBodyAngularVelocity(now);
        std::printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", now.getTime(),
                    p[0], p[1], p[2], v[0], v[1], v[2], w[0], w[1], w[2]);
    }
    return 0;
}
