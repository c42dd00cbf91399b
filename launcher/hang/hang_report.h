// A hang between the watch and the rest of a job: what is watched, and what is told.
#pragma once

#include <chrono>
#include <string>

#include "launcher/hang/hang_watch.h"
#include "launcher/output/verdict.h"
#include "launcher/output/event_log.h"

namespace ds {

namespace control {
class Progress;
}
struct Job;

// For a job whose ranks are placed; a program that does not train is not watched: nothing is known of it.
HangWatch hang_watch_of(const Job& job, std::chrono::steady_clock::time_point now);
RankSign sign_of(const control::Progress& progress);

std::string hang_text(const Hang& hang);  // one line: for how long nothing has moved, and whose fault it is
Event hang_event(const Hang& hang, const Job& job);
Verdict hang_verdict(const Hang& hang, const Job& job);

}  // namespace ds
