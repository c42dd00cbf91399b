#include "agent/frame.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "agent/channel.h"
#include "topology/base/error.h"

namespace ds {

static const std::string kKey(32, 'k');

static std::vector<std::string> read_all(FrameReader& reader, const std::string& bytes) {
  std::vector<std::string> payloads;
  reader.feed(bytes);
  while (auto payload = reader.next()) payloads.push_back(*payload);
  return payloads;
}

static std::string hex_of(const std::string& bytes) {
  std::string hex;
  for (const unsigned char c : bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", c);
    hex += two;
  }
  return hex;
}

TEST(Hmac, MatchesTheSecondVectorOfRfc4231) {
  EXPECT_EQ(hex_of(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Hmac, HashesAKeyLongerThanABlockFirst) {  // vector 6
  EXPECT_EQ(hex_of(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Hmac, OfPartsIsThatOfTheWholeAndEachMessageStartsAnew) {
  const MessageMac mac("key");
  EXPECT_EQ(mac.of({"ab", "", "c"}), hmac_sha256("key", "abc"));
  EXPECT_EQ(mac.of({"abc"}), hmac_sha256("key", "abc"));
}

TEST(Frames, ComeOutAsTheyWentInHoweverTheBytesAreCut) {
  for (const std::string& key : {kKey, std::string()}) {
    FrameWriter writer(key);
    const std::vector<std::string> payloads = {"", "a", std::string(100000, 'x'), std::string("\0\n", 2)};
    std::string bytes;
    for (const auto& payload : payloads) bytes += writer.frame(payload);
    for (const size_t piece : {size_t{1}, size_t{7}, size_t{4096}, bytes.size()}) {
      FrameReader reader(key);
      std::vector<std::string> got;
      for (size_t at = 0; at < bytes.size(); at += piece)
        for (auto& payload : read_all(reader, bytes.substr(at, piece))) got.push_back(payload);
      EXPECT_EQ(got, payloads) << "pieces of " << piece;
    }
  }
}

TEST(Frames, ATruncatedFrameIsNeverDelivered) {
  const std::string bytes = FrameWriter(kKey).frame("payload");
  for (size_t length = 0; length < bytes.size(); ++length) {
    FrameReader reader(kKey);
    EXPECT_TRUE(read_all(reader, bytes.substr(0, length)).empty()) << length;
  }
}

TEST(Frames, AFlippedBitIsNeverDelivered) {
  const std::string bytes = FrameWriter(kKey).frame("payload");
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    FrameReader reader(kKey);
    try {
      // A flipped length may only make the reader wait for more.
      EXPECT_TRUE(read_all(reader, damaged).empty()) << "bit " << bit;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    }
  }
}

TEST(Frames, AnotherKeyIsRefused) {
  FrameReader reader(std::string(32, 'l'));
  EXPECT_THROW(read_all(reader, FrameWriter(kKey).frame("payload")), Error);
}

TEST(Frames, ARepeatedFrameIsRefused) {
  const std::string bytes = FrameWriter(kKey).frame("payload");
  FrameReader reader(kKey);
  EXPECT_EQ(read_all(reader, bytes).size(), 1u);
  EXPECT_THROW(read_all(reader, bytes), Error);
}

TEST(Frames, AMissingFrameIsNoticed) {
  FrameWriter writer(kKey);
  writer.frame("first");
  FrameReader reader(kKey);
  EXPECT_THROW(read_all(reader, writer.frame("second")), Error);
}

TEST(Frames, AnImpossibleLengthIsRefusedBeforeItsBytesAreWaitedFor) {
  FrameReader reader(kKey);
  EXPECT_THROW(read_all(reader, std::string("\xff\xff\xff\xff", 4)), Error);
}

TEST(Frames, RandomBytesNeverCrash) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::string bytes(random() % 200, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    if (bytes.size() > 3) bytes[2] = bytes[3] = 0;  // lengths that could be real
    FrameReader reader(kKey);
    try {
      EXPECT_TRUE(read_all(reader, bytes).empty());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    }
  }
}

}  // namespace ds
