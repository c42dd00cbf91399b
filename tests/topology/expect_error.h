// Expectations about errors: of which code, and which words the message holds.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "topology/base/error.h"

namespace ds {

// The message of the kUsage Error that `action` throws; fails the test when it throws nothing or something else.
inline std::string usage_error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

inline void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' is not in: " << message;
}

}  // namespace ds
