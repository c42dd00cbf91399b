#include "launcher/rank_output.h"

#include <string_view>

#include "launcher/console.h"
#include "launcher/output_file.h"

namespace ds {
namespace {

constexpr size_t kKeptLines = 12;
constexpr size_t kKeptLineBytes = 4000;

template <typename Use>
void for_each_line(const std::string& data, Use use) {
  std::string_view rest = data;
  while (!rest.empty()) {
    size_t end = rest.find('\n');
    use(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
}

}  // namespace

// The files are there from the start, also of ranks that write nothing.
RankOutput::RankOutput(Console& console, const RankOutputOptions& options) : console_(console), options_(options) {
  for (int rank = 0; rank < options_.world_size; ++rank) {
    if (const std::string path = log_path(rank); !path.empty()) OutputFile{path};
    if (options_.mpirun_folder.empty()) continue;
    OutputFile{mpirun_path(rank, false)};
    if (!options_.merge_stderr) OutputFile{mpirun_path(rank, true)};
  }
}

RankOutput::~RankOutput() = default;

void RankOutput::take(int rank, bool is_stderr, const std::string& data) {
  if (data.empty()) return;
  bool as_stderr = is_stderr && !options_.merge_stderr;
  if (options_.show) show(rank, as_stderr, data);
  else if (options_.show_notes && rank == 0 && !is_stderr) show_notes(data);
  if (std::string path = log_path(rank); !path.empty()) append(path, data);
  if (!options_.mpirun_folder.empty()) append(mpirun_path(rank, as_stderr), data);
  if (!options_.rank_log_folder.empty())
    append(options_.rank_log_folder + "/rank" + std::to_string(rank) + ".log", data);
  keep(rank, is_stderr, data);
}

void RankOutput::show(int rank, bool is_stderr, const std::string& data) {
  std::string text = options_.format.apply(rank, is_stderr, data, std::time(nullptr));
  if (is_stderr) console_.err(text);
  else console_.out(text);
}

void RankOutput::show_notes(const std::string& data) {
  for_each_line(data, [this](std::string_view line) {
    if (line.starts_with("note:") || line.starts_with("warning:")) console_.note(std::string(line));
  });
}

void RankOutput::keep(int rank, bool is_stderr, const std::string& data) {
  std::deque<std::string>& lines = is_stderr ? kept_[rank].err : kept_[rank].out;
  for_each_line(data, [&](std::string_view line) {
    lines.emplace_back(line.substr(0, kKeptLineBytes));
    if (lines.size() > kKeptLines) lines.pop_front();
  });
}

void RankOutput::append(const std::string& path, const std::string& data) {
  std::unique_ptr<OutputFile>& file = files_[path];
  if (!file) file = std::make_unique<OutputFile>(path);
  bool was_well = file->problem().empty();
  file->append(data);
  if (!file->problem().empty() && was_well) console_.error(file->problem());
}

std::string RankOutput::last_lines(int rank) const {
  auto it = kept_.find(rank);
  if (it == kept_.end()) return "";
  std::string text;
  for (const std::string& line : it->second.err.empty() ? it->second.out : it->second.err) text += line + "\n";
  return text;
}

std::string RankOutput::log_path(int rank) const {
  return options_.log_folder.empty() ? "" : options_.log_folder + "/rank" + std::to_string(rank) + ".log";
}

std::string RankOutput::mpirun_path(int rank, bool is_stderr) const {
  std::string number = std::to_string(rank);
  size_t width = std::to_string(options_.world_size > 0 ? options_.world_size - 1 : 0).size();
  if (number.size() < width) number.insert(0, width - number.size(), '0');
  return options_.mpirun_folder + "/1/rank." + number + (is_stderr ? "/stderr" : "/stdout");
}

}  // namespace ds
