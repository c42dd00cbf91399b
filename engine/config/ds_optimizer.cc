#include "engine/config/ds_optimizer.h"

#include "engine/config/ds_check.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using enum Answer;
using Type = OptimizerSettings::Type;

// clang-format off
std::vector<DsKey> adam_keys() {
  return {{"lr", "number", "", ">= 0", kSupported},
          {"betas", "list", "[0.9, 0.999]", "", kSupported},
          {"eps", "number", "1e-8", ">= 0", kSupported},
          {"weight_decay", "number", "0", ">= 0", kSupported},
          {"bias_correction", "flag", "true", "", kSupported},
          {"adam_w_mode", "flag", "true", "", kSupported},
          {"torch_adam", "flag", "false", "", kSupported},
          {"amsgrad", "flag", "false", "", kLater},
          {"maximize", "flag", "false", "", kLater},
          {"set_grad_none", "flag", "true", "", kAccepted},
          {"fp32_optimizer_states", "flag", "true", "", kLater},
          {"foreach", "flag", "", "", kAccepted},
          {"fused", "flag", "", "", kAccepted},
          {"capturable", "flag", "false", "", kAccepted},
          {"differentiable", "flag", "false", "", kLater}};
}

std::vector<DsKey> sgd_keys() {
  return {{"lr", "number", "", ">= 0", kSupported},
          {"momentum", "number", "0", ">= 0", kSupported},
          {"dampening", "number", "0", "", kSupported},
          {"weight_decay", "number", "0", ">= 0", kSupported},
          {"nesterov", "flag", "false", "", kSupported},
          {"maximize", "flag", "false", "", kLater},
          {"foreach", "flag", "", "", kAccepted},
          {"fused", "flag", "", "", kAccepted},
          {"differentiable", "flag", "false", "", kLater}};
}
// clang-format on

const std::vector<std::string> kTypes = {"Adam", "AdamW", "SGD"};
const std::vector<std::string> kLaterTypes = {
    "Adagrad", "Lion",  "Lamb",  "FusedLamb", "OneBitAdam", "OneBitLamb", "ZeroOneAdam", "Muon", "MuAdam",   "MuAdamW",
    "MuSGD",   "RMSprop", "Adamax", "NAdam",   "RAdam",      "Adadelta",   "ASGD",        "Rprop", "Adafactor", "LBFGS",
    "SparseAdam"};

std::string named(const std::string& word, const std::vector<std::string>& names) {
  for (const auto& name : names)
    if (lower(name) == lower(word)) return name;
  return "";
}

class Resolver {
 public:
  Resolver(Choice& choice, OptimizerSettings& out) : choice_(choice), out_(out) {}

  bool type() {
    out_.name = choice_.word("optimizer.type").value_or("AdamW");
    const std::string type = named(out_.name, kTypes);
    if (type.empty()) {
      const std::string later = named(out_.name, kLaterTypes);
      std::vector<std::string> all = kTypes;
      all.insert(all.end(), kLaterTypes.begin(), kLaterTypes.end());
      const std::string near = nearest(out_.name, all);
      problem("optimizer.type", later.empty() ? "unknown optimizer" + (near.empty() ? "" : "; nearest: " + near)
                                              : "not supported yet; supported: " + join(kTypes, ", "));
      return false;
    }
    out_.type = type == "SGD" ? Type::kSgd : type == "Adam" ? Type::kAdam : Type::kAdamW;
    if (choice_.node("optimizer") == nullptr || choice_.node("optimizer.type") == nullptr)
      choice_.filled("optimizer.type", out_.name, "default");
    return true;
  }

  void check() {
    const JsonNode* params = choice_.node("optimizer.params");
    if (params == nullptr || params->is(JsonNode::Kind::kNull)) return;
    auto keys = out_.type == Type::kSgd ? sgd_keys() : adam_keys();
    if (params->find("max_grad_norm") != nullptr) {
      problem("optimizer.params.max_grad_norm", "is no parameter of an optimizer; use gradient_clipping");
      keys.push_back({"max_grad_norm", "any", "", "", kAccepted});
    }
    check_keys(*params, "optimizer.params", keys, choice_.json_file(), choice_.findings());
  }

