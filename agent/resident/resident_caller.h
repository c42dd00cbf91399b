// dsagent --enter FILE: does through a resident agent what `ssh HOST exec dsagent` does, with the same streams and exit
// code, for the host of that record.
#pragma once

#include <string>
#include <vector>

namespace ds {

// Without arguments, a Bootstrap comes first on `input`. Returns the exit code of dsagent there, or 1 with a reason on
// stderr when the resident agent does not answer within 3 s or is lost.
int enter_through_resident(const std::string& record_file, const std::vector<std::string>& arguments, int input);

}  // namespace ds
