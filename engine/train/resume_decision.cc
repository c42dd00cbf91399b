#include "engine/train/resume_decision.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "engine/checkpoint/checkpoint.h"
#include "topology/base/error.h"

namespace ds {
namespace {

namespace fs = std::filesystem;

bool has_results(const fs::path& output) {
  return fs::exists(output / "metrics.csv") || fs::exists(output / "checkpoints");
}

void must_be_same_job(const Settings& settings, const CheckpointReader& reader) {
  const std::string job = reader.state().value("job", "");
  if (job != settings.job_name)
    throw Error(ErrorCode::kUsage, "checkpoint: the folder " + settings.output + " belongs to job " + job +
                                       ", not to " + settings.job_name +
                                       ": choose another job.output or the same job.name");
}

}  // namespace

std::string checkpoint_to_resume(const Settings& settings) {
  const fs::path output = settings.output;
  const std::string& resume = settings.checkpoint.resume;
  if (resume == "never") {
    if (has_results(output))
      throw Error(ErrorCode::kUsage, "checkpoint.resume = never, but " + settings.output +
                                         " already has metrics or checkpoints; nothing was touched: choose another "
                                         "job.output, or resume = auto");
    return "";
  }
  const std::string own = newest_checkpoint((output / "checkpoints").string());
  if (!own.empty()) must_be_same_job(settings, CheckpointReader(own));
  if (resume == "auto") return own;
  return CheckpointReader(resume).folder();
}

}  // namespace ds
