#include "engine/config/train_options.h"

#include <boost/program_options/value_semantic.hpp>
#include <sstream>

#include "engine/config/train_keys.h"
#include "topology/base/text.h"

namespace ds {

namespace po = boost::program_options;

static std::string description(const TrainKey& row) {
  std::string text = row.meaning;
  if (*row.allowed) text += " (" + std::string(row.allowed) + ")";
  if (*row.fallback) text += " [" + std::string(row.fallback) + "]";
  if (*row.later) text += "; not supported yet: " + std::string(*row.later == '*' ? "other values" : row.later);
  return text;
}

static po::options_description section_options(const std::string& section) {
  po::options_description group("[" + section + "]", 110);
  for (const auto& row : train_keys())
    if (std::string_view(row.key).starts_with(section + "."))
      group.add_options()(row.key, po::value<std::string>()->value_name(row.type), description(row).c_str());
  return group;
}

po::options_description train_options() {
  po::options_description all("Keys of train.cfg, each also an option", 110);
  std::string last;
  for (const auto& row : train_keys()) {
    const std::string section = split(row.key, '.').front();
    if (section != last) all.add(section_options(section));
    last = section;
  }
  return all;
}

std::string train_options_help() {
  std::ostringstream text;
  text << train_options();
  return text.str();
}

}  // namespace ds
