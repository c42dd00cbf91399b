// Nothing is deregistered at the end of a generation: after a rank died while it connected, that can hang for good, so
// the process ends instead.
#include "agent/rank_server/pmix_wireup.h"

#include <pmix.h>
#include <pmix_server.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "agent/job_folders.h"
#include "agent/networks.h"
#include "agent/rank_server/pmix_callbacks.h"
#include "agent/rank_server/pmix_job.h"
#include "topology/base/error.h"

namespace ds {

static constexpr size_t kFencesKept = 4;

static void check_pmix(pmix_status_t status, const char* what) {
  if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED)
    throw Error(ErrorCode::kInternal, std::string("pmix: ") + what + ": " + PMIx_Error_string(status));
}

PmixWireup::PmixWireup(boost::asio::io_context& io, const std::string& folder, const PortRange& ports,
                       std::function<void(const control::Envelope&)> send)
    : io_(io), folder_(folder), host_name_(own_host_name()), send_(std::move(send)), names_(io, send_) {
  if (!loopback_is_up())
    throw Error(ErrorCode::kUnavailable, "pmix: interface=lo on " + host_name_ +
                                             " is down: ranks reach their PMIx server over it; ip link set lo up");
  initialise(ports);
}

void PmixWireup::initialise(const PortRange& ports) {
  setenv("PMIX_MCA_gds", "hash", 1);  // no memory-mapped store: half the memory, same speed
  PmixInfo info;
  info.text(PMIX_SERVER_TMPDIR, folder_);
  info.text(PMIX_SYSTEM_TMPDIR, folder_);
  info.u32(PMIX_USERID, getuid());
  info.u32(PMIX_GRPID, getgid());
  info.text(PMIX_HOSTNAME, host_name_);
  info.flag(PMIX_SERVER_SHARE_TOPOLOGY, true);  // ranks take the hwloc tree from here
  if (ports.bounded()) {
    const int port = free_port(ports, PortUse::kServer);
    if (port == 0)
      throw Error(ErrorCode::kUnavailable, "pmix: no free port in --ports=" + std::to_string(ports.low) + "-" +
                                               std::to_string(ports.high) + " on " + host_name_ + ": all " +
                                               std::to_string(ports.high - ports.low + 1) +
                                               " are in use; the launcher takes one, each rank server another");
    info.integer(PMIX_TCP_IPV4_PORT, port);
  }
  check_pmix(PMIx_server_init(pmix_module(*this), info.data(), info.size()), "server_init");
  PMIx_Register_event_handler(nullptr, 0, nullptr, 0, ignore_pmix_event, nullptr, nullptr);
}

void PmixWireup::prepare(const control::StartGeneration& start, std::function<void(std::string)> ready) {
  start_ = start;
  names_.begin(start);
  ready_ = std::move(ready);
  mpirun_variables_ = mpirun_variables(start_);
  describe_job(job_, start_, host_name_, folder_);
  void* token = pmix_token([this](pmix_status_t status) {
    post(io_, [this, status] {
      if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED)
        return ready_(std::string("pmix: register_nspace: ") + PMIx_Error_string(status));
      register_clients();
    });
  });
  const auto status = PMIx_server_register_nspace(start_.name_space().c_str(), start_.ranks_size(), job_.data(),
                                                  job_.size(), pmix_run_token, token);
  if (status != PMIX_SUCCESS) pmix_run_token(status, token);
}

void PmixWireup::register_clients() {
  clients_left_ = start_.ranks_size();
  for (const auto& rank : start_.ranks()) {
    pmix_proc_t proc;
    PMIX_LOAD_PROCID(&proc, start_.name_space().c_str(), rank.rank());
    void* token =
        pmix_token([this](pmix_status_t status) { post(io_, [this, status] { client_registered(status); }); });
    const auto status = PMIx_server_register_client(&proc, getuid(), getgid(), nullptr, pmix_run_token, token);
    if (status != PMIX_SUCCESS) pmix_run_token(status, token);
  }
}

void PmixWireup::client_registered(pmix_status_t status) {
  if (!ready_) return;
  if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED)
    std::exchange(ready_, nullptr)(std::string("pmix: register_client: ") + PMIx_Error_string(status));
  else if (--clients_left_ == 0)
    std::exchange(ready_, nullptr)("");
}

void PmixWireup::extend(Environment& environment, uint32_t rank) {
  pmix_proc_t proc;
  PMIX_LOAD_PROCID(&proc, start_.name_space().c_str(), rank);
  char** added = static_cast<char**>(calloc(1, sizeof(char*)));
  const auto status = PMIx_server_setup_fork(&proc, &added);
  for (char** one = added; *one; ++one) set_one(environment, *one);
  PMIX_ARGV_FREE(added);
  check_pmix(status, "setup_fork");
  // Without a sign that somebody launched it, each rank of Open MPI 4.1 becomes a world of one and all of them exit 0;
  // this is the sign it believes for direct launch.
  environment["JSM_JSRUN_PORT"] = "1";
  for (const auto& [name, value] : mpirun_variables_) environment[name] = value;
}

