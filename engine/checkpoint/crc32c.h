// CRC-32C (Castagnoli, RFC 3720): the checksum of checkpoint files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ds {

// The checksum of what `before` is the checksum of, followed by these bytes; before = 0 starts. With the processor's
// instruction where it has one.
uint32_t crc32c(const void* data, size_t bytes, uint32_t before = 0);

// The same by table on any processor: the oracle of the fast one.
uint32_t crc32c_by_table(const void* data, size_t bytes, uint32_t before = 0);

using Crc32cFunction = uint32_t (*)(const void* data, size_t bytes, uint32_t before);

// The processor's own, or nullptr when this processor has none.
Crc32cFunction crc32c_of_processor();

}  // namespace ds
