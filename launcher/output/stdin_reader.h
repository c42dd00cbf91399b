// Reads the launcher's standard input in a thread of its own and hands the bytes to the io_context, at most as fast as
// they are taken. Works for files, pipes and terminals and never changes their flags.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "agent/file_descriptor.h"

namespace boost::asio {
class io_context;
}

namespace ds {

class StdinReader {
 public:
  // `on_bytes` runs on the io_context; `end` with the last call. A terminal is only read while this process is in its
  // foreground (reading would stop us otherwise).
  StdinReader(boost::asio::io_context& io, std::function<void(const std::string& bytes, bool end)> on_bytes);
  ~StdinReader();

  void allow_next();  // call after each on_bytes when there is room for more

 private:
  void run(const std::stop_token& stop);
  bool wait_readable(const std::stop_token& stop);

  boost::asio::io_context& io_;
  std::function<void(const std::string&, bool)> on_bytes_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool allowed_ = true;
  FileDescriptor wake_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // touched on the io thread only
  std::jthread thread_;
};

}  // namespace ds
