// How long Slurm lets a job live after its TERM: KillWait, which no variable of a job tells.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace boost::asio {
class io_context;
}

namespace ds {

class HelperProcess;

inline constexpr std::chrono::seconds kAssumedKillWait{30};  // Slurm's default

// In what `scontrol show config` prints; nullopt when it is not there.
std::optional<std::chrono::seconds> kill_wait_in(const std::string& config);

class SlurmKillWait {
 public:
  // Starts scontrol, which asks slurmctld once; nobody waits for it, and without it the default is assumed.
  explicit SlurmKillWait(boost::asio::io_context& io);
  ~SlurmKillWait();

  std::chrono::seconds value() const { return kill_wait_in(told_).value_or(kAssumedKillWait); }

 private:
  std::string told_;
  std::unique_ptr<HelperProcess> scontrol_;
};

}  // namespace ds
