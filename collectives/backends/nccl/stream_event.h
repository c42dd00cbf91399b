// A point in a stream's work: has it come this far?
#pragma once

#include "collectives/backends/nccl/nccl_handle.h"

namespace ds {

class StreamEvent {
 public:
  explicit StreamEvent(NcclHandle& handle) : handle_(handle) {
    handle.check_cuda(handle.table().event_create(&event_), "creating an event");
  }
  ~StreamEvent() { handle_.table().event_destroy(event_); }
  StreamEvent(const StreamEvent&) = delete;
  StreamEvent& operator=(const StreamEvent&) = delete;

  void record() { handle_.check_cuda(handle_.table().event_record(event_, handle_.stream()), "recording an event"); }
  bool reached() {
    int done = 0;
    handle_.check_cuda(handle_.table().event_query(event_, &done), "work on the device");
    return done != 0;
  }

 private:
  NcclHandle& handle_;
  void* event_ = nullptr;
};

}  // namespace ds
