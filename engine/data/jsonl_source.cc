#include "engine/data/jsonl_source.h"

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/data/corpus_file.h"
#include "engine/data/stream_hash.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

[[noreturn]] void refuse(const std::string& path, int64_t line, const std::string& what) {
  throw Error(ErrorCode::kUsage, "data: bad line: " + path + ":" + std::to_string(line) + ": " + what);
}

std::string text_of(std::string_view line, const std::string& path, int64_t line_number) {
  nlohmann::json value;
  try {
    value = nlohmann::json::parse(line);
  } catch (const nlohmann::json::exception& error) {
    refuse(path, line_number, std::string("not JSON: ") + error.what());
  }
  if (!value.is_object()) refuse(path, line_number, "not an object; expected {\"text\": \"…\"}");
  const auto text = value.find("text");
  if (text == value.end()) refuse(path, line_number, "no key \"text\"");
  if (!text->is_string()) refuse(path, line_number, std::string("\"text\" is not a string but ") + text->type_name());
  return std::move(text->get_ref<std::string&>());
}

class JsonlSource : public TokenSource {
 public:
  explicit JsonlSource(const std::string& path) : file_(path) {
    const std::string_view all = file_.text();
    int64_t line_number = 0;
    for (size_t begin = 0; begin < all.size();) {
      const size_t end = std::min(all.find('\n', begin), all.size());
      ++line_number;
      const std::string_view line = all.substr(begin, end - begin);
      if (!trim(line).empty()) add_text(begin, text_of(line, path, line_number));
      begin = end + 1;
    }
    if (size_ == 0) throw Error(ErrorCode::kUsage, "data: empty: file=" + path + ": there is no text in it");
  }

  int64_t size() const override { return size_; }

  void read(int64_t offset, int64_t count, int64_t* out) const override {
    const std::lock_guard lock(mutex_);
    while (count > 0) {
      const auto after = std::upper_bound(text_starts_.begin(), text_starts_.end(), offset);
      const auto which = static_cast<size_t>(after - text_starts_.begin()) - 1;
      const std::string& text = decoded(which);
      const int64_t inside = offset - text_starts_[which];
      const int64_t taken = std::min(count, static_cast<int64_t>(text.size()) - inside);
      const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
      out = std::copy_n(bytes + inside, taken, out);
      offset += taken;
      count -= taken;
    }
  }

  std::string fingerprint() const override { return "bytes:" + sampled_fingerprint(*this); }
  std::string describe() const override { return file_.path(); }

 private:
  void add_text(size_t line_start, const std::string& text) {
    if (text.empty()) return;
    line_starts_.push_back(line_start);
    text_starts_.push_back(size_);
    size_ += static_cast<int64_t>(text.size());
  }

  const std::string& decoded(size_t which) const {
    if (which != last_) {
      const std::string_view rest = file_.text().substr(line_starts_[which]);
      last_text_ = text_of(rest.substr(0, rest.find('\n')), file_.path(), static_cast<int64_t>(which));
      last_ = which;
    }
    return last_text_;
  }

  CorpusFile file_;
  std::vector<size_t> line_starts_;   // bytes into the file, of lines with text
  std::vector<int64_t> text_starts_;  // tokens into the stream
  int64_t size_ = 0;
  mutable std::mutex mutex_;  // read() is const for callers; the text kept between calls is not their business
  mutable size_t last_ = static_cast<size_t>(-1);
  mutable std::string last_text_;
};

}  // namespace

std::unique_ptr<TokenSource> open_jsonl(const std::string& path) { return std::make_unique<JsonlSource>(path); }

}  // namespace ds
