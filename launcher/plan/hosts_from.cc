#include "launcher/plan/hosts_from.h"

#include <unistd.h>

#include <algorithm>

#include "hostfiles/host_name.h"
#include "hostfiles/host_option.h"
#include "hostfiles/hostfile.h"
#include "hostfiles/rankfile.h"
#include "hostfiles/slurm_allocation.h"
#include "launcher/options/options.h"
#include "launcher/plan/host_filters.h"
#include "launcher/plan/slurm_reach.h"
#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/topology_file.h"

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

// -H, or else a hostfile.
HostSource from_lists(const std::string& host_list, const std::string& hostfile, const Options& options) {
  if (host_list.empty()) return from_hostfile(hostfile, options);
  HostSource result{parse_host_option(host_list), "-H", false};
  if (hostfile.empty()) return result;
  const HostSource file = from_hostfile(hostfile, options);
  take_logins(result.cluster, file.cluster);
  result.warnings = file.warnings;
  return result;
}

// The hosts of programs that have hosts of their own. One that several name has the most slots that any gives it.
class HostsOfPrograms {
 public:
  explicit HostsOfPrograms(const Options& options) : options_(options) {}

  HostSource read() {
    for (size_t program = 0; program < options_.programs.size(); ++program) {
      const ProgramOptions& one = options_.programs[program];
      if (!one.host_list.empty() || !one.hostfile.empty())
        add(program, from_lists(one.host_list, one.hostfile, options_));
    }
    return std::move(all_);
  }

 private:
  void add(size_t program, const HostSource& own) {
    for (const Host& host : own.cluster.hosts) {
      Host& known = find_or_add(host);
      known.program_slots[program] = host.slots.value_or(kMaxSlots);
      known.slots = known.slots && host.slots ? std::optional(std::max(*known.slots, *host.slots)) : std::nullopt;
    }
    all_.warnings.insert(all_.warnings.end(), own.warnings.begin(), own.warnings.end());
    if (all_.source.find(own.source) == std::string::npos)
      all_.source += (all_.source.empty() ? "" : " : ") + own.source;
  }

  Host& find_or_add(const Host& host) {
    std::vector<Host>& hosts = all_.cluster.hosts;
    const auto [at, added] = index_.emplace(host_identity(host.name), hosts.size());
    if (added) {
      hosts.push_back(host);
      for (const ProgramOptions& program : options_.programs)
        hosts.back().program_slots.push_back(program.host_list.empty() && program.hostfile.empty() ? kMaxSlots : 0);
    }
    return hosts[at->second];
  }

  const Options& options_;
  HostSource all_{};
  std::map<std::string, size_t> index_;  // by identity
};

std::vector<std::string> notes_on_components(const std::map<std::string, std::string>& environment,
                                             const std::string& job) {
  const auto size = environment.find("SLURM_HET_SIZE");
  if (size == environment.end() || parse_int(size->second).value_or(1) < 2) return {};
  return {job + " has " + size->second +
          " components, and only nodes of one are used; on a node of another: srun --het-group=1 "
          "-N1 -n1 dslaunch ..."};
}

HostSource first_source(const Options& options, const std::map<std::string, std::string>& environment,
                        const Host& this_machine, const std::optional<Rankfile>& rankfile) {
  if (options.programs_have_hosts()) return HostsOfPrograms(options).read();
  if (!options.host_list.empty() || !options.hostfile.empty())
    return from_lists(options.host_list, options.hostfile, options);
  if (rankfile) return {hosts_of(*rankfile), "rankfile " + rankfile->file, false};
  if (has_slurm_allocation(environment)) {
    auto id = environment.find("SLURM_JOB_ID");
    HostSource job{slurm_allocation(environment), "SLURM job " + (id == environment.end() ? "" : id->second), true};
    job.warnings = notes_on_components(environment, job.source);
    return job;
  }
  if (!options.default_hostfile.empty()) return from_hostfile(options.default_hostfile, options);
  auto standard = environment.find("OMPI_MCA_orte_default_hostfile");
  if (standard != environment.end() && !standard->second.empty()) return from_hostfile(standard->second, options);
  if (const std::string& file = options.topology_file; !file.empty())
    return {parse_topology(read_file(file), file), "topology file " + file, false};
  return {Cluster{{this_machine}}, "this machine", false};
}

}  // namespace

HostSource hosts_from(const Options& options, const std::map<std::string, std::string>& environment,
                      const Host& this_machine, const std::optional<Rankfile>& rankfile) {
  HostSource result = first_source(options, environment, this_machine, rankfile);
  apply_filters(options, this_machine, result);
  choose_reach(options, environment, result);
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
