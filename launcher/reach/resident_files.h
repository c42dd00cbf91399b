// The private files by which jobs find the resident agents of their user: $XDG_STATE_HOME/dslaunch/agents/<host>, 0600.
#pragma once

#include <string>
#include <vector>

#include "agent/resident/resident_record.h"
#include "topology/host.h"

namespace ds {

// Beside the job files; "" when there is no home.
std::string resident_folder();
std::string resident_path(const std::string& folder, const std::string& host);

void write_resident(const std::string& folder, const ResidentRecord& record);  // throws kUsage naming path and reason
void remove_resident(const std::string& folder, const std::string& host);
std::vector<ResidentRecord> read_residents(const std::string& folder);  // by host; unreadable ones are left out

// For each host the file of a resident agent that can stand for `ssh [-l user] host exec program` in a job of this
// build; "" = none.
std::vector<std::string> residents_of(const std::string& folder, const std::vector<Host>& hosts,
                                      const std::string& program);

}  // namespace ds
