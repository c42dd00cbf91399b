// A temporary folder with a small model, data and configuration files, and what functions complain about.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/train_config.h"

namespace ds::test {

class JobFolder {
 public:
  JobFolder();  // model/config.json (gpt2, 128 positions, vocabulary 257), corpus.txt (1001 bytes)
  ~JobFolder();
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;

  std::string path(const std::string& name) const;
  std::string write(const std::string& name, const std::string& content) const;  // makes folders; the path
  // corpus NAME.bin and NAME.idx of uint16 tokens.
  void write_indexed(const std::string& name, const std::vector<uint16_t>& tokens) const;

  // train.cfg with model, data, 10 steps, sequence length 32, learning rate 1e-3 and micro-batch 1, unless `json` is
  // given: then that DeepSpeed JSON. `more` is appended ("[train]\n…").
  std::string write_train_config(const std::string& json = "", const std::string& more = "") const;

 private:
  std::string root_;
};

using Overrides = std::vector<std::pair<std::string, std::string>>;

// The message of the ds::Error that `action` throws, "" when it throws none.
std::string complaint(const std::function<void()>& action);

bool contains(std::string_view text, std::string_view part);

}  // namespace ds::test
