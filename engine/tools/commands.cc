#include "engine/tools/commands.h"

#include "engine/tools/check_command.h"
#include "engine/tools/checkpoint_command.h"
#include "engine/tools/export_command.h"
#include "engine/tools/generate_command.h"
#include "engine/tools/report_command.h"
#include "engine/tools/topology_command.h"

namespace ds {

std::vector<Command> dstool_commands() {
  return {
      check_command(),
      checkpoint_command(),
      export_command(),
      generate_command(),
      report_command(),
      topology_command(),
  };
}

}  // namespace ds
