#include "engine/tools/checkpoint_command.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/step_folders.h"
#include "engine/tools/compare_checkpoints.h"
#include "engine/tools/text_table.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace fs = std::filesystem;
namespace {

using nlohmann::ordered_json;

int64_t total_bytes(const Manifest& manifest) {
  int64_t bytes = 0;
  for (const ManifestFile& file : manifest.files) bytes += file.bytes;
  return bytes;
}

// ---- list

struct ListedStep {
  int64_t step = 0;
  std::string folder;
  bool is_latest = false;
  int64_t bytes = 0, tensors = 0;
  std::vector<std::string> problems;
};

std::vector<ListedStep> listed_steps(const std::string& path) {
  const std::string folder = resolve_checkpoints_folder(path), latest = read_latest(folder);
  const auto only =
      fs::exists(path + "/" + kManifestName) ? step_of(fs::path(resolve_checkpoint(path)).filename()) : std::nullopt;
  std::vector<ListedStep> listed;
  for (int64_t step : steps_in(folder)) {
    if (only && step != *only) continue;
    ListedStep row{step, folder + "/" + step_name(step), step_name(step) == latest, 0, 0, {}};
    row.problems = completeness_problems(row.folder);
    if (row.problems.empty()) {
      const Manifest manifest = load_manifest(row.folder);
      row.bytes = total_bytes(manifest);
      row.tensors = static_cast<int64_t>(manifest.tensors.size());
    }
    listed.push_back(std::move(row));
  }
  return listed;
}

int list(const std::vector<std::string>& words, std::ostream& out) {
  const Arguments arguments(words, {{"--json"}}, 1, 1);
  const auto listed = listed_steps(arguments.positional()[0]);
  bool all_good = true;
  ordered_json rows = ordered_json::array();
  std::vector<std::vector<std::string>> table{{"step", "size", "tensors", "", "folder"}};
  for (const ListedStep& s : listed) {
    all_good = all_good && s.problems.empty();
    rows.push_back({{"step", s.step}, {"folder", s.folder}, {"latest", s.is_latest}, {"complete", s.problems.empty()},
                    {"bytes", s.bytes}, {"tensors", s.tensors}, {"problems", s.problems}});
    const bool good = s.problems.empty();
    table.push_back({std::to_string(s.step), good ? bytes_text(s.bytes) : "-", good ? std::to_string(s.tensors) : "-",
                     good ? (s.is_latest ? "latest" : "") : "DAMAGED", s.folder});
    for (const std::string& problem : s.problems) table.push_back({"", "", "", "", problem});
  }
  if (arguments.has("--json")) out << rows.dump(1) << "\n";
  else print_table(table, out);
  return all_good ? kToolOk : kToolFinding;
}

// ---- show

ordered_json show_json(const std::string& folder, const Manifest& manifest) {
  ordered_json tensors = ordered_json::array(), files = ordered_json::array();
  for (const ManifestTensor& t : manifest.tensors)
    tensors.push_back({{"name", t.info.name}, {"kind", t.info.kind}, {"dtype", std::string(name_of(t.info.dtype))},
                       {"shape", t.info.shape}, {"pieces", t.pieces.size()}});
  for (const ManifestFile& f : manifest.files) files.push_back({{"name", f.name}, {"bytes", f.bytes}});
  return {{"folder", folder}, {"step", manifest.step}, {"bytes", total_bytes(manifest)},
          {"state", ordered_json::parse(manifest.state)}, {"tensors", tensors}, {"files", files}};
}

int show(const std::vector<std::string>& words, std::ostream& out) {
  const Arguments arguments(words, {{"--json"}}, 1, 1);
  const CheckpointReader reader(arguments.positional()[0]);
  const Manifest manifest = load_manifest(reader.folder());
  if (arguments.has("--json")) {
    out << show_json(reader.folder(), manifest).dump(1) << "\n";
    return kToolOk;
  }
  out << reader.folder() << ": step " << manifest.step << ", " << bytes_text(total_bytes(manifest)) << "\n\nstate\n";
  std::vector<std::vector<std::string>> table;
  const auto state = ordered_json::parse(manifest.state);
  for (const auto& [key, value] : state.items()) table.push_back({"  " + key, value.dump()});
  print_table(table, out);
  table = {{"\ntensor", "kind", "layout", "pieces"}};
  for (const ManifestTensor& t : manifest.tensors)
    table.push_back({t.info.name, t.info.kind, shape_text(t.info), std::to_string(t.pieces.size())});
  print_table(table, out);
  table = {{"\nfile", "size", "blocks"}};
  for (const ManifestFile& f : manifest.files)
    table.push_back({f.name, bytes_text(f.bytes), std::to_string(f.blocks.size())});
  print_table(table, out);
  return kToolOk;
}

// ---- verify

// Everything wrong with one checkpoint; a damaged manifest or a missing shard is a finding like any other.
std::vector<std::string> verify_problems(const std::string& folder) {
  try {
    return CheckpointReader(folder).verify();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kCorrupt) throw;
    return split(error.what(), '\n');
  }
}

