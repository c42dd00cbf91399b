#include <gtest/gtest.h>

#include "agent/resident/resident_record.h"
#include "agent/resident/sealed.h"
#include "tests/topology/expect_error.h"
#include "topology/base/error.h"

namespace ds {
namespace {

const std::string kKey(32, 'k'), kOther(32, 'o'), kSecret("the key of a job\0and more", 25);

TEST(Sealed, OpensWithItsKeyAlone) {
  const std::string sealed = seal(kKey, kSecret);
  EXPECT_EQ(unseal(kKey, sealed), kSecret);
  EXPECT_EQ(sealed.find(kSecret), std::string::npos);
  EXPECT_THROW(unseal(kOther, sealed), Error);
  EXPECT_NE(seal(kKey, kSecret), sealed) << "every message has its own nonce";
  EXPECT_EQ(unseal(kKey, seal(kKey, "")), "");
}

TEST(Sealed, TellsEveryChangedByte) {
  const std::string sealed = seal(kKey, kSecret);
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_THROW(unseal(kKey, changed), Error) << i;
    EXPECT_THROW(unseal(kKey, sealed.substr(0, i)), Error) << i;
  }
}

TEST(ResidentRecord, ReadsWhatItWrites) {
  ResidentRecord record;
  record.host = "node2";
  record.user = "me";
  record.addresses = {"10.0.0.2", "fd00::2"};
  record.port = 4711;
  record.pid = 12;
  record.program = "/opt/with blanks/dsagent";
  record.build = "abc";
  record.key = std::string("\0\1\xff", 3);
  record.started = 1700000000;
  EXPECT_EQ(parse_record(record_text(record), "file"), record);
  record.user = record.key = "";
  EXPECT_EQ(parse_record(record_text(record), "file"), record);
}

TEST(ResidentRecord, RefusesWhatIsNone) {
  for (const char* text : {"", "port", "port 0", "port 70000", "port x", "port 5\nunknown 3", "port 5\nkey zz", "pid 4"})
    EXPECT_THROW(parse_record(text, "agents/node2"), Error) << text;
  const std::string error = usage_error_of([] { parse_record("port 5\nnonsense\n", "agents/node2"); });
  EXPECT_NE(error.find("agents/node2:2"), std::string::npos) << error;
}

}  // namespace
}  // namespace ds
