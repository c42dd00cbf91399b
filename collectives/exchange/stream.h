// Bytes from one rank to another within one operation: a head that says what the operation is, then the data in pieces.
//
// Data of at most kInlineBytes travels in the head itself. A receiver posts receives for data only after the head was
// found to agree, so a rank that runs something else never writes into foreign memory and never overruns it. Both ends
// keep at most kWindow pieces in flight.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "collectives/exchange/group.h"

namespace ds {

inline constexpr size_t kInlineBytes = 1024;
inline constexpr int kWindow = 4;

// Messages in flight, oldest first.
class TicketWindow {
 public:
  bool full() const { return count_ == kWindow; }
  bool empty() const { return count_ == 0; }
  void push(Ticket ticket) { tickets_[(first_ + count_++) % kWindow] = ticket; }
  bool pop_finished(Transport& transport);  // the oldest, when it is through
  void forget_all(Transport& transport);

 private:
  std::array<Ticket, kWindow> tickets_{};
  int first_ = 0, count_ = 0;
};

class OutStream {
 public:
  // Nothing of `data` is read before offer(); `data` stays valid until finished.
  OutStream(Group& group, const Call& call, int peer, int tag, const void* data, size_t bytes);
  ~OutStream();
  OutStream(const OutStream&) = delete;
  OutStream& operator=(const OutStream&) = delete;

  void offer(size_t bytes) { offered_ = bytes; }  // the first `bytes` bytes are ready to be sent
  void offer_all() { offered_ = bytes_; }
  bool advance();                                // posts what it can; true when everything was sent
  size_t released() const { return released_; }  // the first bytes whose memory may be overwritten
  bool complete() const { return head_done_ && released_ == bytes_; }
  int peer() const { return peer_; }

 private:
  bool is_inline() const { return bytes_ <= kInlineBytes; }
  void send_head();

  Group& group_;
  const Call call_;
  const int peer_, tag_;
  const char* const data_;
  const size_t bytes_, piece_;
  size_t offered_ = 0, posted_ = 0, released_ = 0;
  bool head_sent_ = false, head_done_ = false;
  Ticket head_ticket_ = 0;
  std::unique_ptr<char[]> head_;
  TicketWindow pieces_;
};

class InStream {
 public:
  // Straight into `data`, of which the first allow() bytes may be written.
  InStream(Group& group, const Call& call, int peer, int tag, void* data, size_t bytes);
  // Into a ring of kWindow pieces at `ring`; the reader frees them by consume().
  static std::unique_ptr<InStream> through_ring(Group& group, const Call& call, int peer, int tag, char* ring,
                                                size_t bytes);
  ~InStream();
  InStream(const InStream&) = delete;
  InStream& operator=(const InStream&) = delete;

  void allow(size_t bytes) { allowed_ = bytes; }
  void allow_all() { allowed_ = bytes_; }
  void consume(size_t bytes);  // ring: the first `bytes` bytes have been read
  bool advance();              // true when everything arrived; throws kInternal when the peer runs another operation
  size_t arrived() const { return arrived_; }        // bytes from the front
  const char* at(size_t offset) const;               // an arrived byte that was not consumed, to the end of its piece
  bool begun() const { return head_seen_; }
  bool complete() const { return head_seen_ && arrived_ == bytes_; }
  int peer() const { return peer_; }

 private:
  void read_head();
  char* place(size_t offset) const;

  Group& group_;
  const Call call_;
  const int peer_, tag_;
  char* data_;
  const size_t bytes_, piece_;
  bool ring_ = false, head_posted_ = false, head_seen_ = false;
  size_t allowed_ = 0, posted_ = 0, arrived_ = 0;
  Ticket head_ticket_ = 0;
  std::unique_ptr<char[]> head_;
  TicketWindow pieces_;
};

}  // namespace ds
