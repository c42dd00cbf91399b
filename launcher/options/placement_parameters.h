// Parameters of Open MPI (--mca KEY VALUE, OMPI_MCA_KEY) that mean an option of dslaunch: where ranks go, what they are
// bound to, what is shown of it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ds {

struct MeantOption {
  std::string parameter;           // as the user gave it: "--mca hwloc_base_binding_policy", "OMPI_MCA_..."
  std::vector<std::string> words;  // "--bind-to", "none"
};

using Parameters = std::vector<std::pair<std::string, std::string>>;  // key, value

// Whether some option means the same as this parameter.
bool means_an_option(std::string_view key);

// The last of each parameter counts. Throws kUsage for a switch that is neither on nor off.
std::vector<MeantOption> options_meant(const Parameters& parameters, const std::string& prefix = "--mca ");

// The OMPI_MCA_* of an environment; none inside a rank, where they are what a launcher around us was told.
Parameters parameters_of(const std::map<std::string, std::string>& environment);

// Whether it says where mpirun puts ranks and what it binds them to, in a way that no option here does.
bool is_about_placement(std::string_view key);
std::string without_effect(const std::string& parameter);  // the note about one of those, as the user gave it

}  // namespace ds
