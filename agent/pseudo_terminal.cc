#include "agent/pseudo_terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>

#include <cstdlib>

namespace ds {

std::optional<Pipe> make_pseudo_terminal() {
  Pipe pipe;
  pipe.read.reset(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pipe.read || unlockpt(pipe.read.get()) != 0) return std::nullopt;
  pipe.write.reset(ioctl(pipe.read.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios settings{};
  if (!pipe.write || tcgetattr(pipe.write.get(), &settings) != 0) return std::nullopt;
  cfmakeraw(&settings);
  if (tcsetattr(pipe.write.get(), TCSANOW, &settings) != 0) return std::nullopt;
  return pipe;
}

}  // namespace ds
