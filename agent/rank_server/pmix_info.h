// Builds the attribute lists of libpmix and frees what they hold.
#pragma once

#include <pmix.h>

#include <string>
#include <vector>

namespace ds {

class PmixInfo {
 public:
  PmixInfo() = default;
  PmixInfo(const PmixInfo&) = delete;
  PmixInfo& operator=(const PmixInfo&) = delete;
  ~PmixInfo();

  void text(const char* key, const std::string& value);
  void flag(const char* key, bool value);
  void u16(const char* key, uint16_t value);
  void u32(const char* key, uint32_t value);
  void integer(const char* key, int value);
  void rank(const char* key, uint32_t value);
  void regex(const char* key, char* malloced);       // takes ownership
  void array(const char* key, PmixInfo&& elements);  // moves the elements into it

  pmix_info_t* data() { return list_.data(); }
  size_t size() const { return list_.size(); }

 private:
  pmix_info_t& add(const char* key, pmix_data_type_t type);
  std::vector<pmix_info_t> list_;
};

}  // namespace ds
