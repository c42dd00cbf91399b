// The state behind the embedded PMIx server of one generation: ranks seen, fences and requests on their way. Everything
// here belongs to the thread of the io_context; pmix_callbacks.cc brings it what libpmix's own thread says.
#pragma once

#include <deque>
#include <map>
#include <set>

#include "agent/event_loop.h"
#include "agent/proto/control.pb.h"
#include "agent/rank_server/pmix_calls.h"
#include "agent/rank_server/pmix_info.h"
#include "agent/rank_server/pmix_names.h"
#include "agent/rank_server/wireup.h"

namespace ds {

class PmixWireup final : public Wireup {
 public:
  // Starts the server, which takes tens of milliseconds; throws kInternal or kUnavailable.
  PmixWireup(boost::asio::io_context& io, const std::string& folder, const PortRange& ports,
             std::function<void(const control::Envelope&)> send);

  void prepare(const control::StartGeneration& start, std::function<void(std::string)> ready) override;
  void extend(Environment& environment, uint32_t rank) override;
  void handle(const control::Envelope& message) override;
  void resume() override;
  bool connected(uint32_t rank) const override { return connected_.count(rank) > 0; }
  bool finalized(uint32_t rank) const override { return finalized_.count(rank) > 0; }

  // From the callbacks, already on the thread of the io_context.
  void rank_connected(uint32_t rank, bool finalized);
  void rank_aborted(uint32_t rank, int status, const std::string& text);
  void fence(PmixFence fence);
  void data_wanted(uint32_t rank, PmixDataCall call);
  PmixNames& names() { return names_; }
  void spawn_refused(uint32_t rank);  // tells why, on the rank's stderr

  boost::asio::io_context& io() { return io_; }

 private:
  struct OpenFence {
    PmixAnswer answer;
    control::Envelope message;
  };
  struct OpenRequest {
    PmixDataCall call;
    control::Envelope message;
  };

  void initialise(const PortRange& ports);
  void register_clients();
  void client_registered(pmix_status_t status);
  void give_data(const control::Modex& request);
  void fence_done(const OpenFence& fence, const control::FenceDone& done);

  boost::asio::io_context& io_;
  std::string folder_, host_name_;
  std::function<void(const control::Envelope&)> send_;
  control::StartGeneration start_;
  std::map<std::string, std::string> mpirun_variables_;
  PmixInfo job_;
  std::function<void(std::string)> ready_;
  int clients_left_ = 0;
  std::set<uint32_t> connected_, finalized_;
  std::map<std::string, uint32_t> fence_numbers_;
  std::map<std::string, OpenFence> open_fences_;
  std::deque<control::Envelope> done_fences_;  // the newest: other hosts may still wait for the end of one
  uint32_t next_id_ = 1;
  std::map<uint32_t, OpenRequest> open_requests_;
  PmixNames names_;
};

}  // namespace ds
