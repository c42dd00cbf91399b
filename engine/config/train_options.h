// The same keys as Boost.Program_options descriptions: --help text, and which names exist.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <string>

namespace ds {

// One option per key, named "section.key", grouped by section, each taking a text.
boost::program_options::options_description train_options();

// "  --train.steps integer   optimizer steps in total …" for every key.
std::string train_options_help();

}  // namespace ds
