// Where the programs of this build and its sources lie, for tests started by ctest (which says it) or by hand.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace ds::test {

// Absolute. DSLAUNCH_BIN, else the folder of the running test.
inline std::string bin_folder() {
  if (const char* folder = std::getenv("DSLAUNCH_BIN")) return std::filesystem::absolute(folder).string();
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

// Absolute. DSLAUNCH_SOURCE, else BUILD/bin/../.., where every preset puts its build.
inline std::filesystem::path source_folder() {
  if (const char* folder = std::getenv("DSLAUNCH_SOURCE")) return std::filesystem::absolute(folder);
  return std::filesystem::path(bin_folder()).parent_path().parent_path();
}

// Values that the real DeepSpeed and transformers produced, when they lie beside the checkout; tests that need them
// skip with a message otherwise.
inline std::optional<std::filesystem::path> shared_golden() {
  const auto golden = source_folder().parent_path() / "shared" / "golden";
  return std::filesystem::is_directory(golden) ? std::optional(golden) : std::nullopt;
}

}  // namespace ds::test
