// Parameters of Open MPI that mean an option of dslaunch, from --mca and from the environment.
#include "launcher/options/placement_parameters.h"

#include <gtest/gtest.h>

#include "launcher/options/options.h"
#include "tests/topology/expect_error.h"

namespace ds {
namespace {

using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

Options parsed(Words words, const Variables& environment = {}, const Words& section = {}) {
  words.push_back("true");
  return parse_options(words, section, environment);
}
Options mca(const std::string& key, const std::string& value) { return parsed({"--mca", key, value}); }

TEST(PlacementParameters, MeanOptions) {
  EXPECT_TRUE(mca("rmaps_base_oversubscribe", "1").oversubscribe);
  EXPECT_EQ(mca("hwloc_base_binding_policy", "none").bind_to, "none");
  EXPECT_EQ(mca("rmaps_base_mapping_policy", "ppr:2:node").map_by, "ppr:2:node");
  EXPECT_EQ(mca("rmaps_base_n_persocket", "2").map_by, "ppr:2:socket");
  EXPECT_EQ(mca("rmaps_base_ranking_policy", "core").rank_by, "core");
  EXPECT_EQ(mca("hwloc_base_cpu_list", "0,2").cpu_list, "0,2");
  EXPECT_TRUE(mca("hwloc_base_report_bindings", "true").report_bindings);
  EXPECT_EQ(mca("orte_default_hostfile", "f").default_hostfile, "f");
  EXPECT_TRUE(mca("hwloc_base_binding_policy", "none").mca.empty()) << "no rank needs it";
  EXPECT_EQ(mca("hwloc_base_binding_policy", "none").notes, Words{});
}

TEST(PlacementParameters, EachMeansAnOptionThatThereIs) {
  for (const char* key : {"rmaps_base_oversubscribe", "rmaps_base_no_oversubscribe", "rmaps_base_no_schedule_local",
                          "rmaps_base_bycore", "rmaps_base_bynode", "rmaps_base_byslot", "rmaps_base_pernode",
                          "rmaps_base_n_pernode", "rmaps_base_cpus_per_rank", "rmaps_base_display_map", "orte_rankfile",
                          "hwloc_base_bind_to_core", "hwloc_base_bind_to_socket", "hwloc_base_use_hwthreads_as_cpus",
                          "orte_display_alloc", "orte_tag_output", "orte_timestamp_output"})
    EXPECT_NO_THROW(mca(key, "1")) << key;
}

TEST(PlacementParameters, SwitchesAreOnOrOff) {
  for (const char* off : {"0", "false", "no", "disabled"})
    EXPECT_FALSE(mca("rmaps_base_oversubscribe", off).oversubscribe) << off;
  for (const char* on : {"1", "TRUE", "yes", "2"}) EXPECT_TRUE(mca("rmaps_base_oversubscribe", on).oversubscribe) << on;
  expect_words(usage_error_of([] { mca("rmaps_base_oversubscribe", "maybe"); }),
               {"--mca rmaps_base_oversubscribe", "maybe", "1 or 0"});
}

TEST(PlacementParameters, AreObeyedInTheEnvironment) {
  EXPECT_TRUE(parsed({}, {{"OMPI_MCA_rmaps_base_oversubscribe", "1"}}).oversubscribe);
  EXPECT_EQ(parsed({}, {{"OMPI_MCA_hwloc_base_binding_policy", "none"}}).bind_to, "none");
  EXPECT_EQ(parsed({}, {{"OMPI_MCA_hwloc_base_binding_policy", ""}}).bind_to, "");
  expect_words(usage_error_of([] { parsed({}, {{"OMPI_MCA_hwloc_base_binding_policy", "rubbish"}}); }),
               {"OMPI_MCA_hwloc_base_binding_policy", "rubbish", "must be one of none"});
}

TEST(PlacementParameters, GiveWayToTheOptionThenToMcaThenToTheSection) {
  const Variables environment = {{"OMPI_MCA_hwloc_base_binding_policy", "none"}};
  const Words given = {"--mca", "hwloc_base_binding_policy", "core"}, section = {"--bind-to", "numa"};
  EXPECT_EQ(parsed({"--bind-to", "socket", given[0], given[1], given[2]}, environment, section).bind_to, "socket");
  EXPECT_EQ(parsed(given, environment, section).bind_to, "core");
  EXPECT_EQ(parsed({}, environment, section).bind_to, "numa");
  EXPECT_FALSE(parsed({"--nooversubscribe"}, {{"OMPI_MCA_rmaps_base_oversubscribe", "1"}}).oversubscribe);
  EXPECT_TRUE(parsed({"--oversubscribe"}, {{"OMPI_MCA_rmaps_base_no_oversubscribe", "1"}}).oversubscribe);
}

TEST(PlacementParameters, OfALauncherAroundUsAreNotOurs) {
  const Variables rank = {{"OMPI_MCA_rmaps_base_oversubscribe", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}};
  EXPECT_FALSE(parsed({}, rank).oversubscribe);
}

TEST(PlacementParameters, ThoseWithoutAMeaningAreNoted) {
  const Options given = mca("rmaps_dist_device", "x"), inherited = parsed({}, {{"OMPI_MCA_rmaps_dist_device", "x"}});
  for (const Options& options : {given, inherited}) {
    ASSERT_EQ(options.notes.size(), 1u);
    expect_words(options.notes[0], {"rmaps_dist_device has no effect here", "--map-by"});
  }
  expect_words(mca("plm_base_verbose", "1").notes.at(0), {"about mpirun's daemons"});
  EXPECT_EQ(parsed({}, {{"OMPI_MCA_plm_base_verbose", "1"}, {"OMPI_MCA_btl", "self"}}).notes, Words{});
}

}  // namespace
}  // namespace ds
