// How a launch plan is printed.
#include <nlohmann/json.hpp>

#include "launcher/plan/launch_plan.h"
#include "launcher/plan/mesh_plan.h"
#include "topology/base/text.h"
#include "topology/binding_text.h"
#include "topology/cpu_list.h"
#include "topology/cpu_places.h"
#include "topology/nic_affinity.h"

namespace ds {
namespace {

using Json = nlohmann::ordered_json;

std::string padded(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

size_t name_width(const LaunchPlan& plan) {
  size_t width = 0;
  for (const Host& host : plan.hosts) width = std::max(width, host.name.size());
  return width;
}

std::string slots_text(const Host& host) {
  if (!host.slots) return "slots: as many as it has cores";
  return std::to_string(*host.slots) + (*host.slots == 1 ? " slot" : " slots");
}

std::string bound_text(const RankPlace& place, const Host& host) {
  const std::vector<int> cores = cores_touched(host, place.cpus);
  std::string text = !place.cpus.empty()  ? "cores " + cpu_list_text(cores)
                     : host.cores.empty() ? "cores not known"
                                          : "not bound";
  if (place.cpus != cores) text += "  cpus " + cpu_list_text(place.cpus);
  if (!place.gpus.empty()) text += "  gpus " + join(place.gpus, ",");
  const std::vector<std::string> nics = chosen_nics(host, place);
  return nics.empty() ? text : text + "  nics " + join(nics, ",");
}

std::string group_text(const std::vector<int>& ranks) {
  std::vector<std::string> words;
  for (int rank : ranks) words.push_back(std::to_string(rank));
  return "[" + join(words, " ") + "]";
}

Json host_json(const Host& host) {
  Json json;
  json["name"] = host.name;
  if (host.slots) json["slots"] = *host.slots;
  else json["slots"] = nullptr;
  if (host.port) json["port"] = host.port;
  if (!host.user.empty()) json["user"] = host.user;
  return json;
}

Json rank_json(const RankPlace& place, const LaunchPlan& plan) {
  Json json;
  json["rank"] = place.rank;
  json["host"] = plan.hosts[place.host].name;
  json["local_rank"] = place.local_rank;
  const std::vector<int> cores = cores_touched(plan.hosts[place.host], place.cpus);
  if (!cores.empty()) json["cores"] = cores;
  if (place.cpus != cores) json["cpus"] = place.cpus;
  if (!place.gpus.empty()) json["gpus"] = place.gpus;
  const std::vector<std::string> nics = chosen_nics(plan.hosts[place.host], place);
  if (!nics.empty()) json["nics"] = nics;
  return json;
}

Json bytes_json(const DistanceBytes& bytes) {
  Json json = Json::object();
  for (const Distance distance : kAllDistances)
    if (bytes[index_of(distance)] > 0) json[name_of(distance)] = bytes[index_of(distance)];
  return json;
}

Json score_json(const PlacementScore& score) {
  Json json{{"seconds", score.seconds}, {"bytes", bytes_json(score.bytes())}};
  for (const AxisScore& axis : score.axes)
    json["axes"][long_name(axis.axis)] = {{"seconds", axis.seconds}, {"bytes", bytes_json(axis.bytes)}};
  return json;
}

Json elastic_json(const ElasticReport& elastic) {
  Json json{{"max_restarts", elastic.max_restarts}, {"worlds", Json::array()}};
  for (const ElasticReport::World& world : elastic.worlds) {
    Json one{{"ranks", world.ranks}};
    if (world.micro_batch > 0) {
      one["micro_batch"] = world.micro_batch;
      one["accumulation"] = world.accumulation;
    }
    json["worlds"].push_back(one);
  }
  return json;
}

std::string elastic_text(const ElasticReport& elastic) {
  constexpr size_t kShown = 12;
  std::vector<std::string> worlds;
  for (const ElasticReport::World& world : elastic.worlds) {
    if (worlds.size() == kShown) break;
    worlds.push_back(std::to_string(world.ranks));
    if (world.micro_batch > 0)
      worlds.back() += " (micro-batch " + std::to_string(world.micro_batch) + " x accumulation " +
                       std::to_string(world.accumulation) + ")";
  }
  return "elastic: up to " + std::to_string(elastic.max_restarts) + " restarts an hour; ranks: " + join(worlds, ", ") +
         (elastic.worlds.size() > kShown ? ", ..." : "") + "\n";
}

}  // namespace

std::string plan_json(const LaunchPlan& plan) {
  Json json;
  json["hosts"] = Json::array();
  for (const Host& host : plan.hosts) json["hosts"].push_back(host_json(host));
  if (plan.placed) {
    json["ranks"] = Json::array();
    for (const RankPlace& place : plan.ranks) json["ranks"].push_back(rank_json(place, plan));
  }
  if (plan.placed && !plan.groups.empty())
    for (const PlannedGroups& groups : plan.groups) json["groups"][groups.axis] = groups.ranks;
  if (plan.mesh)
    json["placement"] = {{"how", plan.mesh->how},
                         {"reasons", plan.mesh->reasons},
                         {"score", score_json(plan.mesh->score)},
                         {"by_slot", score_json(plan.mesh->by_slot)}};
  if (plan.elastic) json["elastic"] = elastic_json(*plan.elastic);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string allocation_text(const LaunchPlan& plan) {
  std::string text = "hosts from " + plan.source + "\n";
  for (const Host& host : plan.hosts) {
    text += "  " + padded(host.name, name_width(plan)) + "  " + slots_text(host);
    if (host.port) text += "  port " + std::to_string(host.port);
    if (!host.user.empty()) text += "  user " + host.user;
    text += "\n";
  }
  return text;
}

std::string map_text(const LaunchPlan& plan) {
  if (!plan.placed) return "ranks: known when the hosts have told their cores\n";
  std::string text = "ranks: " + std::to_string(plan.world_size) + "\n";
  for (const RankPlace& place : plan.ranks)
    text += "  " + padded(std::to_string(place.rank), 4) + " " + padded(plan.hosts[place.host].name, name_width(plan)) +
            "  local " + padded(std::to_string(place.local_rank), 3) + "  " +
            bound_text(place, plan.hosts[place.host]) + "\n";
  return plan.mesh ? text + mesh_text(*plan.mesh) : text;
}

std::string plan_text(const LaunchPlan& plan) {
  std::string text = allocation_text(plan) + map_text(plan);
  for (const PlannedGroups& groups : plan.groups) {
    text += groups.axis + " groups:";
    for (const std::vector<int>& ranks : groups.ranks) text += " " + group_text(ranks);
    text += "\n";
  }
  return plan.elastic ? text + elastic_text(*plan.elastic) : text;
}

std::string bindings_text(const LaunchPlan& plan) {
  std::string text;
  for (const RankPlace& place : plan.ranks)
    text += "[" + plan.hosts[place.host].name + "] MCW rank " + std::to_string(place.rank) + " " +
            binding_text(plan.hosts[place.host], place.cpus) + "\n";
  return text;
}

}  // namespace ds
