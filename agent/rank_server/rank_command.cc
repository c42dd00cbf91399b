#include "agent/rank_server/rank_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "agent/memory_binding.h"
#include "agent/program_path.h"
#include "agent/proto/control.pb.h"
#include "agent/rank_environment.h"

namespace ds {

static int folder_error(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return errno;
  if (!S_ISDIR(info.st_mode)) return ENOTDIR;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

static std::string absolute(const std::string& path, const std::string& base) {
  return path.starts_with('/') || base.empty() ? path : base + "/" + path;
}

// The launcher's folder is a wish: it need not exist on every host. A folder the user named must.
static std::string choose_folder(const control::StartGeneration& start, const control::RankSpec& rank,
                                 const Environment& environment) {
  for (const std::string& wish : {rank.wdir().empty() ? std::string() : absolute(rank.wdir(), start.launcher_cwd()),
                                  start.launcher_cwd(), get_or(environment, "HOME", "")})
    if (!wish.empty() && (folder_error(wish) == 0 || (rank.wdir_given() && !rank.wdir().empty()))) return wish;
  return "/";
}

// What a shell and mpirun say about the folder that a program starts in.
static void tell_folder(Environment& environment, const std::string& folder, bool mpi) {
  environment["PWD"] = folder;
  if (mpi) environment["OMPI_MCA_initial_wdir"] = folder;
}

RankCommand rank_command(const control::StartGeneration& start, const control::RankSpec& rank,
                         Environment environment) {
  RankCommand result;
  Command& command = result.command;
  for (const auto& argument : rank.argv()) command.argv.push_back(with_run_folder(argument, start));
  command.cpus.assign(rank.cpus().begin(), rank.cpus().end());
  command.memory = memory_binding(static_cast<MemoryPolicy>(start.memory_policy()), numa_nodes_of(command.cpus));
  command.folder = choose_folder(start, rank, environment);
  if (const int error = folder_error(command.folder)) {
    result.exit_code = 2;
    result.problem = "cannot change to the working directory " + command.folder + ": " + std::strerror(error);
    return result;
  }
  tell_folder(environment, command.folder, start.wireup() != "none");
  command.env = assignments(environment);
  const std::string name = command.argv.empty() ? "" : command.argv[0];
  const auto program = find_program(name, command.folder, get_or(environment, "PATH", "/usr/local/bin:/usr/bin:/bin"));
  command.program = program.path;
  result.exit_code = program.exit_code;
  if (program.exit_code) result.problem = "cannot execute " + program.problem;
  return result;
}

}  // namespace ds
