// Which hosts of a job are there, what has become of its generations, and from both the plan of the next one. Told what
// happens and when; asks nobody.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launcher/elastic/elastic_world.h"
#include "launcher/elastic/generation_decision.h"
#include "launcher/elastic/membership.h"

namespace ds {

struct Handover;
struct Job;
struct Verdict;

class GenerationPlanner {
 public:
  using Time = Membership::Time;

  explicit GenerationPlanner(Job& job);  // borrowed: plans are put into it

  Membership& hosts() { return members_; }
  const Membership& hosts() const { return members_; }
  bool has_ranks(int host) const;  // in the plan of the job
  const FirstGeneration& first() const { return world_.first(); }

  // The first plan: as if nothing were elastic when every host is there and no limit is passed; else the largest world that
  // the configuration allows. False: the hosts that are there are too few. Throws kUsage when no world is possible at all.
  bool plan_first(Time now);
  // In the place of a launcher that died; `goes_on`: its ranks are all there. False: too few hosts.
  bool plan_after(const Handover& left, bool goes_on, Time now);
  // Whether a generation that waits for hosts can have those that are there: they are enough, and they are as many as
  // there were or no other host may come in a moment. Hosts that fell silent together come back one after the other, and
  // programs do not grow later.
  bool can_plan(Time now) const;
  // In place of the plan of the generation before: what was decided, or what is possible by now. Returns a sentence.
  std::string plan_next(Time now);

  // A generation is over. `setback`: why, none = on our own wish; `reached`: the last step, -1 = none, nullopt = no steps.
  enum class Course { kAgain, kWait, kGiveUp };
  struct Outcome {
    Course course = Course::kWait;
    GiveUp end{};      // with kGiveUp
    std::string text;  // what comes, with kAgain
  };
  Outcome decide(const Verdict* setback, std::optional<int64_t> reached, Time now);

  // Ranks that the job could have with hosts that are back and have stayed; 0 = not more than now.
  int larger_world(Time now) const;
  std::string gone_hosts() const;  // "node2, node3"

  void checkpoint_at(int64_t step) { checkpoint_ = step; }

 private:
  GenerationChoice best_choice(Time now) const;
  GenerationChoice choose(const std::vector<HostRoom>& rooms) const;
  void blame(const Verdict& verdict, Time now);
  std::string text_of(const GenerationChoice& choice) const;
  const std::string& name(size_t host) const;

  Job& job_;
  Membership members_;
  ElasticWorld world_;
  GenerationHistory history_;
  GenerationChoice next_;
  int64_t checkpoint_ = -1;
};

}  // namespace ds
