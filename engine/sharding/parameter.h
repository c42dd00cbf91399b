// What a trainable tensor of the model is, independent of any rank, stage or world size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ds {

enum class Role { kMatrix, kEmbedding, kNorm, kBias, kOther };

// How a fresh weight starts: a pure function of (seed, name, element index).
struct Initialiser {
  enum class Kind { kNormal, kZeros, kOnes } kind = Kind::kZeros;
  double standard_deviation = 0;
};

struct Parameter {
  std::string name;             // Hugging Face name; checkpoints and exports use it
  std::vector<int64_t> shape;   // global, true shape as in Hugging Face files
  Role role = Role::kOther;
  bool trainable = true;
  bool decays = true;           // weight decay applies
  Initialiser initialiser;
  std::vector<std::string> aliases;  // other names of the same tensor (tied weights): accepted in files

  int64_t count() const {
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    return n;
  }
};

}  // namespace ds
