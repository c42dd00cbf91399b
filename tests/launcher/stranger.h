// Somebody at the control port of a job who has no business there: connections from any loopback address, many of them,
// and recordings of what others said.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "agent/file_descriptor.h"

namespace ds::testing {

// Connects to 127.0.0.1 from an address of 127.0.0.0/8. An empty descriptor when nobody accepts within 20 s.
FileDescriptor connect_from(const std::string& source, int port);

void say(int fd, const std::string& bytes);  // gives up quietly when the other side has closed

// What the other side says until it closes; `closed` false when it had not by the deadline.
struct Hearing {
  std::string bytes;
  bool closed = false;
};
Hearing hear_until_closed(int fd, std::chrono::seconds deadline = std::chrono::seconds(60));

bool is_closed(int fd);  // by the other side; reads nothing away that matters here
size_t number_closed(const std::vector<FileDescriptor>& connections);

// Stands between one client and a port, passes everything on and remembers what the client said.
class Eavesdropper {
 public:
  explicit Eavesdropper(int port, int hang_ups = 0);  // so many clients are closed out at once
  ~Eavesdropper();  // ends the conversation

  int port() const { return port_; }  // where the client should connect to
  std::string heard_from_client() const;
  // Says the last `bytes` of what the client said once more, on the same connection.
  void repeat_last(size_t bytes);
  bool ended_by_server() const;

 private:
  FileDescriptor next_client(const std::stop_token& stop) const;
  void pass_on(const std::stop_token& stop, int to_port, int hang_ups);

  FileDescriptor listening_;
  int port_ = 0;
  mutable std::mutex mutex_;
  FileDescriptor server_;
  std::string from_client_;
  bool ended_by_server_ = false;
  std::jthread thread_;
};

}  // namespace ds::testing
