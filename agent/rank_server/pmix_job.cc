#include "agent/rank_server/pmix_job.h"

#include <pmix_server.h>

#include <algorithm>

#include "agent/proto/control.pb.h"
#include "agent/rank_environment.h"
#include "topology/base/text.h"

namespace ds {

std::vector<std::string> node_names(const control::StartGeneration& start, const std::string& own_name) {
  std::vector<std::string> names;
  for (int node = 0; node < start.hosts_size(); ++node) {
    const bool own = static_cast<uint32_t>(node) == start.node();
    std::string name = own ? own_name : start.hosts(node).name();
    std::replace(name.begin(), name.end(), ',', '_');
    const bool taken = (!own && name == own_name) || std::find(names.begin(), names.end(), name) != names.end();
    names.push_back(taken ? name + "-node" + std::to_string(node) : name);
  }
  return names;
}

uint32_t node_of_rank(const control::StartGeneration& start, uint32_t rank) {
  for (int node = 0; node < start.hosts_size(); ++node) {
    const auto ranks = ranks_of(start.hosts(node));
    if (std::find(ranks.begin(), ranks.end(), rank) != ranks.end()) return static_cast<uint32_t>(node);
  }
  return static_cast<uint32_t>(start.hosts_size());
}

static std::string list_of(const std::vector<uint32_t>& ranks) {
  std::vector<std::string> texts;
  for (const uint32_t rank : ranks) texts.push_back(std::to_string(rank));
  return join(texts, ",");
}

static uint32_t app_of(const control::StartGeneration& start, uint32_t rank) {
  uint32_t app = 0;
  for (int i = 0; i < start.first_ranks_of_apps_size(); ++i)
    if (start.first_ranks_of_apps(i) <= rank) app = static_cast<uint32_t>(i);
  return app;
}

static void describe_rank(PmixInfo& info, const control::StartGeneration& start, uint32_t rank, uint32_t local_rank,
                          uint32_t node, const std::string& node_name) {
  const uint32_t app = app_of(start, rank);
  const uint32_t first = start.first_ranks_of_apps_size() ? start.first_ranks_of_apps(static_cast<int>(app)) : 0;
  PmixInfo one;
  one.rank(PMIX_RANK, rank);  // must come first
  one.u32(PMIX_APPNUM, app);
  one.rank(PMIX_GLOBAL_RANK, rank);
  one.rank(PMIX_APP_RANK, rank - first);
  one.u16(PMIX_LOCAL_RANK, static_cast<uint16_t>(local_rank));
  one.u16(PMIX_NODE_RANK, static_cast<uint16_t>(local_rank));
  one.u32(PMIX_NODEID, node);
  one.text(PMIX_HOSTNAME, node_name);
  info.array(PMIX_PROC_DATA, std::move(one));
}

static void describe_sizes(PmixInfo& info, const control::StartGeneration& start) {
  const uint32_t world = start.world_size(), local = static_cast<uint32_t>(start.ranks_size());
  for (const char* key : {PMIX_UNIV_SIZE, PMIX_JOB_SIZE, PMIX_MAX_PROCS}) info.u32(key, world);
  const int apps = std::max(1, start.first_ranks_of_apps_size());
  info.u32(PMIX_JOB_NUM_APPS, static_cast<uint32_t>(apps));
  if (apps == 1) info.u32(PMIX_APP_SIZE, world);
  info.u32(PMIX_LOCAL_SIZE, local);
  info.u32(PMIX_NODE_SIZE, local);
  info.u32(PMIX_NUM_NODES, static_cast<uint32_t>(start.hosts_size()));
}

void describe_job(PmixInfo& info, const control::StartGeneration& start, const std::string& own_name,
                  const std::string& folder) {
  const auto names = node_names(start, own_name);
  std::vector<std::string> lists;
  for (const auto& host : start.hosts()) lists.push_back(list_of(ranks_of(host)));
  char* text = nullptr;
  PMIx_generate_regex(join(names, ",").c_str(), &text);
  info.regex(PMIX_NODE_MAP, text);
  text = nullptr;
  PMIx_generate_ppn(join(lists, ";").c_str(), &text);
  info.regex(PMIX_PROC_MAP, text);
  info.text(PMIX_JOBID, start.name_space());
  info.flag(PMIX_SPAWNED, false);
  info.text(PMIX_TMPDIR, folder);
  info.text(PMIX_NSDIR, folder);
  info.flag(PMIX_TDIR_RMCLEAN, true);
  describe_sizes(info, start);
  const auto own = ranks_of(start.hosts(static_cast<int>(start.node())));
  info.text(PMIX_LOCAL_PEERS, list_of(own));
  info.rank(PMIX_LOCALLDR, own.empty() ? 0 : *std::min_element(own.begin(), own.end()));
  info.rank(PMIX_APPLDR, 0);
  for (int node = 0; node < start.hosts_size(); ++node) {
    const auto ranks = ranks_of(start.hosts(node));
    for (size_t i = 0; i < ranks.size(); ++i)
      describe_rank(info, start, ranks[i], static_cast<uint32_t>(i), static_cast<uint32_t>(node),
                    names[static_cast<size_t>(node)]);
  }
}

std::map<std::string, std::string> mpirun_variables(const control::StartGeneration& start) {
  std::vector<std::string> firsts, sizes;
  const int apps = std::max(1, start.first_ranks_of_apps_size());
  for (int app = 0; app < apps; ++app) {
    const uint32_t first = app == 0 ? 0 : start.first_ranks_of_apps(app);
    const uint32_t end = app + 1 < apps ? start.first_ranks_of_apps(app + 1) : start.world_size();
    firsts.push_back(std::to_string(first));
    sizes.push_back(std::to_string(end - first));
  }
  return {{"OMPI_UNIVERSE_SIZE", std::to_string(start.world_size())},
          {"OMPI_NUM_APP_CTX", std::to_string(apps)},
          {"OMPI_FIRST_RANKS", join(firsts, " ")},
          {"OMPI_APP_CTX_NUM_PROCS", join(sizes, " ")}};
}

}  // namespace ds
