// Streams of the fake: jobs one after the other, each moved a step at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

namespace ds::fake_cuda {

struct Stream {
  using Job = std::function<bool()>;  // true when finished
  std::deque<Job> jobs;
  int64_t enqueued = 0, finished = 0;

  void enqueue(Job job) {
    jobs.push_back(std::move(job));
    ++enqueued;
  }
  void move() {
    while (!jobs.empty() && jobs.front()()) {
      jobs.pop_front();
      ++finished;
    }
  }
};

// Work on `stream`; on the default stream (nullptr) at once.
void enqueue(void* stream, Stream::Job job);
void count_alive(int change);

}  // namespace ds::fake_cuda
