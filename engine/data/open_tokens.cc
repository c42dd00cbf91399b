#include <filesystem>
#include <utility>

#include "engine/data/indexed_source.h"
#include "engine/data/joined_source.h"
#include "engine/data/jsonl_source.h"
#include "engine/data/text_source.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

bool ends_with(const std::string& text, std::string_view ending) { return lower(text).ends_with(ending); }

// "corpus" means corpus.bin when only that exists.
bool is_indexed(const std::string& file, std::string& stem) {
  stem = file;
  if (ends_with(file, ".bin") || ends_with(file, ".idx")) {
    stem.resize(stem.size() - 4);
    return true;
  }
  std::error_code ignored;
  return !std::filesystem::exists(file, ignored) && std::filesystem::exists(file + ".bin", ignored);
}

std::unique_ptr<TokenSource> open_one(const std::string& file, const std::string& tokenizer) {
  std::string stem;
  if (is_indexed(file, stem)) return std::make_unique<IndexedSource>(stem);
  if (tokenizer != "bytes") {
    throw Error(ErrorCode::kUsage,
                "data: tokenizer=" + tokenizer + ": not supported yet for " + file + "; supported: bytes");
  }
  if (ends_with(file, ".jsonl")) return open_jsonl(file);
  return std::make_unique<TextSource>(file);
}

}  // namespace

std::unique_ptr<TokenSource> open_tokens(const std::vector<std::string>& files, const std::string& tokenizer) {
  if (files.empty()) throw Error(ErrorCode::kUsage, "data: no files given");
  std::vector<std::unique_ptr<TokenSource>> sources;
  for (const auto& file : files) sources.push_back(open_one(file, tokenizer));
  if (sources.size() == 1) return std::move(sources.front());
  return std::make_unique<JoinedSource>(std::move(sources));
}

}  // namespace ds
