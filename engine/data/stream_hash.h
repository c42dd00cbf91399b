// What identifies a stream's contents without reading all of it.
#pragma once

#include <string>

#include "engine/data/token_source.h"

namespace ds {

// "<tokens>:<hash>": the hash covers up to 64 runs of up to 64 tokens, spread evenly from the first to the last token.
std::string sampled_fingerprint(const TokenSource& source);

}  // namespace ds
