#include "launcher/output/verdict.h"

#include <csignal>
#include <cstring>

#include <nlohmann/json.hpp>

#include "agent/oom_kills.h"

namespace ds {
namespace {

std::string who(const RankEnd& end) {
  return "rank " + std::to_string(end.rank) + (end.host.empty() ? "" : " on " + end.host);
}

Verdict of_rank(const RankEnd& end, int code, const std::string& error) {
  Verdict verdict;
  verdict.exit_code = code;
  verdict.error = error;
  verdict.rank = end.rank;
  verdict.host = end.host;
  if (end.pid > 0) verdict.pid = end.pid;
  verdict.time_ns = end.time_ns;
  return verdict;
}

Verdict by_signal(const RankEnd& end) {
  Verdict verdict = of_rank(end, 128 + end.signal,
                            who(end) + " was killed by signal " + std::to_string(end.signal) + " (" +
                                signal_name(end.signal) + ")" + (end.message.empty() ? "" : ": " + end.message));
  verdict.signal = end.signal;
  if (end.out_of_memory)
    blame_memory(verdict);
  else if (end.signal == SIGKILL)
    verdict.advice = "SIGKILL comes from outside the program: if nobody sent it, the kernel log or the cgroup's\n"
                     "memory.events on " + (end.host.empty() ? std::string("the host") : end.host) +
                     " tell whether memory ran out.";
  return verdict;
}

Verdict not_finalized(const RankEnd& end) {
  Verdict verdict = of_rank(end, 1, who(end) + " exited with code 0 without calling MPI_Finalize");
  verdict.advice =
      "The rank called MPI_Init and is exiting improperly: the other ranks may wait for it for ever, so the job was\n"
      "ended. Usual reasons: exit() or return before MPI_Finalize, or a library that ends the process.";
  return verdict;
}

Verdict not_wired_up(const RankEnd& end, int world_size) {
  Verdict verdict = of_rank(end, 1,
                            who(end) +
                                " did not wire up: its program is linked to libmpi but never connected to "
                                "the launcher, so it may have run alone");
  verdict.advice =
      "Each of the " + std::to_string(world_size) +
      " ranks would have been a world of one. Build the program with the Open MPI of this machine, or use\n"
      "--wireup none if it is not meant to use MPI here.";
  return verdict;
}

Verdict settled(Verdict verdict) {
  verdict.settled = true;
  return verdict;
}

}  // namespace

void blame_memory(Verdict& verdict) {
  verdict.error += std::string("; ") + kMemoryRanOut;
  verdict.advice =
      "Memory ran out: use fewer ranks on that host, smaller batches, or a larger limit of memory (Slurm: --mem).";
}

std::optional<Verdict> judge(const RankEnd& end, int world_size, bool wires_up) {
  if (!end.start_error.empty()) {
    Verdict verdict = of_rank(end, end.exit_code ? end.exit_code : 127, end.start_error);
    verdict.host_fault = end.host_fault;
    verdict.settled = !end.host_fault;
    return verdict;
  }
  if (end.signal) return by_signal(end);
  if (end.exit_code) {
    std::string said = end.message.empty() ? "exited with code " + std::to_string(end.exit_code) : end.message;
    return of_rank(end, end.exit_code, who(end) + (end.message.empty() ? " " : ": ") + said);
  }
  if (end.connected && !end.finalized) return settled(not_finalized(end));
  if (wires_up && end.links_mpi && !end.connected && world_size > 1) return settled(not_wired_up(end, world_size));
  return std::nullopt;
}

Verdict judge_abort(int rank, const std::string& host, int status, const std::string& message) {
  Verdict verdict;
  verdict.exit_code = status & 0xff ? status & 0xff : 1;
  verdict.rank = rank;
  verdict.host = host;
  verdict.error = "rank " + std::to_string(rank) + (host.empty() ? "" : " on " + host) +
                  " called MPI_Abort with error code " + std::to_string(status) +
                  (message.empty() ? "" : ": " + message);
  return verdict;
}

bool happened_before(const Verdict& later, const Verdict& first) {
  return later.rank && first.rank && later.host == first.host && later.time_ns && first.time_ns &&
         later.time_ns < first.time_ns;
}

bool is_gentle_end(const RankEnd& end) {
  if (!end.start_error.empty()) return false;
  if (end.signal) return end.signal == SIGTERM || end.signal == SIGUSR1 || end.signal == SIGINT;
  return end.exit_code == 0 || end.exit_code == kExitTryLater || end.exit_code == 128 + SIGTERM ||
         end.exit_code == 128 + SIGINT || end.exit_code == 128 + SIGUSR1;
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::string verdict_json(const Verdict& verdict) {
  nlohmann::ordered_json json;
  json["error"] = verdict.error;
  if (verdict.rank) json["rank"] = *verdict.rank;
  if (!verdict.host.empty()) json["host"] = verdict.host;
  if (verdict.pid) json["pid"] = *verdict.pid;
  json["exit_code"] = verdict.exit_code;
  if (verdict.signal) json["signal"] = *verdict.signal;
  const uint64_t time_ns = verdict.time_ns ? verdict.time_ns : verdict.noticed_ns;
  if (time_ns) json["time"] = static_cast<double>(time_ns) / 1e9;
  if (verdict.generation) json["generation"] = *verdict.generation;
  if (!verdict.log.empty()) json["log"] = verdict.log;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace ds
