// The agent's side of the memory block it shares with one rank (contract.h).
#pragma once

#include <string>

#include "agent/contract.h"

namespace ds {

namespace control {
class Progress;
}

class RankBlockFile {
 public:
  // Creates and maps FOLDER/block.<rank>; throws kInternal. The file goes with its folder.
  RankBlockFile(const std::string& folder, uint32_t rank);
  ~RankBlockFile();
  RankBlockFile(const RankBlockFile&) = delete;
  RankBlockFile& operator=(const RankBlockFile&) = delete;

  const std::string& path() const { return path_; }
  std::string message() const;  // why the rank ends, in its own words; "" = it said nothing

  // Fills in what the rank says about itself.
  void fill(control::Progress& progress) const;

 private:
  std::string path_;
  RankBlock* block_ = nullptr;
};

}  // namespace ds
