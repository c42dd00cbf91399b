#include "launcher/agents_command.h"

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

#include "agent/channel.h"
#include "hostfiles/rankfile.h"
#include "hostfiles/slurm_step.h"
#include "launcher/output/console.h"
#include "launcher/plan/ancestors.h"
#include "launcher/plan/hosts_from.h"
#include "launcher/job/job_client.h"
#include "launcher/records/job_file.h"
#include "launcher/plan/job_identity.h"
#include "launcher/plan/local_machine.h"
#include "launcher/options/options.h"
#include "launcher/reach/resident_files.h"
#include "launcher/reach/resident_starts.h"
#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/discover_hwloc.h"

namespace ds {
namespace {

using Words = std::vector<std::string>;

constexpr int kTryLater = 75;
constexpr std::chrono::seconds kAnswerLimit{5};
constexpr int64_t kDefaultIdle = 12 * 3600, kMostIdle = 30 * 86400;
constexpr const char* kAgentsUsage =
    "dslaunch agents start [--idle 12h] [--hostfile f | -H a,b] [--ssh s] [--prefix p] [--ports a-b] | stop [HOST ...] "
    "| list [--json]";

[[noreturn]] void refuse(const std::string& problem) { throw Error(ErrorCode::kUsage, problem + "; " + kAgentsUsage); }

// "90", "30m", "12h", "2d"; "0": for ever.
int64_t seconds_of(const std::string& text) {
  int64_t unit = 1;
  std::string number = text;
  for (const auto& [letter, seconds] : {std::pair('s', 1), {'m', 60}, {'h', 3600}, {'d', 86400}})
    if (!text.empty() && text.back() == letter) {
      unit = seconds;
      number.pop_back();
    }
  const std::optional<int64_t> count = parse_int(number);
  if (!count || *count < 0 || *count > kMostIdle / unit)
    refuse("option --idle=" + text + ": must be a time up to 30d: 90, 30m, 12h, 2d");
  return *count * unit;
}

JobFile as_job(const ResidentRecord& record) {
  JobFile file;
  file.job = "agent";
  file.host = record.host;
  file.addresses = record.addresses;
  file.port = record.port;
  file.key = record.key;
  return file;
}

struct ResidentState {
  int jobs = 0;
  std::string refused;  // a sentence about connections, "" = none
};

// nullopt when it does not answer.
std::optional<ResidentState> ask(const ResidentRecord& record, const std::string& what) {
  try {
    const std::string text = ask_job(as_job(record), what, {}, kAnswerLimit).text;
    const size_t end = std::min(text.find('\n'), text.size());
    return ResidentState{static_cast<int>(parse_int(text.substr(0, end)).value_or(0)),
                         text.substr(std::min(end + 1, text.size()))};
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::vector<Host> remote_hosts(const Options& options, Console& console) {
  const auto environment = without_stale_step(environment_map(), titles_of_ancestors());
  const HostSource source = hosts_from(options, environment, discover_host(), std::nullopt);
  if (source.slurm)
    refuse("inside a Slurm allocation one srun step starts the agents of a job; resident agents would outlive it");
  for (const std::string& warning : source.warnings) console.note("warning: " + warning);
  std::vector<Host> hosts;
  for (const Host& host : source.cluster.hosts)
    if (is_this_machine(host.name, local_addresses())) console.note(host.name + " is this machine, which needs none");
    else hosts.push_back(host);
  return hosts;
}

int start(Words words, Console& console) {
  int64_t idle = kDefaultIdle;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "--idle") continue;
    if (i + 1 == words.size()) refuse("option --idle needs a value");
    idle = seconds_of(words[i + 1]);
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i), words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    break;
  }
  words.push_back("true");  // options need a program
  const Options options = parse_options(words);
  if (options.programs.size() != 1 || options.programs[0].argv != Words{"true"})
    refuse("agents start takes options alone");
  ResidentOptions wanted;
  wanted.ssh = options.ssh;
  wanted.program = (options.prefix.empty() ? program_folder() : options.prefix + "/bin") + "/dsagent";
  wanted.idle_seconds = static_cast<uint32_t>(idle);
  wanted.ports = options.ports;
  wanted.limits = options.start;
  const std::string folder = resident_folder();
  if (folder.empty()) refuse("no home folder to keep the agents' keys in: set XDG_STATE_HOME");
  std::vector<Host> hosts;
  std::vector<ResidentRecord> there = read_residents(folder);
  for (const Host& host : remote_hosts(options, console)) {
    const auto old =
        std::find_if(there.begin(), there.end(), [&](const auto& one) { return lower(one.host) == lower(host.name); });
    const bool usable =
        old != there.end() && old->user == host.user && old->program == wanted.program && old->build == build_id();
    if (usable && ask(*old, "status")) {
      console.out(host.name + ": there already, pid " + std::to_string(old->pid) + ", port " +
                  std::to_string(old->port) + "\n");
      continue;
    }
    if (old != there.end()) ask(*old, "stop");  // of another build: it leaves when its jobs have ended
    hosts.push_back(host);
  }
  const ResidentStarts result = start_residents(hosts, wanted);
  for (const ResidentRecord& record : result.started) {
    write_resident(folder, record);
    console.out(record.host + ": started, pid " + std::to_string(record.pid) + ", port " + std::to_string(record.port) +
                "\n");
  }
  if (result.failures.empty()) return 0;
  console.error(describe_reach_failures(result.failures));
  return kTryLater;
}

std::vector<ResidentRecord> chosen(const Words& hosts) {
  std::vector<ResidentRecord> all = read_residents(resident_folder()), result;
  if (hosts.empty()) return all;
  for (const std::string& host : hosts) {
    const auto one =
        std::find_if(all.begin(), all.end(), [&](const auto& record) { return lower(record.host) == lower(host); });
    if (one == all.end()) refuse("no resident agent on " + host + " is known");
    result.push_back(*one);
  }
  return result;
}

int stop(const Words& words, Console& console) {
  bool all_answered = true;
  for (const ResidentRecord& record : chosen(words)) {
    const std::optional<ResidentState> state = ask(record, "stop");
    all_answered &= state.has_value();
    console.out(record.host + (!state ? ": does not answer; forgotten, it ends by its idle time if it still runs"
                               : state->jobs ? ": leaves when its jobs have ended: " + std::to_string(state->jobs)
                                             : ": stopped") + "\n");
    remove_resident(resident_folder(), record.host);
  }
  return all_answered ? 0 : kTryLater;
}

int list(const Words& words, Console& console) {
  const bool json = words == Words{"--json"};
  if (!json && !words.empty()) refuse("agents list: unknown word " + words[0]);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::string text;
  for (const ResidentRecord& record : read_residents(resident_folder())) {
    const std::optional<ResidentState> asked = ask(record, "status");
    const ResidentState told = asked.value_or(ResidentState{});
    const int64_t minutes = (time(nullptr) - record.started) / 60;
    const std::string state = !asked ? "no answer" : record.build != build_id() ? "another build" : "ready";
    rows.push_back({{"host", record.host},
                    {"pid", record.pid},
                    {"port", record.port},
                    {"state", state},
                    {"jobs", told.jobs},
                    {"started", record.started},
                    {"refused", told.refused}});
    text += record.host + ": " + state + ", pid " + std::to_string(record.pid) + ", port " +
            std::to_string(record.port) + ", jobs " + std::to_string(told.jobs) + ", started " +
            std::to_string(minutes) + " min ago" + (told.refused.empty() ? "" : "; " + told.refused) + "\n";
  }
  console.out(json ? rows.dump() + "\n" : text.empty() ? "no resident agents\n" : text);
  return 0;
}

}  // namespace

int agents_command(const Words& arguments, Console& console) {
  if (arguments.empty()) refuse("agents needs a word: start, stop or list");
  const Words rest(arguments.begin() + 1, arguments.end());
  if (arguments[0] == "start") return start(rest, console);
  if (arguments[0] == "stop") return stop(rest, console);
  if (arguments[0] == "list") return list(rest, console);
  refuse("agents " + arguments[0] + ": unknown word");
}

}  // namespace ds
