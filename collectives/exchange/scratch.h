// Memory for pieces on their way, kept between operations: fresh pages cost more than the copy they are for.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace ds {

class ScratchPool : public std::enable_shared_from_this<ScratchPool> {
 public:
  // Returns its memory to the pool when destroyed. Contents are undefined.
  class Block {
   public:
    Block() = default;
    Block(Block&& other) noexcept;
    Block& operator=(Block&& other) noexcept;
    ~Block();
    char* data() const { return memory_.get(); }

   private:
    friend class ScratchPool;
    void give_back();
    std::shared_ptr<ScratchPool> pool_;
    std::unique_ptr<char[]> memory_;
    size_t bytes_ = 0;
  };

  Block take(size_t bytes);

 private:
  struct Free {
    std::unique_ptr<char[]> memory;
    size_t bytes = 0;
  };
  std::vector<Free> free_;  // at most a few; the smallest goes first when there are more
};

}  // namespace ds
