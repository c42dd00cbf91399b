#include "engine/data/text_source.h"

#include <algorithm>

#include "engine/data/stream_hash.h"
#include "topology/base/error.h"

namespace ds {

TextSource::TextSource(const std::string& path) : file_(path) {
  if (file_.size() == 0) throw Error(ErrorCode::kUsage, "data: empty: file=" + path + ": there is nothing to read");
}

void TextSource::read(int64_t offset, int64_t count, int64_t* out) const {
  std::copy_n(file_.data() + offset, count, out);
}

std::string TextSource::fingerprint() const { return "bytes:" + sampled_fingerprint(*this); }

}  // namespace ds
