#include "agent/rank_server/pmix_info.h"

#include <cstdlib>
#include <cstring>

namespace ds {

PmixInfo::~PmixInfo() {
  for (auto& info : list_) PMIX_INFO_DESTRUCT(&info);
}

pmix_info_t& PmixInfo::add(const char* key, pmix_data_type_t type) {
  auto& info = list_.emplace_back();
  PMIX_INFO_CONSTRUCT(&info);
  PMIX_LOAD_KEY(info.key, key);
  info.value.type = type;
  return info;
}

void PmixInfo::text(const char* key, const std::string& value) {
  add(key, PMIX_STRING).value.data.string = strdup(value.c_str());
}
void PmixInfo::flag(const char* key, bool value) { add(key, PMIX_BOOL).value.data.flag = value; }
void PmixInfo::u16(const char* key, uint16_t value) { add(key, PMIX_UINT16).value.data.uint16 = value; }
void PmixInfo::u32(const char* key, uint32_t value) { add(key, PMIX_UINT32).value.data.uint32 = value; }
void PmixInfo::integer(const char* key, int value) { add(key, PMIX_INT).value.data.integer = value; }
void PmixInfo::rank(const char* key, uint32_t value) { add(key, PMIX_PROC_RANK).value.data.rank = value; }

void PmixInfo::regex(const char* key, char* malloced) {
  auto& info = add(key, PMIX_UNDEF);
  PMIX_INFO_LOAD(&info, key, malloced, PMIX_REGEX);
  free(malloced);
}

void PmixInfo::array(const char* key, PmixInfo&& elements) {
  auto& info = add(key, PMIX_DATA_ARRAY);
  PMIX_DATA_ARRAY_CREATE(info.value.data.darray, elements.list_.size(), PMIX_INFO);
  std::memcpy(info.value.data.darray->array, elements.list_.data(), elements.list_.size() * sizeof(pmix_info_t));
  elements.list_.clear();
}

}  // namespace ds
