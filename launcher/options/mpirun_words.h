// Options that other launchers have (Open MPI's mpirun 4.1 and 5, MPICH's, DeepSpeed's) and dslaunch has under another
// name or not at all, as data: scripts written for them either work or are told what to write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ds {

struct MpirunWord {
  std::vector<std::string> names;  // without dashes
  int num_values = 0;
  // The option of dslaunch and its value, "%" standing for the value given; empty: none.
  std::vector<std::string> meaning;
  std::string reason;                // with no meaning: what to do instead; empty: accepted, nothing to do
};

const std::vector<MpirunWord>& mpirun_words();

// nullptr when no word has exactly this name.
const MpirunWord* find_mpirun_word(std::string_view name);

// What to write instead of a directive of Open MPI 5's --output ("tag", "timestamp", "dir=x"); "" when it is none.
std::string meaning_of_output_directive(std::string_view text);

// A parameter (--mca KEY) about mpirun's own daemons, of which dslaunch has none: plm_rsh_args, orte_..., oob_tcp_...
bool is_about_daemons(std::string_view parameter);

}  // namespace ds
