// The generation an agent is serving, seen from the agent: which rank server holds it and how far it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agent/rank_server_link.h"

namespace ds {

struct GenerationSlot {
  enum class State {
    kStarting,  // handed to the rank server
    kRunning,   // it answered GenerationStarted or reported a rank
    kEnding,    // EndGeneration is on its way
  };
  uint32_t generation = 0;
  State state = State::kStarting;
  std::unique_ptr<RankServerLink> server;
  std::string problem;  // from its GenerationEnded
};

}  // namespace ds
