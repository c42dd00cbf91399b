#include <gtest/gtest.h>

#include "hostfiles/hostfile.h"
#include "tests/support/places.h"
#include "tests/topology/expect_error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

std::string sample(const std::string& name) {
  return read_file((test::source_folder() / "hostfiles/samples" / name).string());
}

std::string hosts(const std::string& name) {
  std::string result;
  for (const Host& host : hosts_of(parse_hostfile(sample(name), name), true).hosts)
    result += host.name + ":" + std::to_string(host.slots.value_or(-1)) + " ";
  return result;
}

TEST(SampleHostfiles, MeanWhatTheirCommentsSay) {
  EXPECT_EQ(hosts("two_hosts"), "worker-1:4 worker-2:4 ");
  EXPECT_EQ(hosts("bare_names"), "alpha:1 beta:2 ");
  EXPECT_EQ(hosts("everything"), "node01:8 node02:8 node04:8 login:1 2001:db8::10:2 ");
  EXPECT_EQ(hosts("windows_editor"), "a:2 b:1 ");
}

TEST(SampleHostfiles, ShowEachMistakeWithItsLine) {
  const std::string message = usage_error_of([] { hosts("mistakes"); });
  expect_words(message, {"mistakes:2: slots='two'", "mistakes:3: unknown key 'lots'", "mistakes:4: 'c,d'", "mistakes:6: host 'e'", "mistakes:7:"});
}

}  // namespace
}  // namespace ds
