// The logical CPUs of a host and the places they form: hardware threads, cores, NUMA nodes, sockets. Pure values.
#pragma once

#include <string>
#include <vector>

#include "topology/host.h"

namespace ds {

enum class Level { kHost, kSocket, kNuma, kCore, kThread };

struct Cpu {
  int id = 0;                          // as the operating system numbers it
  int core = 0, numa = 0, socket = 0;  // index into Host::cores; NUMA node; package
  bool operator==(const Cpu&) const = default;
};

// All logical CPUs of core `index`, the one in Host::cores first.
std::vector<int> threads_of(const Host& host, size_t index);

// The cores of which at least one thread is among `cpus`, as Host::cores numbers them.
std::vector<int> cores_touched(const Host& host, const std::vector<int>& cpus);

// CPUs this job may use, core by core; with a list only those, in the order of the list. A CPU of the list stands for
// itself, except that the one in Host::cores stands for its whole core. Throws kUsage naming host and CPU when the host
// has no such CPU. Empty when the host's cores are not known.
std::vector<Cpu> usable_cpus(const Host& host, const std::vector<int>& cpu_list);

// The CPUs of each place of a level, in the order in which `cpus` first names the place; sockets and NUMA nodes by number.
std::vector<std::vector<Cpu>> places_of(const std::vector<Cpu>& cpus, Level level);

// "slot"-free names as mpirun has them: core, hwthread, socket (package), numa, node (host); nothing else.
bool level_named(const std::string& name, Level& level);
const char* name_of(Level level);

}  // namespace ds
