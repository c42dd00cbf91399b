#include "topology/base/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace ds {

void open_standard_streams() {
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR);  // takes the lowest number that is free
  if (fd > STDERR_FILENO) close(fd);
}

}  // namespace ds
