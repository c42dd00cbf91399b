#include "collectives/communicator.h"

namespace ds {

Work::~Work() = default;  // an unfinished operation waits in its own destructor

bool Work::test() { return !operation_ || operation_->test(); }

void Work::wait() {
  if (operation_) operation_->wait();
}

}  // namespace ds
