// Bytes of a control connection -> frames -> messages, as agent/channel.cc reads them.
#include <google/protobuf/stubs/logging.h>

#include <string>
#include <vector>

#include "agent/frame.h"
#include "agent/proto/control.pb.h"
#include "tests/fuzz/expect.h"

namespace ds::fuzz {
namespace {

// The payloads up to the end or the first refusal, when bytes come in pieces.
std::vector<std::string> payloads_of(std::string_view bytes, const std::string& key, size_t piece) {
  FrameReader reader(key);
  std::vector<std::string> payloads;
  answer_of([&] {
    for (size_t at = 0; at < bytes.size(); at += piece) {
      reader.feed(bytes.substr(at, piece));
      while (auto payload = reader.next()) payloads.push_back(std::move(*payload));
    }
    return true;
  }, ErrorCode::kCorrupt);
  return payloads;
}

std::string frames_of(const std::vector<std::string>& payloads, const std::string& key) {
  FrameWriter writer(key);
  std::string bytes;
  for (const std::string& payload : payloads) bytes += writer.frame(payload);
  return bytes;
}

void check_message(const std::string& payload) {
  control::Envelope message, again;
  if (!message.ParseFromString(payload)) return;
  const std::string written = message.SerializeAsString();
  require(again.ParseFromString(written) && again.SerializeAsString() == written,
          "a message is read as it was written");
}

}  // namespace
}  // namespace ds::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ds::fuzz;
  google::protobuf::SetLogHandler(nullptr);  // it prints what it refuses
  const std::string_view bytes = text_of(data, size);
  const std::string key(32, 'k');
  const auto payloads = payloads_of(bytes, "", size + 1);
  require(payloads == payloads_of(bytes, "", 7), "frames do not depend on how their bytes are cut");
  require(bytes.starts_with(frames_of(payloads, "")), "frames are written as they were read");
  require(payloads == payloads_of(frames_of(payloads, key), key, 4096), "frames with a MAC come out as they went in");
  require(payloads_of(bytes, key, size + 1).empty(), "nothing is delivered without a MAC of the key");
  for (const std::string& payload : payloads) check_message(payload);
  return 0;
}
