// dslaunch: starts jobs on hosts.
#include "launcher/command_line.h"

int main(int argc, char** argv) { return ds::run_dslaunch({argv + 1, argv + argc}); }
