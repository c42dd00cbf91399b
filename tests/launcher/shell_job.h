// Jobs made of shell scripts: their words, a mark in the environment of all they start, what they said.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/launcher/dslaunch_run.h"
#include "topology/base/text.h"

namespace ds::testing {

using Words = std::vector<std::string>;

inline Words shell(int ranks, const std::string& script, const Words& options = {}) {
  Words all = {"--oversubscribe", "-np", std::to_string(ranks)};
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(), {"/bin/sh", "-c", script});
  return all;
}

// Our own mark in the environment of everything a test starts.
inline std::string mark() {
  const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
  return std::string("DSLAUNCH_TEST_MARK=") + info->name() + std::to_string(::getpid()) + ".";
}

inline RunOptions marked(const std::string& input = "") {
  const std::string text = mark();
  const size_t equals = text.find('=');
  return {input, {{text.substr(0, equals), text.substr(equals + 1)}}, "/tmp"};
}

inline nlohmann::json last_json(const RunResult& result) {
  return nlohmann::json::parse(result.last_line(), nullptr, false);
}

inline Words sorted_lines(const std::string& text) {
  Words lines = split(trim(text), '\n');
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace ds::testing
