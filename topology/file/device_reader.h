// The keys of a host in a topology file that describe its devices: gpus, gpu_numa, gpu_switches, nvlinks, nics.
#pragma once

#include "topology/file/object_reader.h"
#include "topology/host.h"

namespace ds {

inline constexpr int kMaxDevices = 256;  // GPUs or NICs of one host; larger numbers are typing errors

void read_gpus(ObjectReader& reader, Host& host);

std::vector<Nic> read_nics(ObjectReader& reader);

}  // namespace ds
