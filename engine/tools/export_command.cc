#include "engine/tools/export_command.h"

#include <filesystem>
#include <ostream>

#include "engine/models/hf_export.h"
#include "engine/offline/offline_model.h"
#include "topology/base/error.h"

namespace ds {
namespace {

int run_export(const std::vector<std::string>& words, std::ostream& out) {
  const Arguments arguments(words, {{"--output", true}}, 1, 1);
  const std::string folder = arguments.text("--output");
  if (folder.empty()) throw Error(ErrorCode::kUsage, "export: --output FOLDER is missing");
  if (std::filesystem::exists(folder) && !std::filesystem::is_empty(folder))
    throw Error(ErrorCode::kUsage, "export: " + folder + " is not empty; nothing was written: name a new folder");
  OfflineModel model(arguments.positional()[0]);
  export_model(model.store(), model.config(), folder);
  out << "wrote " << folder << "/config.json and " << folder << "/model.safetensors\n";
  return kToolOk;
}

}  // namespace

Command export_command() {
  return {"export", "a checkpoint's weights as a Hugging Face folder",
          "Usage: dstool export CHECKPOINT --output FOLDER\n\nWrites config.json and model.safetensors (fp32 masters, "
          "Hugging "
          "Face names). CHECKPOINT is a step\nfolder, a folder `checkpoints` or an output folder.\n\n"
          "Example: dstool export runs/char-gpt/checkpoints --output char-gpt-hf\n",
          run_export};
}

}  // namespace ds