void PmixWireup::rank_connected(uint32_t rank, bool finalized) {
  (finalized ? finalized_ : connected_).insert(rank);
  control::Envelope message;
  auto& body = *message.mutable_connected();
  body.set_generation(start_.generation());
  body.set_rank(rank);
  body.set_finalized(finalized);
  send_(message);
}

void PmixWireup::rank_aborted(uint32_t rank, int status, const std::string& text) {
  control::Envelope message;
  auto& body = *message.mutable_aborted();
  body.set_generation(start_.generation());
  body.set_rank(rank);
  body.set_status(status);
  body.set_message(text);
  send_(message);
}

void PmixWireup::spawn_refused(uint32_t rank) {
  control::Envelope message;
  auto& body = *message.mutable_output();
  body.set_generation(start_.generation());
  body.set_rank(rank);
  body.set_is_stderr(!start_.merge_stderr());
  body.set_data("dslaunch: rank " + std::to_string(rank) +
                " called MPI_Comm_spawn: only a job with --wireup mpirun can start further processes\n");
  send_(message);
}

void PmixWireup::fence(PmixFence fence) {
  std::set<uint32_t> nodes;
  for (const uint32_t rank : fence.ranks) nodes.insert(node_of_rank(start_, rank));
  for (int node = 0; fence.ranks.empty() && node < start_.hosts_size(); ++node)
    nodes.insert(static_cast<uint32_t>(node));
  const std::string key = fence.key + "#" + std::to_string(fence_numbers_[fence.key]++);
  control::Envelope message;
  auto& body = *message.mutable_fence();
  body.set_generation(start_.generation());
  body.set_key(key);
  for (const uint32_t node : nodes) body.add_nodes(node);
  body.set_node(start_.node());
  body.set_status(fence.local_status);
  body.set_data(fence.data);
  open_fences_[key] = {fence.answer, message};
  send_(message);
}

void PmixWireup::data_wanted(uint32_t rank, PmixDataCall call) {
  const uint32_t id = next_id_++;
  control::Envelope message;
  auto& body = *message.mutable_modex();
  body.set_generation(start_.generation());
  body.set_id(id);
  body.set_rank(rank);
  body.set_asking_node(start_.node());
  body.set_owner_node(node_of_rank(start_, rank));
  open_requests_[id] = {call, message};
  send_(message);
}

void PmixWireup::give_data(const control::Modex& request) {
  control::Envelope answer;
  auto& body = *answer.mutable_modex_done();
  body.set_generation(request.generation());
  body.set_id(request.id());
  body.set_asking_node(request.asking_node());
  using Then = std::function<void(pmix_status_t, std::string)>;
  auto* then = new Then([this, answer](pmix_status_t status, std::string data) mutable {
    answer.mutable_modex_done()->set_status(status);
    answer.mutable_modex_done()->set_data(std::move(data));
    post(io_, [this, answer = std::move(answer)] { send_(answer); });
  });
  pmix_proc_t proc;
  PMIX_LOAD_PROCID(&proc, start_.name_space().c_str(), request.rank());
  const auto on_data = [](pmix_status_t status, char* data, size_t size, void* token) {
    const std::unique_ptr<Then> then(static_cast<Then*>(token));
    (*then)(status, data ? std::string(data, size) : std::string());
  };
  const auto status = PMIx_server_dmodex_request(&proc, on_data, then);
  if (status != PMIX_SUCCESS) on_data(status, nullptr, 0, then);
}

void PmixWireup::fence_done(const OpenFence& fence, const control::FenceDone& done) {
  done_fences_.push_back(fence.message);
  done_fences_.back().mutable_fence()->set_over(true);
  if (done_fences_.size() > kFencesKept) done_fences_.pop_front();
  fence.answer(done.status(), done.data());
}

// A launcher that died may have had a fence from some hosts only, or told its end to some only.
void PmixWireup::resume() {
  for (const control::Envelope& message : done_fences_) send_(message);
  for (const auto& [key, fence] : open_fences_) send_(fence.message);
  for (const auto& [id, request] : open_requests_) send_(request.message);
}

void PmixWireup::handle(const control::Envelope& message) {
  if (message.has_fence_done()) {
    const auto& body = message.fence_done();
    if (const auto fence = open_fences_.extract(body.key())) fence_done(fence.mapped(), body);
  } else if (message.has_modex()) {
    give_data(message.modex());
  } else if (message.has_modex_done()) {
    const auto& body = message.modex_done();
    if (const auto call = open_requests_.extract(body.id())) call.mapped().call.answer(body.status(), body.data());
  } else if (message.has_publish_done()) {
    names_.take(message.publish_done());
  } else if (message.has_lookup_done()) {
    names_.take(message.lookup_done());
  }
}

std::unique_ptr<Wireup> make_pmix_wireup(boost::asio::io_context& io, const std::string& folder, const PortRange& ports,
                                         std::function<void(const control::Envelope&)> send) {
  return std::make_unique<PmixWireup>(io, folder, ports, std::move(send));
}

std::string pmix_version() { return PMIx_Get_version(); }

}  // namespace ds
