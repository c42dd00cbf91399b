#include "launcher/reach/resident_files.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "agent/channel.h"
#include "launcher/records/job_file.h"
#include "launcher/records/private_file.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {

namespace fs = std::filesystem;

std::string resident_folder() {
  const std::string jobs = job_file_folder();
  return jobs.empty() ? "" : jobs + "/agents";
}

// Host names are not paths, but what the user wrote may be anything.
std::string resident_path(const std::string& folder, const std::string& host) {
  std::string name = lower(host);
  std::replace(name.begin(), name.end(), '/', '_');
  return folder + "/" + name;
}

void write_resident(const std::string& folder, const ResidentRecord& record) {
  write_private_file(resident_path(folder, record.host), record_text(record));
}

void remove_resident(const std::string& folder, const std::string& host) {
  ::unlink(resident_path(folder, host).c_str());
}

std::vector<ResidentRecord> read_residents(const std::string& folder) {
  std::vector<ResidentRecord> records;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    try {
      records.push_back(parse_record(read_file(entry.path()), entry.path()));
    } catch (const Error&) {  // half written, or not ours
    }
  }
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.host < b.host; });
  return records;
}

std::vector<std::string> residents_of(const std::string& folder, const std::vector<Host>& hosts,
                                      const std::string& program) {
  std::vector<std::string> files(hosts.size());
  for (const ResidentRecord& record : read_residents(folder))
    for (size_t host = 0; host < hosts.size(); ++host)
      if (lower(hosts[host].name) == lower(record.host) && hosts[host].user == record.user &&
          record.program == program && record.build == build_id())
        files[host] = resident_path(folder, record.host);
  return files;
}

}  // namespace ds
