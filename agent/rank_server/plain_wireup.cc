// Programs that do not need each other: nothing is added, nothing is known.
#include "agent/rank_server/wireup.h"

namespace ds {

namespace {

class PlainWireup final : public Wireup {
 public:
  void prepare(const control::StartGeneration&, std::function<void(std::string)> ready) override { ready(""); }
  void extend(Environment&, uint32_t) override {}
  void handle(const control::Envelope&) override {}
  bool connected(uint32_t) const override { return false; }
  bool finalized(uint32_t) const override { return false; }
};

}  // namespace

std::unique_ptr<Wireup> make_plain_wireup() { return std::make_unique<PlainWireup>(); }

}  // namespace ds
