// The places on a host where a job keeps files, and how they come and go:
//   /tmp/dsl-<uid>/<job>/<index>.<host>/       run folder of the agent, 0700; g<generation>/ below it
//   /dev/shm/dsl-<uid>-<job>-<index>-g<generation>/   blocks of the ranks, shared segments of MPI
// Index and host name keep agents apart that share /tmp or /dev/shm.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ds {

class JobFolders {
 public:
  JobFolders(std::string job, uint32_t host_index, std::string host_name);

  std::string host_folder() const;
  std::string run_folder(uint32_t generation) const;
  std::string memory_folder(uint32_t generation) const;

  // Throws kInternal or kUsage naming the path: not creatable, or owned by someone else.
  void create_host_folder() const;
  void create_generation(uint32_t generation) const;
  void remove_generation(uint32_t generation) const;
  void remove_all() const;  // of this agent, and the parents that are empty then

 private:
  std::string job_;
  uint32_t host_index_;
  std::string host_name_;
};

bool valid_job_id(const std::string& job);  // [A-Za-z0-9._-]+, not starting with a dot, at most 100 characters

std::string own_host_name();

std::vector<std::string> jobs_with_folders();  // of this user, on hosts that share this /tmp

// Sweep: the run folders a job has for this host name, whatever the index.
std::vector<std::string> host_folders_of_job(const std::string& job, const std::string& host_name);
void remove_files_of_job(const std::string& job, const std::string& host_name);

// Creates a file of mode 0600 below an existing folder; the name must not leave it.
void write_run_file(const std::string& folder, const std::string& name, const std::string& content);

}  // namespace ds
