#include "launcher/job/status_answer.h"

#include <nlohmann/json.hpp>

#include "launcher/control/rank_table.h"
#include "launcher/records/job_record.h"

namespace ds {

std::string status_json(const JobRecord& record, const RankTable& ranks, const LaunchPlan& plan) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(record.state_json());
  json["processes"] = nlohmann::ordered_json::array();
  for (int rank = 0; ranks.knows(rank); ++rank)
    json["processes"].push_back({{"rank", rank},
                                 {"host", plan.hosts[static_cast<size_t>(ranks.host_of(rank))].name},
                                 {"pid", ranks.pid_of(rank)},
                                 {"running", ranks.runs(rank)}});
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace ds