int verify(const std::vector<std::string>& words, std::ostream& out) {
  const Arguments arguments(words, {{"--json"}, {"--all"}}, 1, 1);
  const std::string& path = arguments.positional()[0];
  std::vector<std::string> folders;
  if (arguments.has("--all")) {
    const std::string folder = resolve_checkpoints_folder(path);
    for (int64_t step : steps_in(folder)) folders.push_back(folder + "/" + step_name(step));
  } else {
    folders.push_back(resolve_checkpoint(path));
  }
  bool all_good = true;
  ordered_json results = ordered_json::array();
  for (const std::string& folder : folders) {
    const auto problems = verify_problems(folder);
    all_good = all_good && problems.empty();
    results.push_back({{"folder", folder}, {"ok", problems.empty()}, {"problems", problems}});
    if (arguments.has("--json")) continue;
    out << (problems.empty() ? "OK       " : "DAMAGED  ") << folder << "\n";
    for (const std::string& problem : problems) out << "  " << problem << "\n";
  }
  if (arguments.has("--json")) out << (arguments.has("--all") ? results : results[0]).dump(1) << "\n";
  return all_good ? kToolOk : kToolFinding;
}

// ---- diff

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string difference_text(const TensorDifference& d) {
  if (!d.missing_in.empty()) return "only in the " + std::string(d.missing_in == "first" ? "second" : "first");
  if (!d.other_layout.empty()) return shape_text(d.tensor) + " in the first, " + d.other_layout + " in the second";
  return std::to_string(d.num_different) + " of " + std::to_string(d.tensor.count()) + " elements differ, by " +
         number_text(d.largest) + " at most; the first is element " + std::to_string(d.first_different) + ": " +
         number_text(d.value_in_first) + " and " + number_text(d.value_in_second);
}

ordered_json difference_json(const TensorDifference& d) {
  ordered_json row{{"name", d.tensor.name}, {"kind", d.tensor.kind}};
  if (!d.missing_in.empty()) {
    row["missing_in"] = d.missing_in;
  } else if (!d.other_layout.empty()) {
    row["first"] = shape_text(d.tensor);
    row["second"] = d.other_layout;
  } else {
    row["num_different"] = d.num_different;
    row["largest"] = d.largest;
    row["first_different"] = d.first_different;
    row["values"] = {d.value_in_first, d.value_in_second};
  }
  return row;
}

int diff(const std::vector<std::string>& words, std::ostream& out) {
  const Arguments arguments(words, {{"--json"}}, 2, 2);
  const CheckpointReader first(arguments.positional()[0]), second(arguments.positional()[1]);
  const auto differences = compare_checkpoints(first, second);
  ordered_json states = ordered_json::object();
  for (const ordered_json& change : ordered_json::diff(first.state(), second.state()))
    states[change["path"].get<std::string>()] = change.value("value", ordered_json());
  if (arguments.has("--json")) {
    ordered_json rows = ordered_json::array();
    for (const TensorDifference& d : differences) rows.push_back(difference_json(d));
    out << ordered_json{{"equal", differences.empty()}, {"tensors", rows}, {"state_changes", states}}.dump(1) << "\n";
  } else {
    std::vector<std::vector<std::string>> table;
    for (const TensorDifference& d : differences) table.push_back({d.tensor.name, d.tensor.kind, difference_text(d)});
    print_table(table, out);
    for (const auto& [path, value] : states.items())
      out << "state " << path << ": " << value.dump() << " in the second\n";
    out << (differences.empty() ? "all tensors are equal bit for bit\n"
                                : std::to_string(differences.size()) + " tensors differ\n");
  }
  return differences.empty() ? kToolOk : kToolFinding;
}

