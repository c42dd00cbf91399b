#include "engine/config/ds_scheduler.h"

#include <algorithm>
#include <cmath>

#include "engine/config/ds_check.h"
#include "engine/optim/lr_schedule.h"
#include "engine/optim/schedule_keys.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using Kind = JsonNode::Kind;

class Resolver {
 public:
  Resolver(Choice& choice, int64_t total_steps) : choice_(choice), total_steps_(total_steps) {}

  ScheduleSettings from_json(const std::string& type) {
    out_.type = type;
    const auto* keys = schedule_keys(type);
    if (keys == nullptr || is_ours(type)) {
      unknown_type(type);
      return {};
    }
    const JsonNode* params = choice_.node("scheduler.params");
    if (params != nullptr && !params->is(Kind::kNull)) {
      check_keys(one_group(*params), "scheduler.params", *keys, choice_.json_file(), choice_.findings());
      for (const auto& key : *keys) take(one_group(*params), key);
    }
    agree_with_train();
    for (const auto& key : *keys) fill(key);
    if (choice_.findings().problems.size() == problems_before_)
      for (const auto& problem : schedule_problems(out_)) add({choice_.place("scheduler.type", "") + ": " + problem});
    return out_;
  }

  // transformers' words. Without a word, a warm-up means constant_with_warmup.
  ScheduleSettings from_train() {
    const bool steps = warmup_steps() > 0, ratio = warmup_ratio() > 0;
    out_.type = choice_.train_text("train.lr_scheduler");
    if (!choice_.has_train("train.lr_scheduler") && (steps || ratio)) out_.type = "constant_with_warmup";
    if (out_.type == "constant") {
      if (steps || ratio)
        add({choice_.train_place("train.lr_scheduler") + " has no warm-up; use constant_with_warmup, or leave out " +
             choice_.train_place(steps ? "train.warmup_steps" : "train.warmup_ratio")});
      out_.type = "";
      return out_;
    }
    if (steps && ratio)
      add({choice_.train_place("train.warmup_ratio") + " contradicts " + choice_.train_place("train.warmup_steps") +
           ": give one of them"});
    if (steps) out_.numbers.emplace_back("warmup_steps", static_cast<double>(warmup_steps()));
    if (ratio && !steps) out_.numbers.emplace_back("warmup_ratio", warmup_ratio());
    choice_.filled("scheduler.type", out_.type, "train.cfg");
    return out_;
  }

 private:
  static bool is_ours(const std::string& type) {
    return type == "linear" || type == "cosine" || type == "constant_with_warmup";
  }

  void add(const std::vector<std::string>& problems) {
    auto& all = choice_.findings().problems;
    all.insert(all.end(), problems.begin(), problems.end());
  }

  void unknown_type(const std::string& type) {
    const auto& later = later_schedule_types();
    if (std::find(later.begin(), later.end(), type) != later.end()) {
      add({choice_.json_place("scheduler.type") + ": not supported yet"});
      return;
    }
    std::vector<std::string> known;
    for (const auto& name : schedule_types())
      if (!is_ours(name)) known.push_back(name);
    const std::string near = nearest(type, known);
    add({choice_.json_place("scheduler.type") + ": must be one of " + join(known, ", ") +
         (near.empty() ? "" : "; nearest: " + near)});
  }

  // Rates and moments may be lists with one entry per parameter group; there is one group of rates here.
  static JsonNode one_group(const JsonNode& params) {
    JsonNode copy = params;
    for (auto& value : copy.items)
      if (value.is(Kind::kList) && value.items.size() == 1) {
        JsonNode only = value.items.front();
        only.line = value.line;
        value = only;
      }
    return copy;
  }

  void take(const JsonNode& params, const DsKey& key) {
    const JsonNode* node = params.find(key.path);
    if (node == nullptr || key.answer != Answer::kSupported) return;
    if (const auto flag = as_flag(*node))
      out_.numbers.emplace_back(key.path, *flag ? 1 : 0);
    else if (std::string_view(key.type) == "word" && as_word(*node))
      out_.words.emplace_back(key.path, *as_word(*node));
    else if (const auto value = as_number(*node))
      out_.numbers.emplace_back(key.path, *value);
  }

