// Calls of libpmix that wait for an answer from other hosts, in values of our own: copied in the library's thread,
// answered from the thread of the io_context.
#pragma once

#include <pmix_server.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace ds {

// What all hosts of some ranks do together ends with a status and, for a fence, the data of all.
using PmixAnswer = std::function<void(pmix_status_t, const std::string& data)>;

// Where the result of a fence or a data request goes. Answering hands the library a copy that it frees itself.
struct PmixDataCall {
  pmix_modex_cbfunc_t done = nullptr;
  void* token = nullptr;
  void answer(pmix_status_t status, const std::string& data) const;
};

struct PmixFence {
  std::string key;              // what it is and the ranks that take part, "*" for all; equal on every host
  std::vector<uint32_t> ranks;  // empty = all
  pmix_status_t local_status = PMIX_SUCCESS;
  std::string data;
  PmixAnswer answer;
};
// A fence without data: how ranks that meet by MPI_Comm_accept say that all of them are there.
PmixFence copy_meeting(const std::string& name, const pmix_proc_t* procs, size_t num_procs, const pmix_info_t* info,
                       size_t num_info, pmix_op_cbfunc_t done, void* token);
PmixFence copy_fence(const pmix_proc_t* procs, size_t num_procs, const pmix_info_t* info, size_t num_info, char* data,
                     size_t size, pmix_modex_cbfunc_t done, void* token);

struct Published {
  std::string key, value;
  uint32_t rank = 0;
  bool once = false;  // gone when it has been read
};
// All of them to be published, or to be taken back.
struct PmixPublish {
  std::vector<Published> values;
  bool remove = false;
  pmix_op_cbfunc_t done = nullptr;
  void* token = nullptr;
};
// Text and bytes only; what MPI_Publish_name uses. False if `value` has another type.
bool encode_value(const pmix_value_t& value, std::string& encoded);
bool decode_value(const std::string& encoded, pmix_value_t& value);

struct PmixLookup {
  std::vector<std::string> keys;  // still to ask for
  std::vector<Published> found;
  bool wait = false;                   // until there is a value ...
  std::chrono::milliseconds limit{0};  // ... but no longer than that; 0 = for ever
  pmix_lookup_cbfunc_t done = nullptr;
  void* token = nullptr;
  void answer(const std::string& name_space) const;
};

// For completions of register_*: `then` runs once, in the library's thread.
using PmixThen = std::function<void(pmix_status_t)>;
void* pmix_token(PmixThen then);
void pmix_run_token(pmix_status_t status, void* token);  // a pmix_op_cbfunc_t

}  // namespace ds
