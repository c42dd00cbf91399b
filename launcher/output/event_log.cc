#include "launcher/output/event_log.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "launcher/output/output_file.h"

namespace ds {
namespace {

template <typename T>
void put(nlohmann::ordered_json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

}  // namespace

std::string event_json(const Event& event, double time) {
  nlohmann::ordered_json json;
  json["time"] = time;
  json["event"] = event.event;
  put(json, "generation", event.generation);
  if (!event.host.empty()) json["host"] = event.host;
  put(json, "rank", event.rank);
  put(json, "pid", event.pid);
  put(json, "exit_code", event.exit_code);
  put(json, "signal", event.signal);
  put(json, "step", event.step);
  put(json, "seconds", event.seconds);
  if (!event.reason.empty()) json["reason"] = event.reason;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

EventLog::EventLog(const std::string& path) {
  if (!path.empty()) file_ = std::make_unique<OutputFile>(path);
}

EventLog::~EventLog() = default;

void EventLog::write(const Event& event) {
  using namespace std::chrono;
  double now = duration<double>(system_clock::now().time_since_epoch()).count();
  if (file_) file_->append(event_json(event, now) + "\n");
}

}  // namespace ds
