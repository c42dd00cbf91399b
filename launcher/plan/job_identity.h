// Names and secrets of a job: its id, its key, the folders where it may be found.
#pragma once

#include <string>

namespace ds {

// "<name>-<8 hex digits>" with characters outside [A-Za-z0-9._-] replaced; short, because it becomes part of paths of
// unix sockets.
std::string new_job_id(const std::string& name);
std::string new_job_key();  // 32 random bytes

// Where this program really is: dsagent and dsengine stand beside it.
std::string program_folder();
std::string this_host_name();

}  // namespace ds
