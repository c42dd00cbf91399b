// How the ranks of a generation find each other: what a way of wiring up adds to plain fork and exec. Three ways:
// PMIx for MPI programs (pmix_wireup.cc), mpirun for MPI programs of other installations (mpirun/mpirun_wireup.cc),
// nothing for all others (plain_wireup.cc).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "agent/environment.h"
#include "agent/free_port.h"

namespace boost::asio {
class io_context;
}

namespace ds {

namespace control {
class Envelope;
class StartGeneration;
}  // namespace control

class Wireup {
 public:
  virtual ~Wireup() = default;
  // Learns the generation before its ranks start; calls back once, "" or what went wrong.
  virtual void prepare(const control::StartGeneration& start, std::function<void(std::string problem)> ready) = 0;
  virtual void extend(Environment& environment, uint32_t rank) = 0;
  virtual void handle(const control::Envelope& message) = 0;  // answers of other hosts
  virtual void resume() {}  // another launcher: what the old one may not have passed on is said again
  virtual bool connected(uint32_t rank) const = 0;            // the rank called MPI_Init
  virtual bool finalized(uint32_t rank) const = 0;            // ... and MPI_Finalize
  virtual std::set<pid_t> children() const { return {}; }     // processes that it waits for itself
  virtual void rank_ended(uint32_t /*rank*/, int /*exit_code*/) {}  // 128 + signal; its end has been told
};

std::unique_ptr<Wireup> make_plain_wireup();

// `folder`: private and existing, for the server's own files. `ports`: what it listens on. `send` goes to the launcher. Throws kInternal, also in a
// build without PMIx. At most one at a time in a process: libpmix keeps its state in globals.
std::unique_ptr<Wireup> make_pmix_wireup(boost::asio::io_context& io, const std::string& folder, const PortRange& ports,
                                         std::function<void(const control::Envelope&)> send);

std::string pmix_version();  // "none" in a build without it

}  // namespace ds
