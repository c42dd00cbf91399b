#include "hostfiles/hostfile.h"

#include <algorithm>
#include <map>

#include "hostfiles/host_name.h"
#include "hostfiles/hostfile_line.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr size_t kMaxHosts = 65536;  // different ones, and names that ranges stand for
constexpr size_t kMaxProblems = 30;  // a file of another kind would have one a line

// Collects lines into entries by the rules for hosts that are named more than once.
class HostfileReader {
 public:
  explicit HostfileReader(const std::string& file) : file_(file) {}

  HostfileResult read(std::string_view text) {
    int unclosed_line = 0;
    const std::vector<std::string> lines = split(without_comments(text, unclosed_line), '\n');
    for (size_t i = 0; i < lines.size() && problems_.size() < kMaxProblems && !too_many_; ++i)
      if (!trim(lines[i]).empty()) add_line(parse_hostfile_line(lines[i]), static_cast<int>(i) + 1);
    if (unclosed_line) refuse(unclosed_line, "'/*' without '*/'");
    finish();
    return std::move(result_);
  }

 private:
  std::string at(int line) const { return file_ + ":" + std::to_string(line) + ": "; }
  void refuse(int line, const std::string& cause) { problems_.push_back("hostfile " + at(line) + cause); }
  void refuse_more(int line) {
    refuse(line, "more than " + std::to_string(kMaxHosts) + " hosts");
    too_many_ = true;
  }
  void warn(int line, const std::string& what) { result_.warnings.push_back("hostfile " + at(line) + what); }

  void add_line(const HostfileLine& line, int number) {
    for (const std::string& problem : line.problems) refuse(number, problem);
    for (const std::string& warning : line.warnings) warn(number, warning);
    num_in_ranges_ += line.names.empty() ? 0 : line.names.size() - 1;
    if (num_in_ranges_ > kMaxHosts) return refuse_more(number);
    if (!line.problems.empty()) return;
    if (line.slots == 0) warn(number, "slots=0: no rank will run there");
    for (const std::string& name : line.names)
      if (!too_many_) add_host(name, line, number);
  }

  void add_host(const std::string& name, const HostfileLine& line, int number) {
    const auto [at, added] = index_.emplace(host_identity(name), result_.entries.size());
    if (added && at->second >= kMaxHosts) return refuse_more(number);
    if (added) {
      result_.entries.push_back({.name = name,
                                 .slots = line.slots,
                                 .max_slots = line.max_slots,
                                 .mentions = line.excluded ? 0 : 1,
                                 .port = line.port,
                                 .user = line.user,
                                 .excluded = line.excluded,
                                 .line = number});
      return;
    }
    HostfileEntry& entry = result_.entries[at->second];
    if (line.excluded) entry.excluded = true;
    else if (entry.mentions == 0) take_over(entry, name, line, number);
    else repeat(entry, name, line, number);
  }

  // The host was only excluded so far.
  void take_over(HostfileEntry& entry, const std::string& name, const HostfileLine& line, int number) {
    entry = {.name = name, .slots = line.slots, .max_slots = line.max_slots, .mentions = 1,
             .port = line.port, .user = line.user, .excluded = true, .line = number};
  }

  void repeat(HostfileEntry& entry, const std::string& name, const HostfileLine& line, int number) {
    const std::string where = " (lines " + std::to_string(entry.line) + " and " + std::to_string(number) + ")";
    if (lower(entry.name) != lower(name) && host_identity(name) == "localhost")
      return refuse(number, quote(name) + " and " + quote(entry.name) + " are the same host, this machine" + where);
    if (entry.slots && line.slots) return refuse(number, "host " + quote(name) + " is defined twice" + where);
    if (entry.slots || line.slots)
      return refuse(number, "host " + quote(name) + " is named with and without a number of slots" + where);
    if ((line.port && entry.port && line.port != entry.port) ||
        (!line.user.empty() && !entry.user.empty() && line.user != entry.user))
      return refuse(number, "host " + quote(name) + " has two ports or users" + where);
    if (line.port) entry.port = line.port;
    if (!line.user.empty()) entry.user = line.user;
    if (++entry.mentions == 2) warn(number, "host " + quote(name) + " is named again" + where + ": one slot each");
  }

  void finish() {
    bool any = false;
    for (const HostfileEntry& entry : result_.entries) {
      any |= !entry.excluded;
      if (entry.excluded && entry.mentions == 0)
        warn(entry.line, quote("^" + entry.name) + " excludes a host that the file does not name");
    }
    if (problems_.size() >= kMaxProblems) problems_.push_back("hostfile " + file_ + ": more problems are not shown");
    if (!any && problems_.empty())
      problems_.push_back("hostfile " + file_ + " has no hosts" +
                          (result_.entries.empty() ? "" : ": all are excluded"));
    throw_if_any("", problems_);
  }

  const std::string& file_;
  HostfileResult result_;
  std::map<std::string, size_t> index_;  // by identity
  size_t num_in_ranges_ = 0;             // names of ranges beyond the first: lines are as many as the text is long
  bool too_many_ = false;
  std::vector<std::string> problems_;
};

}  // namespace

HostfileResult parse_hostfile(std::string_view text, const std::string& file) {
  return HostfileReader(file).read(text);
}

Cluster hosts_of(const HostfileResult& hostfile, bool one_slot_per_line) {
  Cluster cluster;
  for (const HostfileEntry& entry : hostfile.entries) {
    if (entry.excluded) continue;
    Host host{
        .name = entry.name, .slots = entry.slots, .max_slots = entry.max_slots, .port = entry.port, .user = entry.user};
    if (!host.slots && one_slot_per_line) host.slots = entry.mentions;
    cluster.hosts.push_back(std::move(host));
  }
  return cluster;
}

}  // namespace ds
