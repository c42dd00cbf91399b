#include "engine/models/model_builder.h"

#include "topology/base/error.h"

namespace ds {

void ModelBuilder::begin_layer(const std::string& name) {
  layer_ = {name, {}, nullptr};
  unit_ = {name, {}};
}

int ModelBuilder::add(const std::string& name, std::vector<int64_t> shape, Role role, const Initialiser& initialiser) {
  const int id = static_cast<int>(model_.parameters.size());
  Parameter parameter;
  parameter.name = name;
  parameter.shape = std::move(shape);
  parameter.role = role;
  parameter.initialiser = initialiser;
  model_.parameters.push_back(std::move(parameter));
  unit_.parameters.push_back(id);
  layer_.uses.push_back(id);
  return static_cast<int>(layer_.uses.size()) - 1;
}

int ModelBuilder::tie(const std::string& name, const std::string& alias) {
  for (size_t id = 0; id < model_.parameters.size(); ++id) {
    if (model_.parameters[id].name != name) continue;
    model_.parameters[id].aliases.push_back(alias);
    layer_.uses.push_back(static_cast<int>(id));
    return static_cast<int>(layer_.uses.size()) - 1;
  }
  throw Error(ErrorCode::kInternal, "engine: tied to a parameter that does not exist: " + name);
}

void ModelBuilder::end_layer(LayerFunction forward) {
  layer_.forward = std::move(forward);
  model_.layers.push_back(std::move(layer_));
  model_.units.push_back(std::move(unit_));
}

Initialiser normal(double standard_deviation) { return {Initialiser::Kind::kNormal, standard_deviation}; }
Initialiser zeros() { return {Initialiser::Kind::kZeros, 0}; }
Initialiser ones() { return {Initialiser::Kind::kOnes, 0}; }

}  // namespace ds
