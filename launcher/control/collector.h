// Where rank servers of different hosts meet: fences, modex requests and published names of one generation.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ds {

namespace control {
class Envelope;
class Fence;
class Lookup;
class Publish;
}  // namespace control

class Collector {
 public:
  using Clock = std::chrono::steady_clock;
  using Send = std::function<void(int node, const control::Envelope&)>;

  // `node_names` in the generation's order: nodes are indices into it.
  Collector(int generation, std::vector<std::string> node_names, Send send);

  // True when the message was one of its own (of any generation; those of older ones are dropped).
  bool take(const control::Envelope& message, Clock::time_point now);

  // Fences that wait longer than `limit` since their first arrival, each as "fence KEY: waiting 62 s for node2, node3".
  std::vector<std::string> overdue(Clock::time_point now, std::chrono::seconds limit) const;

 private:
  struct OpenFence {
    std::set<int> nodes;  // who takes part
    std::set<int> arrived;
    int status = 0;  // the first that is not 0
    bool waited_for = false;  // by a node that has not seen its end
    std::string data;
    Clock::time_point since;
  };

  void take_fence(const control::Fence& fence, Clock::time_point now);
  void finish_fence(const std::string& key, const OpenFence& fence);
  struct Value {
    std::string value;
    uint32_t rank;
    bool once;  // gone when it has been read
  };
  struct WaitingLookup {
    uint32_t id;
    int node;
    std::string key;
  };

  void take_publish(const control::Publish& publish);
  void add_value(const control::Publish& publish);
  void take_lookup(const control::Lookup& lookup);
  bool answer_lookup(const WaitingLookup& lookup, bool even_without_value);
  bool known(int node) const { return node >= 0 && node < static_cast<int>(names_.size()); }

  int generation_;
  std::vector<std::string> names_;
  Send send_;
  std::map<std::string, OpenFence> fences_;
  std::map<std::string, std::deque<Value>> published_;  // the first is the next to be read; never empty
  std::list<WaitingLookup> waiting_;                    // in the order in which they came
};

}  // namespace ds
