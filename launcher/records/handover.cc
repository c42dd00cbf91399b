#include "launcher/records/handover.h"

#include <nlohmann/json.hpp>

#include "agent/message_mac.h"
#include "launcher/plan/job.h"
#include "launcher/plan/rank_exports.h"
#include "topology/base/hex.h"
#include "topology/base/text.h"

namespace ds {

nlohmann::ordered_json to_json(const Handover& handover) {
  const FirstGeneration& first = handover.first;
  nlohmann::ordered_json json;
  json["generation"] = handover.generation;
  json["stepping"] = handover.stepping;
  json["host_of_rank"] = handover.host_of_rank;
  json["hosts"] = handover.hosts;
  json["fingerprint"] = handover.fingerprint;
  nlohmann::ordered_json& values = json["first"];
  if (first.asked) values["asked"] = *first.asked;
  values["ranks"] = first.ranks;
  values["per_replica"] = first.per_replica;
  values["batch"] = {first.batch.train, first.batch.micro, first.batch.accumulation};
  values["micro_chosen"] = first.micro_chosen;
  values["room"] = first.room;
  return json;
}

Handover handover_of_json(const nlohmann::json& json) {
  Handover handover;
  handover.generation = json.at("generation");
  handover.stepping = json.at("stepping");
  handover.host_of_rank = json.at("host_of_rank").get<std::vector<int>>();
  handover.hosts = json.at("hosts").get<std::vector<std::string>>();
  handover.fingerprint = json.at("fingerprint");
  const nlohmann::json& values = json.at("first");
  FirstGeneration& first = handover.first;
  if (values.contains("asked")) first.asked = values.at("asked").get<int>();
  first.ranks = values.at("ranks");
  first.per_replica = values.at("per_replica");
  first.batch = {values.at("batch").at(0), values.at("batch").at(1), values.at("batch").at(2)};
  first.micro_chosen = values.at("micro_chosen");
  first.room = values.at("room").get<std::vector<int>>();
  return handover;
}

std::vector<int> host_of_rank(const LaunchPlan& plan) {
  std::vector<int> hosts;
  for (const RankPlace& place : plan.ranks) hosts.push_back(static_cast<int>(place.host));
  return hosts;
}

std::string fingerprint_of(const Job& job) {
  std::string text = job.config->resolved_text("ds_config.json") + "\n" + job.config->ds_config_text + "\n";
  for (const Host& host : job.hosts.cluster.hosts)
    text += host.name + " " + (host.slots ? std::to_string(*host.slots) : "?") + "\n";
  std::vector<std::string> warnings;
  text += join(resolve_exports(job.options.exports, job.environment, warnings), "\n") + "\n" +
          join(job.options.arguments, "\n");
  return to_hex(hmac_sha256("dslaunch handover", text)).substr(0, 32);
}

}  // namespace ds
