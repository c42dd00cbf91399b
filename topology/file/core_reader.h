// The keys of a host in a topology file that describe its cores: cores, threads, numa, sockets, caches.
#pragma once

#include "topology/file/object_reader.h"
#include "topology/host.h"

namespace ds {

void read_cores(ObjectReader& reader, Host& host);

}  // namespace ds
