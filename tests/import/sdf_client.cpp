// What libsdformat makes of a model: masses, centres, inertias and joints in the world, as JSON.
//
// usage: sdf_client MODEL

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include <sdf/Joint.hh>
#include <sdf/JointAxis.hh>
#include <sdf/Link.hh>
#include <sdf/Model.hh>
#include <sdf/Root.hh>
#include <sdf/World.hh>

using ignition::math::Matrix3d;
using ignition::math::Pose3d;
using ignition::math::Vector3d;

namespace {

std::vector<std::string> links, joints;
bool failed = false;

std::string list(const std::vector<double> &x)
{
    std::string text = "[";
    char one[40];
    for (size_t i = 0; i < x.size(); i++) {
        std::snprintf(one, sizeof one, "%s%.17g", i > 0 ? ", " : "", x[i]);
        text += one;
    }
    return text + "]";
}

void told(const sdf::Errors &errors)
{
    for (const auto &error : errors) {
        std::cerr << error.Message() << "\n";
        failed = true;
    }
}

void put_link(const sdf::Link &link, const Pose3d &model, const std::string &prefix)
{
    Pose3d pose;
    told(link.SemanticPose().Resolve(pose, "__model__"));
    const Pose3d world = model * pose, centre = world * link.Inertial().Pose();
    const Matrix3d R(centre.Rot());
    const Matrix3d I = R * link.Inertial().MassMatrix().Moi() * R.Transposed();
    std::vector<double> x;
    for (int i = 0; i < 9; i++) {
        x.push_back(I(static_cast<size_t>(i) / 3, static_cast<size_t>(i) % 3));
    }
    links.push_back("\"" + prefix + link.Name() + "\": {\"mass\": " +
                    list({link.Inertial().MassMatrix().Mass()}) + ", \"place\": " +
                    list({world.Pos().X(), world.Pos().Y(), world.Pos().Z()}) + ", \"centre\": " +
                    list({centre.Pos().X(), centre.Pos().Y(), centre.Pos().Z()}) +
                    ", \"inertia\": " + list(x) + "}");
}

void put_joint(const sdf::Joint &joint, const Pose3d &model, const std::string &prefix)
{
    Pose3d pose;
    told(joint.SemanticPose().Resolve(pose, "__model__"));
    const Pose3d world = model * pose;
    std::string text = "\"" + prefix + joint.Name() + "\": {\"at\": " +
                       list({world.Pos().X(), world.Pos().Y(), world.Pos().Z()});
    for (unsigned int k = 0; k < 2 && joint.Axis(k); k++) {
        Vector3d own;
        told(joint.Axis(k)->ResolveXyz(own, "__model__"));
        const Vector3d axis = model.Rot().RotateVector(own);
        text += std::string(k > 0 ? ", \"axis2\": " : ", \"axis\": ") +
                list({axis.X(), axis.Y(), axis.Z()});
    }
    joints.push_back(text + "}");
}

void put_model(const sdf::Model &model, const Pose3d &outer, const char *in, const std::string &up)
{
    Pose3d own;
    told(model.SemanticPose().Resolve(own, in));
    const Pose3d pose = outer * own;
    const std::string prefix = up + model.Name() + "::";
    for (uint64_t i = 0; i < model.LinkCount(); i++) {
        put_link(*model.LinkByIndex(i), pose, prefix);
    }
    for (uint64_t i = 0; i < model.JointCount(); i++) {
        put_joint(*model.JointByIndex(i), pose, prefix);
    }
    for (uint64_t i = 0; i < model.ModelCount(); i++) {
        put_model(*model.ModelByIndex(i), pose, "__model__", prefix);
    }
}

void print(const char *name, const std::vector<std::string> &all)
{
    std::cout << "\"" << name << "\": {";
    for (size_t i = 0; i < all.size(); i++) {
        std::cout << (i > 0 ? ",\n" : "\n") << all[i];
    }
    std::cout << "}";
}

} // namespace

int main(int argc, char **argv)
{
    sdf::ParserConfig config;
    const std::string folder = argc > 2 ? argv[2] : ".";
    config.SetFindCallback([&](const std::string &uri) {
        const size_t mark = uri.find("://");
        return folder + "/" + (mark == std::string::npos ? uri : uri.substr(mark + 3));
    });
    sdf::Root root;
    told(root.Load(argc > 1 ? argv[1] : "", config));
    if (root.Model()) {
        put_model(*root.Model(), Pose3d::Zero, "", "");
    }
    for (uint64_t w = 0; w < root.WorldCount(); w++) {
        for (uint64_t i = 0; i < root.WorldByIndex(w)->ModelCount(); i++) {
            put_model(*root.WorldByIndex(w)->ModelByIndex(i), Pose3d::Zero, "world", "");
        }
    }
    std::cout << "{";
    print("links", links);
    std::cout << ",\n";
    print("joints", joints);
    std::cout << "}\n";
    return failed ? 1 : 0;
}
