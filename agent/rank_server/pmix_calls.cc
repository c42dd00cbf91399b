#include "agent/rank_server/pmix_calls.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace ds {

void PmixDataCall::answer(pmix_status_t status, const std::string& data) const {
  if (!done) return;
  auto* copy = new std::string(data);
  done(
      status, copy->data(), copy->size(), token, [](void* held) { delete static_cast<std::string*>(held); }, copy);
}

static PmixFence fence_of(const pmix_proc_t* procs, size_t num_procs, const pmix_info_t* info, size_t num_info) {
  PmixFence fence;
  bool all = false;
  for (size_t i = 0; i < num_procs; ++i) {
    all |= procs[i].rank == PMIX_RANK_WILDCARD;
    fence.ranks.push_back(procs[i].rank);
  }
  std::sort(fence.ranks.begin(), fence.ranks.end());
  if (all) fence.ranks.clear();
  for (const uint32_t rank : fence.ranks) fence.key += std::to_string(rank) + ",";
  if (all) fence.key = "*";
  for (size_t i = 0; i < num_info; ++i)
    if (PMIX_CHECK_KEY(&info[i], PMIX_LOCAL_COLLECTIVE_STATUS)) fence.local_status = info[i].value.data.status;
  return fence;
}

PmixFence copy_fence(const pmix_proc_t* procs, size_t num_procs, const pmix_info_t* info, size_t num_info, char* data,
                     size_t size, pmix_modex_cbfunc_t done, void* token) {
  PmixFence fence = fence_of(procs, num_procs, info, num_info);
  if (data) fence.data.assign(data, size);
  free(data);  // the headers give it to the library, but no released version frees it
  const PmixDataCall call{done, token};
  fence.answer = [call](pmix_status_t status, const std::string& all) { call.answer(status, all); };
  return fence;
}

PmixFence copy_meeting(const std::string& name, const pmix_proc_t* procs, size_t num_procs, const pmix_info_t* info,
                       size_t num_info, pmix_op_cbfunc_t done, void* token) {
  PmixFence meeting = fence_of(procs, num_procs, info, num_info);
  meeting.key = name + " " + meeting.key;
  meeting.answer = [done, token](pmix_status_t status, const std::string&) { done(status, token); };
  return meeting;
}

bool encode_value(const pmix_value_t& value, std::string& encoded) {
  if (value.type == PMIX_STRING && value.data.string) {
    encoded = std::string("s") + value.data.string;
  } else if (value.type == PMIX_BYTE_OBJECT) {
    encoded = "b" + std::string(value.data.bo.bytes, value.data.bo.size);
  } else {
    return false;
  }
  return true;
}

bool decode_value(const std::string& encoded, pmix_value_t& value) {
  if (encoded.empty()) return false;
  const std::string rest = encoded.substr(1);
  if (encoded[0] == 's') {
    value.type = PMIX_STRING;
    value.data.string = strdup(rest.c_str());
    return true;
  }
  if (encoded[0] != 'b') return false;
  value.type = PMIX_BYTE_OBJECT;
  value.data.bo.size = rest.size();
  value.data.bo.bytes = static_cast<char*>(malloc(rest.size() + 1));
  std::memcpy(value.data.bo.bytes, rest.data(), rest.size());
  return true;
}

void PmixLookup::answer(const std::string& name_space) const {
  std::vector<pmix_pdata_t> results;
  for (const auto& one : found) {
    auto& result = results.emplace_back();
    PMIX_PDATA_CONSTRUCT(&result);
    PMIX_LOAD_PROCID(&result.proc, name_space.c_str(), one.rank);
    PMIX_LOAD_KEY(result.key, one.key.c_str());
    decode_value(one.value, result.value);
  }
  done(results.empty() ? PMIX_ERR_NOT_FOUND : PMIX_SUCCESS, results.data(), results.size(), token);
  for (auto& result : results) PMIX_PDATA_DESTRUCT(&result);
}

void* pmix_token(PmixThen then) { return new PmixThen(std::move(then)); }

void pmix_run_token(pmix_status_t status, void* token) {
  const std::unique_ptr<PmixThen> then(static_cast<PmixThen*>(token));
  (*then)(status);
}

}  // namespace ds
