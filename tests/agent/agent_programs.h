// A real dsagent of a test that runs programs which know nothing of MPI.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/agent/fake_launcher.h"

namespace ds {

using Argv = std::vector<std::string>;

inline Argv sh(const std::string& script) { return {"/bin/sh", "-c", script}; }

class AgentRunsPrograms : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(launcher.wait_joined()); }
  void TearDown() override {
    EXPECT_TRUE(launcher.shut_down());
    EXPECT_EQ(launcher.leftovers(), "");
  }
  void give(const std::string& input, bool end) {
    control::Envelope message;
    message.mutable_input()->set_generation(1);
    message.mutable_input()->set_data(input);
    message.mutable_input()->set_end(end);
    launcher.send(message);
  }
  FakeLauncher launcher;
};

}  // namespace ds
