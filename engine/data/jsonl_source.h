// The texts of a JSON-lines file (key "text" of the object on each line), one after another, as bytes.
#pragma once

#include <memory>
#include <string>

#include "engine/data/token_source.h"

namespace ds {

// Parses every line once to learn where each text begins in the stream; texts are decoded again when read, with the
// last one kept, so memory stays at 16 bytes a line. Blank lines are skipped; an empty text adds nothing. Throws kUsage
// "file:line" for a line that is not a JSON object with a string "text", and for a file without any text.
std::unique_ptr<TokenSource> open_jsonl(const std::string& path);

}  // namespace ds
