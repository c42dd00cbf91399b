#include "launcher/plan/hosts_from.h"

#include <unistd.h>

#include "hostfiles/host_name.h"
#include "hostfiles/host_option.h"
#include "hostfiles/hostfile.h"
#include "hostfiles/rankfile.h"
#include "hostfiles/slurm_allocation.h"
#include "launcher/options/options.h"
#include "launcher/plan/host_filters.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

bool counts_ranks(const Options& options) {
  if (options.np) return true;
  for (const ProgramOptions& program : options.programs)
    if (program.np) return true;
  return false;
}

HostSource from_hostfile(const std::string& file, const Options& options) {
  HostSource result;
  HostfileResult parsed = parse_hostfile(read_file(file), file);
  result.cluster = hosts_of(parsed, counts_ranks(options));
  result.warnings = parsed.warnings;
  result.source = "hostfile " + file;
  return result;
}

// How to log in, from a list in which the hosts stand too.
void take_logins(Cluster& cluster, const Cluster& from) {
  std::map<std::string, const Host*> known;
  for (const Host& host : from.hosts) known[host_identity(host.name)] = &host;
  for (Host& host : cluster.hosts) {
    const auto found = known.find(host_identity(host.name));
    if (found == known.end()) continue;
    host.port = found->second->port;
    if (host.user.empty()) host.user = found->second->user;
  }
}

HostSource from_host_list(const Options& options) {
  HostSource result{parse_host_option(options.host_list), "-H", false};
  if (options.hostfile.empty()) return result;
  const HostSource file = from_hostfile(options.hostfile, options);
  take_logins(result.cluster, file.cluster);
  result.warnings = file.warnings;
  return result;
}

HostSource first_source(const Options& options, const std::map<std::string, std::string>& environment,
                        const Host& this_machine, const std::optional<Rankfile>& rankfile) {
  if (!options.host_list.empty()) return from_host_list(options);
  if (!options.hostfile.empty()) return from_hostfile(options.hostfile, options);
  if (rankfile) return {hosts_of(*rankfile), "rankfile " + rankfile->file, false};
  if (has_slurm_allocation(environment)) {
    auto id = environment.find("SLURM_JOB_ID");
    return {slurm_allocation(environment), "SLURM job " + (id == environment.end() ? "" : id->second), true};
  }
  if (!options.default_hostfile.empty()) return from_hostfile(options.default_hostfile, options);
  auto standard = environment.find("OMPI_MCA_orte_default_hostfile");
  if (standard != environment.end() && !standard->second.empty()) return from_hostfile(standard->second, options);
  return {Cluster{{this_machine}}, "this machine", false};
}

}  // namespace

HostSource hosts_from(const Options& options, const std::map<std::string, std::string>& environment,
                      const Host& this_machine, const std::optional<Rankfile>& rankfile) {
  HostSource result = first_source(options, environment, this_machine, rankfile);
  apply_filters(options, this_machine, result);
  return result;
}

std::map<std::string, std::string> environment_map() {
  std::map<std::string, std::string> result;
  for (char** one = environ; *one; ++one) {
    std::string entry = *one;
    size_t equals = entry.find('=');
    if (equals != std::string::npos) result[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return result;
}

}  // namespace ds
