// The launcher that trained into an output folder before this one and did not end its job: what its ranks are to us.
#pragma once

#include <string>

namespace ds {

struct Job;

// Looks for such a launcher of an elastic job, whose agents may still be there: by its private job file if it ran on this
// host, else by what the output folder says. To be called by who holds the lock of that folder, which proves that it is
// gone. An elastic job gets its id, `after`, and, if it can be resumed, its key; any other job would meet its ranks:
// throws kUnavailable. Files of jobs whose agents are gone are removed.
void find_predecessor(const std::string& job_file_folder, Job& job);

}  // namespace ds
