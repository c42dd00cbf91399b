#include "agent/rank_server/rank_server.h"

#include <dirent.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "agent/channel.h"
#include "agent/environment.h"
#include "agent/job_folders.h"
#include "agent/leftovers.h"
#include "agent/networks.h"
#include "agent/proto/control.pb.h"
#include "agent/rank_server/local_generation.h"
#include "agent/rank_server/mpirun/mpirun_wireup.h"
#include "agent/rank_server/wireup.h"
#include "topology/base/error.h"

namespace ds {

namespace {

constexpr auto kDefaultGrace = std::chrono::milliseconds(1000);
constexpr auto kCleanUpLimit = std::chrono::milliseconds(4000);

uint32_t usable_cores() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  return sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? static_cast<uint32_t>(CPU_COUNT(&cpus)) : 1;
}

bool has_fast_fabric() {
  std::error_code error;
  const std::filesystem::directory_iterator devices("/sys/class/infiniband", error);
  return !error && devices != std::filesystem::directory_iterator();
}

NetworkChoice networks_for(const control::StartGeneration& start) {
  std::vector<std::string> own;
  std::vector<std::vector<std::string>> others;
  for (int node = 0; node < start.hosts_size(); ++node) {
    const auto& addresses = start.hosts(node).addresses();
    if (static_cast<uint32_t>(node) == start.node()) own.assign(addresses.begin(), addresses.end());
    else others.emplace_back(addresses.begin(), addresses.end());
  }
  return others.empty() ? NetworkChoice{} : choose_networks(own_networks(), own, others, start.interface());
}

class RankServer {
 public:
  explicit RankServer(const RankServerOptions& options)
      : options_(options),
        folders_(options.job, options.host_index, own_host_name()),
        channel_(Channel::create(io_, options.channel_fd, options.channel_fd, ChannelRole::kAgent, "")) {}

  int run() {
    prepare_pmix();
    channel_->start([this](const control::Envelope& message) { handle(message); },
                    [this](const std::string&) { agent_is_gone(); });
    const auto work = boost::asio::make_work_guard(io_);
    io_.run();
    return 0;
  }

 private:
  // Ahead of any generation: this takes tens of milliseconds that a start need not wait for.
  void prepare_pmix() {
    // Ranks need cores from the shared hwloc tree; probing for displays and GPUs costs more than all the rest.
    std::string left_out = "hwloc_gl.so,hwloc_opencl.so,hwloc_cuda.so,hwloc_nvml.so,hwloc_rsmi.so,hwloc_xml_libxml.so";
    if (!has_fast_fabric()) {  // nobody asks how near a network card is
      setenv("HWLOC_COMPONENTS", "-pci,-linuxio", 0);
      left_out += ",hwloc_pci.so";
    }
    setenv("HWLOC_PLUGINS_BLACKLIST", left_out.c_str(), 0);
    try {
      if (mkdir(folder_.c_str(), 0700) != 0) throw Error(ErrorCode::kInternal, "rank server: cannot create " + folder_);
      pmix_ = make_pmix_wireup(io_, folder_, options_.ports,
                               [this](const control::Envelope& message) { channel_->send(message); });
    } catch (const Error& error) {
      no_pmix_ = error;
    }
  }

  void handle(const control::Envelope& message) {
    switch (message.body_case()) {
      case control::Envelope::kStart:
        return start(message.start());
      case control::Envelope::kInput:
        return generation_ ? generation_->input(message.input()) : void();
      case control::Envelope::kOutputTaken:
        return generation_ ? generation_->output_taken(message.output_taken().bytes()) : void();
      case control::Envelope::kSignal:
        return generation_ ? generation_->signal(message.signal().signal()) : void();
      case control::Envelope::kEnd:
        return end(message.end());
      case control::Envelope::kBeat:
        return answer();
      case control::Envelope::kResume:
        return wireup_ ? wireup_->resume() : void();
      default:
        if (wireup_) wireup_->handle(message);
    }
  }

  // Several times a minute, while ranks run: also the moment to reap, without a timer that wakes an idle host up.
  void answer() {
    if (generation_) generation_->reap();
    control::Envelope message;
    message.mutable_beat_ack();
    channel_->send(message);
  }

  void start(const control::StartGeneration& start) {
    choose_wireup(start);
    if (!wireup_) return refuse();
    RankSurroundings surroundings;
    surroundings.job = options_.job;
    surroundings.host_index = options_.host_index;
    surroundings.usable_cores = usable_cores();
    surroundings.networks = networks_for(start);
    surroundings.fast_fabric = has_fast_fabric();
    generation_.emplace(io_, channel_, *wireup_, inherited_, start, surroundings, [this] { leave(); });
    generation_->begin();
  }

  void choose_wireup(const control::StartGeneration& start) {
    if (start.wireup() == "mpirun") {
      Environment environment = inherited_;
      set_all(environment, {start.env().begin(), start.env().end()});
      mpirun_ = std::make_unique<MpirunWireup>(
          io_,
          MpirunWireup::Options{folder_, options_.program, inherited_, get_or(environment, "PATH", "/usr/bin:/bin"),
                                options_.ports, networks_for(start)},
          channel_);
    }
    wireup_ = start.wireup() == "none" ? plain_.get() : start.wireup() == "mpirun" ? mpirun_.get() : pmix_.get();
  }

  void refuse() {
    control::Envelope message;
    message.mutable_failed()->set_reason(no_pmix_->what());
    message.mutable_failed()->set_exit_code(exit_status(no_pmix_->code()));
    channel_->send(message);
  }

  void end(const control::EndGeneration& end) {
    const auto grace = end.grace_ms() ? std::chrono::milliseconds(end.grace_ms()) : kDefaultGrace;
    if (generation_) return generation_->end(grace, std::chrono::milliseconds(end.trace_ms()));
    answer_ended(end.generation());
  }

  void answer_ended(uint32_t generation) {
    control::Envelope message;
    message.mutable_ended()->set_generation(generation);
    channel_->send(message);
    leave();
  }

  // Without unwinding: libpmix may be wedged, and its threads must not see their objects go.
  void leave() {
    channel_->flush([] { _exit(0); });
  }

  [[noreturn]] void agent_is_gone() {
    kill_leftovers({options_.job, options_.host_index}, {}, {}, kCleanUpLimit);
    folders_.remove_all();
    _exit(1);
  }

  RankServerOptions options_;
  const Environment inherited_ = own_environment();  // of the ranks; libpmix and we add to our own later
  JobFolders folders_;
  const std::string folder_ = folders_.host_folder() + "/server." + std::to_string(getpid());
  boost::asio::io_context io_;
  std::shared_ptr<Channel> channel_;
  std::unique_ptr<Wireup> plain_ = make_plain_wireup();
  std::unique_ptr<Wireup> pmix_, mpirun_;
  Wireup* wireup_ = nullptr;  // of the generation
  std::optional<Error> no_pmix_;  // why there is none
  std::optional<LocalGeneration> generation_;
};

}  // namespace

// This process ends by _exit; a library that calls exit would end all ranks and say nothing.
static void tell_of_exit() { std::fputs("a library called exit\n", stderr); }

int run_rank_server(const RankServerOptions& options) {
  std::atexit(tell_of_exit);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const int number : {SIGPIPE, SIGINT, SIGHUP, SIGTERM, SIGUSR1, SIGUSR2}) signal(number, SIG_IGN);
  return RankServer(options).run();
}

}  // namespace ds
