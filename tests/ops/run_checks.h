// What tests of operators ask of a run.
#pragma once

#include <hackle/core/error.h>
#include <hackle/ops/operator.h>

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace hackle {

inline double number(const Outputs& outputs, const char* name) {
  return outputs.result.find(name)->asNumber();
}

/// What an error says, which has a remedy; nothing if there is none.
inline std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    EXPECT_FALSE(e.remedy().empty()) << e.what();
    return e.what();
  }
  return "";
}

}  // namespace hackle