// ---- prune

int prune(const std::vector<std::string>& words, std::ostream& out) {
  const Arguments arguments(words, {{"--json"}, {"--keep", true}, {"--dry-run"}}, 1, 1);
  if (!arguments.has("--keep")) throw Error(ErrorCode::kUsage, "dstool checkpoint prune: --keep N is missing");
  const int64_t keep = arguments.number("--keep", 0, 1);
  const std::string folder = resolve_checkpoints_folder(arguments.positional()[0]), latest = read_latest(folder);
  std::vector<int64_t> complete;
  for (int64_t step : steps_in(folder))
    if (completeness_problems(folder + "/" + step_name(step)).empty()) complete.push_back(step);
  const int64_t newest = complete.empty() ? 0 : complete.back();
  const auto files = real_file_system();
  const auto steps = steps_to_prune(complete, newest, keep, latest);
  for (int64_t step : steps)
    if (!arguments.has("--dry-run")) remove_step(*files, folder, step, "prune");
  if (arguments.has("--json")) {
    out << ordered_json{{"removed", steps}, {"dry_run", arguments.has("--dry-run")}}.dump() << "\n";
  } else {
    for (int64_t step : steps)
      out << (arguments.has("--dry-run") ? "would remove " : "removed ") << folder << "/" << step_name(step) << "\n";
    if (steps.empty()) out << "nothing to remove\n";
  }
  return kToolOk;
}

std::vector<Command> subcommands() {
  return {
      {"list", "the checkpoints of a run",
       "Usage: dstool checkpoint list F [--json]\n\nStep, size and state of each checkpoint of a run. Exit code 1 when "
       "one is damaged.\n\n"
       "F: an output folder, its folder `checkpoints`, or one step folder.\n\nExample: dstool checkpoint list "
       "runs/char-gpt\n",
       list},
      {"show", "what is in a checkpoint",
       "Usage: dstool checkpoint show F [--json]\n\nState, tensors and files of the checkpoint F; of a run's folder, "
       "what `latest` names.\n\n"
       "Example: dstool checkpoint show runs/char-gpt/checkpoints/step100\n",
       show},
      {"verify", "read everything and compare with the checksums",
       "Usage: dstool checkpoint verify F [--all] [--json]\n\nReads every byte of the checkpoint F (of a run's folder: "
       "of what `latest` names; with\n"
       "--all: of every step) and names files and tensors that are damaged. Exit code 1 then.\n\n"
       "Example: dstool checkpoint verify runs/char-gpt\n",
       verify},
      {"diff", "compare two checkpoints tensor by tensor",
       "Usage: dstool checkpoint diff A B [--json]\n\nTensors that are not equal bit for bit: how many elements, the "
       "largest absolute difference,\n"
       "the first one. The worlds that saved A and B do not matter. Exit code 1 when tensors differ.\n\n"
       "Example: dstool checkpoint diff runs/a/checkpoints/step100 runs/b/checkpoints/step100\n",
       diff},
      {"prune", "remove old checkpoints of a run",
       "Usage: dstool checkpoint prune F --keep N [--dry-run] [--json]\n\nRemoves complete checkpoints but the newest "
       "N; never what `latest` names.\n\n"
       "Example: dstool checkpoint prune runs/char-gpt --keep 2 --dry-run\n",
       prune},
  };
}

}  // namespace

Command checkpoint_command() {
  return {"checkpoint", "list, show, verify, diff and prune checkpoints", "",
          [](const std::vector<std::string>& words, std::ostream& out) {
            return run_command("dstool checkpoint", subcommands(), words, out);
          }};
}

}  // namespace ds
