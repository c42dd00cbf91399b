// Collects parameters, units and layers of a model while its architecture file lists them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/models/layer.h"

namespace ds {

class ModelBuilder {
 public:
  void begin_layer(const std::string& name);
  // A new parameter of the current layer; returns its position in the layer's weights.
  int add(const std::string& name, std::vector<int64_t> shape, Role role, const Initialiser& initialiser);
  // A weight that an earlier layer owns.
  int tie(const std::string& name, const std::string& alias);
  void end_layer(LayerFunction forward);
  ModelDefinition finish() { return std::move(model_); }

 private:
  ModelDefinition model_;
  LayerDefinition layer_;
  UnitDefinition unit_;
};

Initialiser normal(double standard_deviation);
Initialiser zeros();
Initialiser ones();

}  // namespace ds
