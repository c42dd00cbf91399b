// Where there is no SSE4.2: checksums come from the table.
#include "engine/checkpoint/crc32c.h"

namespace ds {

Crc32cFunction crc32c_of_processor() { return nullptr; }

}  // namespace ds
