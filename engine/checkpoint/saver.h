// save_checkpoint with the parts that tests exchange.
#pragma once

#include <cstdint>

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/file_system.h"

namespace ds {

struct SaveOptions {
  FileSystem* files = nullptr;        // nullptr: the operating system's
  int64_t block_bytes = 1 << 20;      // bytes under one checksum: the least that a partial read reads
  int64_t alignment = 4096;           // of pieces in a shard: a page, so that direct and mapped reads can follow
};

void save_checkpoint(Communicator& world, const SaveRequest& request, const SaveOptions& options);

}  // namespace ds
