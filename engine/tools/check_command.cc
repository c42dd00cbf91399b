#include "engine/tools/check_command.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "engine/config/ds_config.h"
#include "engine/config/model_config.h"
#include "engine/config/resolve.h"
#include "engine/config/train_config.h"
#include "engine/tools/text_table.h"
#include "hostfiles/hostfile.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct Checked {
  std::string file, kind;
  std::vector<std::string> problems, notes;
  std::vector<ConfigRow> rows;
};

// Runs what throws one kUsage Error with a problem a line, and takes the problems.
template <class Work>
void collect(Checked& checked, Work work) {
  try {
    work();
  } catch (const Error& error) {
    const auto problems = split(error.what(), '\n');
    checked.problems.insert(checked.problems.end(), problems.begin(), problems.end());
  }
}

void check_train_config(Checked& checked, int world_size) {
  checked.kind = "train.cfg";
  collect(checked, [&] {
    const TrainConfig config = load_train_config(checked.file, {});
    Findings findings = resolve_with_report(config, world_size).findings;
    checked.problems = std::move(findings.problems);
    checked.notes = std::move(findings.notes);
    checked.rows = std::move(findings.rows);
  });
}

void check_ds_config(Checked& checked, const std::string& text, int world_size) {
  checked.kind = "DeepSpeed configuration";
  collect(checked, [&] {
    checked.notes = resolve_ds_config(text, checked.file, world_size).notes;
    TrainConfig config;
    config.ds_config_text = text;
    config.ds_config_path = checked.file;
    for (ConfigRow& row : what_became(config, world_size))
      if (row.source.find(fs::path(checked.file).filename().string()) != std::string::npos)
        checked.rows.push_back(std::move(row));
  });
}

void check_model_config(Checked& checked) {
  checked.kind = "model";
  collect(checked, [&] {
    const ModelConfig model = load_model_config(checked.file);
    for (const auto& [key, value] : {std::pair{"layers", model.num_layers}, {"hidden size", model.hidden_size},
                                     {"heads", model.num_heads}, {"vocabulary", model.vocab_size},
                                     {"longest sequence", model.max_positions}})
      checked.rows.push_back({key, std::to_string(value), "config.json", "supported"});
  });
}

void check_hostfile(Checked& checked, const std::string& text) {
  checked.kind = "hostfile";
  collect(checked, [&] {
    const HostfileResult hostfile = parse_hostfile(text, checked.file);
    checked.notes = hostfile.warnings;
    for (const HostfileEntry& entry : hostfile.entries)
      checked.rows.push_back({entry.name,
                              entry.slots ? std::to_string(*entry.slots) + " slots" : "slots as the host has",
                              "line " + std::to_string(entry.line), entry.excluded ? "left out" : ""});
  });
}

// A DeepSpeed configuration and a model's config.json have the same ending; only one has an architecture.
bool is_model_config(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  return json.is_object() && (json.contains("model_type") || json.contains("architectures"));
}

Checked check_file(const std::string& file, int world_size) {
  Checked checked{file, "", {}, {}, {}};
  const std::string text = read_file(file);
  if (file.ends_with(".cfg")) check_train_config(checked, world_size);
  else if (!file.ends_with(".json")) check_hostfile(checked, text);
  else if (is_model_config(text)) check_model_config(checked);
  else check_ds_config(checked, text, world_size);
  return checked;
}

void print(const Checked& checked, std::ostream& out) {
  out << (checked.problems.empty() ? "OK       " : "PROBLEMS ") << checked.file << " (" << checked.kind << ")\n";
  for (const std::string& problem : checked.problems) out << "  " << problem << "\n";
  std::vector<std::vector<std::string>> table;
  for (const ConfigRow& row : checked.rows) table.push_back({"  " + row.key, row.value, row.source, row.answer});
  print_table(table, out);
  for (const std::string& note : checked.notes) out << "  note: " << note << "\n";
}

ordered_json to_json(const Checked& checked) {
  ordered_json values = ordered_json::array();
  for (const ConfigRow& row : checked.rows)
    values.push_back({{"key", row.key}, {"value", row.value}, {"source", row.source}, {"answer", row.answer}});
  return {{"file", checked.file}, {"kind", checked.kind}, {"ok", checked.problems.empty()},
          {"problems", checked.problems}, {"notes", checked.notes}, {"values", values}};
}

int check(const std::vector<std::string>& words, std::ostream& out) {
  const Arguments arguments(words, {{"--json"}, {"-np", true}}, 1, 1000);
  const auto world_size = static_cast<int>(arguments.number("-np", 1, 1));
  bool all_good = true;
  ordered_json results = ordered_json::array();
  for (const std::string& file : arguments.positional()) {
    const Checked checked = check_file(file, world_size);
    all_good = all_good && checked.problems.empty();
    if (arguments.has("--json")) results.push_back(to_json(checked));
    else print(checked, out);
  }
  if (arguments.has("--json")) out << results.dump(1) << "\n";
  return all_good ? kToolOk : kToolFinding;
}

}  // namespace

Command check_command() {
  return {"check", "read train.cfg, ds_config.json, config.json or a hostfile and say what it means",
          "Usage: dstool check F… [-np N] [--json]\n\nReads each file as the launcher and the engine would for N ranks "
          "(1): *.cfg is a training job,\n"
          "*.json a DeepSpeed configuration or a model, anything else a hostfile. Prints all problems with\n"
          "file and line, and what every key became and why. Exit code 1 when there are problems.\n\n"
          "Example: dstool check train.cfg hosts -np 8\n",
          check};
}

}  // namespace ds
