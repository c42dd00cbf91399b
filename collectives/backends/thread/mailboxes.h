// Where threads that play ranks leave messages for each other.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace ds {

class Mailboxes {
 public:
  struct Message {
    int context, source, tag;
    const void* data;
    size_t bytes;
    std::unique_ptr<char[]> copy;  // of a short message: its sender need not wait
    std::shared_ptr<std::atomic<bool>> taken;
  };

  explicit Mailboxes(int size) : boxes_(size) {}
  void post(int to, Message message);
  // Copies the oldest message of (context, source, tag) to `data`; false when there is none. Throws kInternal when it
  // is longer than `bytes`.
  bool take(int owner, int context, int source, int tag, void* data, size_t bytes);
  void withdraw(int to, const std::shared_ptr<std::atomic<bool>>& taken);  // its sender gives up

  // The same number for all ranks that split the same group in the same step with the same color.
  int context(int parent, int step, int color);

  // After close() whoever makes progress throws kUnavailable with this reason.
  void close(const std::string& reason);
  void throw_if_closed() const;

 private:
  struct Box {
    std::mutex mutex;
    std::list<Message> messages;
  };
  std::vector<Box> boxes_;
  std::mutex contexts_mutex_;
  std::map<std::tuple<int, int, int>, int> contexts_;
  mutable std::mutex reason_mutex_;
  std::string reason_;
  std::atomic<bool> closed_{false};
};

}  // namespace ds
