#include "launcher/reach/agent_processes.h"

#include <algorithm>
#include <csignal>
#include <ranges>
#include <utility>

#include "agent/authentication.h"
#include "agent/bootstrap.h"
#include "agent/channel.h"
#include "agent/event_loop.h"
#include "agent/oom_kills.h"
#include "agent/proto/control.pb.h"
#include "launcher/plan/job_identity.h"
#include "agent/marker_scan.h"
#include "topology/base/hex.h"

namespace ds {

AgentProcesses::AgentProcesses(boost::asio::io_context& io, const FleetOptions& options, uint64_t open_files,
                               AgentProcessEvents events)
    : io_(io), options_(options), open_files_(open_files), events_(std::move(events)) {
  local_ = local_starter(options_.agent_here);
  remote_ = options_.slurm ? srun_starter(options_.agent_there, gpus_of_slurm_job())
                           : ssh_starter(options_.ssh, options_.agent_there);
  resident_ = resident_starter(options_.agent_here, options_.residents);
  for (size_t host = 0; host < options_.hosts.size() && !options_.slurm; ++host)
    if (!options_.local[host]) (is_warm(host) ? warm_ : by_ssh_).push_back(static_cast<int>(host));
}

AgentProcesses::~AgentProcesses() = default;

void AgentProcesses::start_none(int port) { port_ = port; }

void AgentProcesses::start_others(int port) {
  port_ = port;
  std::vector<int> here, there;
  for (size_t host = 0; host < options_.hosts.size(); ++host)
    (options_.local[host] ? here : there).push_back(static_cast<int>(host));
  for (const AgentCommand& plan : local_->commands(options_.hosts, here)) start_one(plan);
  if (!options_.slurm) return;
  for (const AgentCommand& plan : remote_->commands(options_.hosts, there)) start_one(plan);
}

void AgentProcesses::start(int host) {
  const bool by_call = is_warm(static_cast<size_t>(host)) && called_.insert(host).second;
  if (!by_call) by_ssh_again_.insert(host);
  for (const AgentCommand& plan : (by_call ? *resident_ : *remote_).commands(options_.hosts, {host})) start_one(plan);
}

void AgentProcesses::start_again(int host) {
  if (!options_.local[host]) by_ssh_again_.insert(host);
  for (auto& helper : helpers_)
    if (helper->plan.hosts == std::vector<int>{host}) helper->superseded = true;
  sweep(host, [this, host] {
    if (ending_) return;
    try {
      for (const AgentCommand& plan : (options_.local[host] ? *local_ : *remote_).commands(options_.hosts, {host}))
        start_one(plan);
    } catch (const std::exception&) {  // it does not come, and is asked for once more
    }
  });
}

bool AgentProcesses::is_warm(size_t host) const {
  return host < options_.residents.size() && !options_.residents[host].empty();
}

const AgentStarter& AgentProcesses::starter_of(int host) const {
  if (options_.local[host]) return *local_;
  return called_.count(host) && !by_ssh_again_.count(host) ? *resident_ : *remote_;
}

std::vector<std::string> AgentProcesses::command_from_elsewhere(int host) const {
  return remote_->commands(options_.hosts, {host}).at(0).command.argv;
}

void AgentProcesses::start_one(const AgentCommand& plan) {
  std::string marker = "dslaunch-" + to_hex(random_bytes(12));
  Helper& helper = *helpers_.emplace_back(std::make_unique<Helper>());
  helper.plan = plan;
  helper.plan.command.open_files = open_files_;
  helper.scan = std::make_unique<MarkerScan>(marker);
  HelperProcess::Events events;
  events.on_stdout = [this, &helper](const std::string& bytes) { take_stdout(helper, bytes); };
  events.on_end = [this, &helper] {
    if (helper.superseded) return events_.on_swept();
    events_.on_end(helper.plan.hosts, helper.process->said(), helper.process->exit_code());
  };
  helper.process = std::make_unique<HelperProcess>(io_, helper.plan.command, std::move(events));
  helper.process->write_stdin(bootstrap_for(plan, marker));
}

std::string AgentProcesses::bootstrap_for(const AgentCommand& plan, const std::string& marker) const {
  control::Bootstrap bootstrap;
  bootstrap.set_protocol(kProtocolVersion);
  bootstrap.set_build(build_id());
  bootstrap.set_job(options_.job);
  bootstrap.set_key(options_.key);
  bootstrap.set_host_index(plan.finds_own_host ? 0xffffffffu : static_cast<uint32_t>(plan.hosts[0]));
  if (plan.finds_own_host)
    for (const Host& host : options_.hosts) bootstrap.add_host_names(host.node.empty() ? host.name : host.node);
  if (plan.on_this_machine) bootstrap.add_addresses("127.0.0.1");
  else
    for (const std::string& address : options_.addresses) bootstrap.add_addresses(address);
  bootstrap.set_port(static_cast<uint32_t>(port_));
  bootstrap.set_elastic(options_.outlives_launcher);
  bootstrap.set_lease_ms(static_cast<uint32_t>(options_.agent_lease.count()));
  bootstrap.set_beat_ms(static_cast<uint32_t>(options_.beat.count()));
  bootstrap.set_marker(marker);
  if (options_.ports) {
    bootstrap.set_first_port(static_cast<uint32_t>(options_.ports->first));
    bootstrap.set_last_port(static_cast<uint32_t>(options_.ports->second));
  }
  return encode_bootstrap(bootstrap);
}

void AgentProcesses::take_stdout(Helper& helper, const std::string& bytes) {
  if (!(helper.plan.carries_frames || helper.plan.has_other_way) || !helper.scan->feed(bytes)) return;
  if (helper.plan.has_other_way) return helper.process->kill(SIGTERM);
  auto [read_fd, write_fd] = helper.process->take_streams();
  events_.on_streams(read_fd, write_fd);
}

void AgentProcesses::release(int host, bool at_once) {
  for (auto& helper : helpers_) {
    if (helper->plan.hosts != std::vector<int>{host} || helper->process->ended()) continue;
    helper->process->close_stdin();
    if (at_once) helper->process->kill(SIGKILL);
  }
}

void AgentProcesses::end_those_without(const std::function<bool(int host)>& has_agent) {
  ending_ = true;
  for (auto& helper : helpers_) {
    if (std::any_of(helper->plan.hosts.begin(), helper->plan.hosts.end(), has_agent)) continue;
    helper->process->close_stdin();
    helper->process->kill(SIGTERM);
  }
}

// An srun waits for a node that died until Slurm has noticed.
void AgentProcesses::kill_shared(const std::function<bool(int host)>& gone, const std::function<bool(int host)>& lost) {
  for (auto& helper : helpers_) {
    const std::vector<int>& hosts = helper->plan.hosts;
    if (hosts.size() > 1 && std::all_of(hosts.begin(), hosts.end(), gone) &&
        std::any_of(hosts.begin(), hosts.end(), lost))
      helper->process->kill(SIGKILL);
  }
}

void AgentProcesses::sweep(int host, std::function<void()> then) {
  Sweep& sweep = *sweeps_.emplace_back(std::make_unique<Sweep>());
  sweep.timer = std::make_unique<Timer>(io_);
  auto finish = [this, &sweep, host, then = std::move(then)] {
    if (sweep.done) return;
    sweep.done = true;
    if (sweep.process->exit_code() == 0) swept_.insert(host);
    events_.on_oom_kills(host, oom_kills_told(sweep.process->said()));
    sweep.process->kill(SIGKILL);
    release(host, true);
    events_.on_swept();
    if (then) then();
  };
  try {
    HelperProcess::Events events{{}, [this, finish] { post(io_, finish); }};
    sweep.process = std::make_unique<HelperProcess>(io_, starter_of(host).sweep(options_.hosts, host, options_.job),
                                                    std::move(events));
    sweep.timer->after(options_.sweep_limit, finish);
  } catch (const std::exception&) {  // the host cleans up by its own lease then
    sweep.done = true;
  }
}

std::string AgentProcesses::said_about(int host) const {
  for (const auto& helper : std::views::reverse(helpers_))  // the newest
    if (std::find(helper->plan.hosts.begin(), helper->plan.hosts.end(), host) != helper->plan.hosts.end())
      return helper->process->said();
  return "";
}

bool AgentProcesses::all_gone() const {
  return std::all_of(helpers_.begin(), helpers_.end(), [](const auto& helper) { return helper->process->ended(); }) &&
         std::all_of(sweeps_.begin(), sweeps_.end(), [](const auto& sweep) { return sweep->done; });
}

std::vector<int> AgentProcesses::hosts_left() const {
  std::vector<int> hosts;
  for (const auto& helper : helpers_)
    if (!helper->process->ended()) hosts.insert(hosts.end(), helper->plan.hosts.begin(), helper->plan.hosts.end());
  return hosts;
}

}  // namespace ds
