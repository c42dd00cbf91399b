// dsengine: one rank of a training run. Runs alone, under dslaunch's agents, under mpirun and under srun --mpi=pmix.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include <ATen/Parallel.h>

#include "collectives/mpi_world.h"
#include "engine/config/train_config.h"
#include "engine/device/compute_device.h"
#include "engine/device/torch_cuda.h"
#include "engine/train/failure_text.h"
#include "engine/train/rank_report.h"
#include "engine/train/stop_request.h"
#include "engine/train/train_loop.h"
#include "engine/train/world_options.h"
#include "topology/base/error.h"
#include "topology/base/standard_streams.h"

namespace {

constexpr const char* kUsage =
    "usage: dsengine train.cfg [--section.key value ...]\n"
    "One rank of a training run: alone, or started by dslaunch, mpirun or srun --mpi=pmix.\n"
    "example: mpirun -np 2 dsengine train.cfg --train.steps 100\n";

using Overrides = std::vector<std::pair<std::string, std::string>>;

Overrides parse_overrides(int argc, char** argv) {
  Overrides overrides;
  for (int i = 2; i < argc; ++i) {
    std::string name = argv[i];
    if (!name.starts_with("--")) throw ds::Error(ds::ErrorCode::kUsage, "dsengine: unexpected argument " + name);
    name = name.substr(2);
    const size_t equals = name.find('=');
    if (equals != std::string::npos) {
      overrides.emplace_back(name.substr(0, equals), name.substr(equals + 1));
    } else if (i + 1 < argc) {
      overrides.emplace_back(name, argv[++i]);
    } else {
      throw ds::Error(ds::ErrorCode::kUsage, "dsengine: option --" + name + " needs a value");
    }
  }
  return overrides;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

int64_t number_from(const char* name, int64_t fallback) {
  const std::string text = variable(name);
  return text.empty() ? fallback : std::strtoll(text.c_str(), nullptr, 10);
}

// threads_per_rank = auto: the cores this process may use, shared by the ranks that may use the same ones.
int threads_for(const ds::Settings& settings) {
  if (settings.threads_per_rank > 0) return settings.threads_per_rank;
  if (const int64_t omp = number_from("OMP_NUM_THREADS", 0); omp > 0) return static_cast<int>(omp);
  const int64_t local = number_from("LOCAL_WORLD_SIZE", number_from("OMPI_COMM_WORLD_LOCAL_SIZE",
                                                                     number_from("SLURM_NTASKS_PER_NODE", 1)));
  return static_cast<int>(std::max<int64_t>(1, sysconf(_SC_NPROCESSORS_ONLN) / std::max<int64_t>(1, local)));
}

int train(const ds::TrainConfig& config, ds::Communicator& world, ds::RankReport& report) {
  const ds::Settings settings = ds::resolve(config, world.size());
  if (world.rank() == 0)
    for (const std::string& note : settings.notes) std::cout << "note: " << note << std::endl;
  const ds::ComputeDevice device = ds::agree_on_device(settings.device, world);
  if (world.rank() == 0 && settings.device == "auto" && (device.on_cuda() || ds::has_nvidia_driver()))
    std::cout << "note: train.device=auto became " << device.statement << std::endl;
  if (device.on_cuda()) ds::compute_repeatably();
  at::set_num_threads(threads_for(settings));
  ds::watch_stop_signals();
  return ds::run_training(settings, {&world, &report, number_from("DSLAUNCH_GENERATION", 1), device});
}

// OpenMP's threads spin while they wait, which on a shared machine steals the cores from those that have work (measured:
// 100 times slower at a load of 10 a core). The runtime reads the variable before main, so the program starts itself
// again once; under dslaunch the agent has set it already.
void bound_spinning(char** argv) {
  if (!variable("OMP_WAIT_POLICY").empty() || !variable("GOMP_SPINCOUNT").empty()) return;
  setenv("GOMP_SPINCOUNT", "1000", 1);
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) execv(self.c_str(), argv);
}

// A failed rank ends at once: other ranks may be waiting for it inside MPI, so MPI_Finalize would wait for ever.
[[noreturn]] void fail(ds::RankReport& report, int exit_code, const std::string& message) {
  report.verdict(exit_code, message);
  std::cout.flush();
  std::cerr << "dsengine: " << message << std::endl;
  std::_Exit(exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  ds::open_standard_streams();
  if (argc < 2 || std::string(argv[1]) == "--help" || std::string(argv[1]) == "-h") {
    (argc < 2 ? std::cerr : std::cout) << kUsage;
    return argc < 2 ? 2 : 0;
  }
  bound_spinning(argv);
  ds::RankReport report(variable(ds::kBlockVariable));
  // Outside the try block: after a failure nothing of MPI may be taken down, or this rank waits for peers that wait for it.
  std::optional<ds::MpiSession> mpi;
  std::unique_ptr<ds::Communicator> world;
  try {
    report.phase(ds::RankPhase::kWiringUp);
    const ds::TrainConfig config = ds::load_train_config(argv[1], parse_overrides(argc, argv));
    if (ds::started_by_mpi()) mpi.emplace();
    world = mpi ? mpi->world(ds::world_options(config), report.collective_counters()) : ds::singleton_communicator();
    const int exit_code = train(config, *world, report);
    world.reset();
    return exit_code;
  } catch (const ds::Error& error) {
    fail(report, ds::exit_status(error.code()), error.what());
  } catch (const std::exception& error) {
    fail(report, 1, ds::failure_text(error));
  }
}
