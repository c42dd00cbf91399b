// events.jsonl: one JSON object a line about what happened to a job (interface: folder `output`).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ds {

class OutputFile;

struct Event {
  std::string event;  // job_started, generation_running, rank_exited, ...
  std::optional<int> generation{}, rank{}, pid{}, exit_code{}, signal{};
  std::optional<int64_t> step{};
  std::optional<double> seconds{};
  std::string host{}, reason{};
};

// `time`: Unix seconds. One line without its newline.
std::string event_json(const Event& event, double time);

class EventLog {
 public:
  // "" = events go nowhere.
  explicit EventLog(const std::string& path);
  ~EventLog();
  void write(const Event& event);

 private:
  std::unique_ptr<OutputFile> file_;
};

}  // namespace ds
