// Judging how ranks ended, and the verdict of a job: exit code, cause, the JSON line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ds {

inline constexpr int kExitHang = 1;
inline constexpr int kExitTryLater = 75;
inline constexpr int kExitHostLost = 98;
inline constexpr int kExitTimeLimit = 110;

// How one rank ended, as its agent saw it.
struct RankEnd {
  int rank = 0;
  std::string host;
  int pid = 0;
  int exit_code = 0;
  int signal = 0;
  bool connected = false;   // called MPI_Init
  bool finalized = false;   // called MPI_Finalize
  bool links_mpi = false;   // linked to libmpi
  std::string start_error;  // why it could not be started
  bool host_fault = false;  // which is the fault of its host, not of the program
  std::string message;      // what it said about its end
  bool out_of_memory = false;  // SIGKILL while the kernel's out-of-memory killer acted on its host
  uint64_t time_ns = 0;     // clock of its host
};

struct Verdict {
  int exit_code = 0;
  std::string error;  // one line; "" = no failure to tell
  std::optional<int> rank, pid, signal, generation;
  std::string host, log;
  std::string advice;  // further lines for a person
  bool settled = false;  // the ranks would fail in the same way if they were started again
  bool host_fault = false;  // they would not on other hosts than `host`
  uint64_t time_ns = 0;     // clock of the rank's host; 0 = not known
  uint64_t noticed_ns = 0;  // clock of the launcher when it heard of it; 0 = not yet

  bool failed() const { return exit_code != 0; }
};

// What a job of `world_size` ranks makes of one rank's end; nullopt when it ended well. `wires_up`: MPI programs are
// expected to connect to the rank server.
std::optional<Verdict> judge(const RankEnd& end, int world_size, bool wires_up);

// MPI_Abort(status): the code is status modulo 256, but never 0.
Verdict judge_abort(int rank, const std::string& host, int status, const std::string& message);

// SIGKILL came to what `verdict` is about, and the kernel says that memory ran out on its host.
void blame_memory(Verdict& verdict);

// Whether `later` (which arrived after `first`) is the failure to report: it happened earlier on the same host. Clocks
// of different hosts are not compared.
bool happened_before(const Verdict& later, const Verdict& first);

// A rank asked to save and stop ended as asked.
bool is_gentle_end(const RankEnd& end);

std::string signal_name(int signal);  // "SIGKILL"

// The last line of stderr, without a newline: fields that apply, in the order of docs/output.md.
std::string verdict_json(const Verdict& verdict);

}  // namespace ds
