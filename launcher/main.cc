// dslaunch: starts jobs on hosts.
#include "launcher/command_line.h"
#include "topology/base/standard_streams.h"

int main(int argc, char** argv) {
  ds::open_standard_streams();
  return ds::run_dslaunch({argv + 1, argv + argc});
}
