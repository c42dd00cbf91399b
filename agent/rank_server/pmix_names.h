// Names that ranks publish and look up (MPI_Publish_name, and ports where groups of ranks meet): the launcher keeps them,
// here is what waits for its answers. On the thread of the io_context.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "agent/event_loop.h"
#include "agent/rank_server/pmix_calls.h"

namespace ds {

namespace control {
class Envelope;
class LookupDone;
class PublishDone;
class StartGeneration;
}  // namespace control

class PmixNames {
 public:
  PmixNames(boost::asio::io_context& io, std::function<void(const control::Envelope&)> send);
  void begin(const control::StartGeneration& start);

  // Answered when the launcher has all of it: another rank that hears of it afterwards finds it.
  void publish(PmixPublish publish);
  void lookup(PmixLookup lookup);

  void take(const control::PublishDone& answer);
  void take(const control::LookupDone& answer);

 private:
  struct OpenPublish {
    size_t left = 0;  // values that the launcher has not confirmed
    PmixPublish call;
  };
  struct OpenLookup {
    PmixLookup call;
    std::unique_ptr<Timer> limit;  // only where it waits for a limited time
  };

  void ask_next(uint32_t id);
  void stop_waiting(uint32_t id);

  boost::asio::io_context& io_;
  std::function<void(const control::Envelope&)> send_;
  uint32_t generation_ = 0, node_ = 0;
  std::string name_space_;
  uint32_t next_id_ = 1;
  std::map<uint32_t, OpenPublish> publishes_;
  std::map<uint32_t, OpenLookup> lookups_;
};

}  // namespace ds