  void learning_rate(bool schedule_sets_rate) {
    const auto rate = choice_.number("optimizer.params.lr", "train.learning_rate");
    if (!rate && !schedule_sets_rate && !choice_.given("optimizer.params.lr"))
      choice_.findings().problems.push_back(choice_.file() + ": no learning rate: neither optimizer.params.lr in the " +
                                            "DeepSpeed JSON nor train.learning_rate is given");
    out_.learning_rate = rate.value_or(1e-3);
  }

  void sgd() {
    out_.weight_decay = choice_.number("optimizer.params.weight_decay", "train.weight_decay", 0);
    out_.momentum = choice_.number("optimizer.params.momentum", "", 0);
    out_.dampening = choice_.number("optimizer.params.dampening", "", 0);
    out_.nesterov = choice_.flag("optimizer.params.nesterov").value_or(false);
    if (out_.nesterov && (out_.momentum <= 0 || out_.dampening != 0))
      problem("optimizer.params.nesterov", "needs momentum > 0 and dampening = 0");
  }

  // DeepSpeed: "Adam" decouples the decay too unless adam_w_mode is false; torch's own AdamW has another default decay.
  void adam() {
    const bool decoupled = out_.type == Type::kAdamW || choice_.flag("optimizer.params.adam_w_mode").value_or(true);
    const bool torchs = choice_.flag("optimizer.params.torch_adam").value_or(false);
    out_.type = decoupled ? Type::kAdamW : Type::kAdam;
    const double default_decay = torchs && decoupled ? 0.01 : 0;
    out_.weight_decay = choice_.number("optimizer.params.weight_decay", "train.weight_decay", default_decay);
    out_.epsilon = choice_.number("optimizer.params.eps", "train.adam_epsilon", 1e-8);
    out_.bias_correction = choice_.flag("optimizer.params.bias_correction").value_or(true);
    betas();
  }

 private:
  void problem(const std::string& path, const std::string& why) {
    choice_.findings().problems.push_back(choice_.json_place(path) + ": " + why);
  }

  void betas() {
    out_.beta1 = beta(0, "train.adam_beta1", 0.9);
    out_.beta2 = beta(1, "train.adam_beta2", 0.999);
    const JsonNode* list = choice_.node("optimizer.params.betas");
    if (list != nullptr && list->is(JsonNode::Kind::kList)) return;
    const bool in_train = choice_.has_train("train.adam_beta1") || choice_.has_train("train.adam_beta2");
    choice_.filled("optimizer.params.betas", "[" + number_text(out_.beta1) + ", " + number_text(out_.beta2) + "]",
                   in_train ? "train.adam_beta1, train.adam_beta2" : "DeepSpeed's default");
  }

  double beta(size_t index, const std::string& train_key, double fallback) {
    const bool in_train = choice_.has_train(train_key);
    const double train = in_train ? parse_double(choice_.train().text(train_key)).value_or(fallback) : fallback;
    const JsonNode* list = choice_.node("optimizer.params.betas");
    if (list == nullptr || !list->is(JsonNode::Kind::kList)) return train;
    const auto value = list->items.size() == 2 ? as_number(list->items[index]) : std::nullopt;
    if (!value || *value < 0 || *value >= 1) {
      if (index == 0 || list->items.size() == 2)
        problem("optimizer.params.betas", "must be two numbers, each [0, 1)");
      return fallback;
    }
    if (in_train && train != *value)
      choice_.findings().problems.push_back(choice_.json_place("optimizer.params.betas") + " contradicts " +
                                            choice_.train_place(train_key) + ": they must agree");
    return *value;
  }

  Choice& choice_;
  OptimizerSettings& out_;
};

}  // namespace

OptimizerSettings resolve_optimizer(Choice& choice, bool schedule_sets_rate) {
  OptimizerSettings settings;
  Resolver resolver(choice, settings);
  if (!resolver.type()) return settings;
  resolver.check();
  resolver.learning_rate(schedule_sets_rate);
  if (settings.type == Type::kSgd)
    resolver.sgd();
  else
    resolver.adam();
  return settings;
}

}  // namespace ds