  bool has(std::string_view name) const {
    for (const auto& [key, value] : out_.numbers)
      if (key == name) return true;
    return false;
  }

  void agree_with_train() {
    if (has("warmup_max_lr")) choice_.number("scheduler.params.warmup_max_lr", "train.learning_rate");
    if (has("warmup_num_steps")) choice_.integer("scheduler.params.warmup_num_steps", "train.warmup_steps");
    if (!choice_.has_train("train.lr_scheduler")) return;
    const std::string word = choice_.train_text("train.lr_scheduler");
    const bool same = (word == "linear" && (out_.type == "WarmupDecayLR" || out_.type == "LinearLR")) ||
                      (word == "constant_with_warmup" && out_.type == "WarmupLR") ||
                      (word == "cosine" && (out_.type == "WarmupCosineLR" || out_.type == "CosineAnnealingLR"));
    if (!same)
      add({choice_.json_place("scheduler.type") + " contradicts " + choice_.train_place("train.lr_scheduler") +
           ": they must agree, or one of them be left out"});
  }

  void fill(const DsKey& key) {
    const std::string name = key.path;
    if (has(name)) return;
    if (name == "warmup_max_lr" && choice_.has_train("train.learning_rate"))
      fill(name, parse_double(choice_.train_text("train.learning_rate")).value_or(0), "train.learning_rate");
    else if (name == "warmup_num_steps")
      fill_warmup();
    else if ((name == "total_num_steps" || name == "T_max") && total_steps_ > 0)
      fill(name, static_cast<double>(total_steps_), "train.steps");
    else if (*key.fallback)
      choice_.filled("scheduler.params." + name, key.fallback, "DeepSpeed's default");
  }

  // A warm-up of no steps is DeepSpeed's shortest: both end at update 2.
  void fill_warmup() {
    const bool ratio = choice_.has_train("train.warmup_ratio");
    if (choice_.has_train("train.warmup_steps"))
      fill("warmup_num_steps", std::max(1.0, static_cast<double>(warmup_steps())), "train.warmup_steps");
    else if (ratio && total_steps_ == 0)
      add({choice_.train_place("train.warmup_ratio") +
           ": the number of steps is not known yet; use train.warmup_steps"});
    else if (ratio)
      fill("warmup_num_steps", std::max(1.0, std::ceil(static_cast<double>(total_steps_) * warmup_ratio())),
           "train.warmup_ratio");
    else
      choice_.filled("scheduler.params.warmup_num_steps", "1000", "DeepSpeed's default");
  }

  void fill(const std::string& name, double value, const std::string& source) {
    out_.numbers.emplace_back(name, value);
    choice_.filled("scheduler.params." + name, number_text(value), source);
  }

  int64_t warmup_steps() const { return parse_int(choice_.train().text("train.warmup_steps")).value_or(0); }
  double warmup_ratio() const { return parse_double(choice_.train().text("train.warmup_ratio")).value_or(0); }

  Choice& choice_;
  int64_t total_steps_;
  ScheduleSettings out_;
  size_t problems_before_ = choice_.findings().problems.size();
};

}  // namespace

ScheduleSettings resolve_schedule(Choice& choice, int64_t total_steps) {
  Resolver resolver(choice, total_steps);
  if (const auto type = choice.word("scheduler.type")) return resolver.from_json(*type);
  return resolver.from_train();
}

bool sets_learning_rate(const ScheduleSettings& settings) {
  if (settings.type == "LRRangeTest" || settings.type == "OneCycle") return true;
  if (settings.type != "WarmupLR" && settings.type != "WarmupDecayLR") return false;
  return std::any_of(settings.numbers.begin(), settings.numbers.end(),
                     [](const auto& pair) { return pair.first == "warmup_max_lr"; });
}

}  // namespace ds
