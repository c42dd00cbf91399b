#include "collectives/exchange/stream.h"

#include <algorithm>
#include <cstring>

#include "topology/base/error.h"

namespace ds {
namespace {

constexpr size_t kHeadBytes = sizeof(Call);

std::unique_ptr<char[]> uninitialised(size_t bytes) { return std::unique_ptr<char[]>(new char[bytes]); }

}  // namespace

bool TicketWindow::pop_finished(Transport& transport) {
  if (count_ == 0 || !transport.finished(tickets_[first_])) return false;
  first_ = (first_ + 1) % kWindow;
  --count_;
  return true;
}

void TicketWindow::forget_all(Transport& transport) {
  for (int i = 0; i < count_; ++i) transport.forget(tickets_[(first_ + i) % kWindow]);
  count_ = 0;
}

OutStream::OutStream(Group& group, const Call& call, int peer, int tag, const void* data, size_t bytes)
    : group_(group),
      call_(call),
      peer_(peer),
      tag_(tag),
      data_(static_cast<const char*>(data)),
      bytes_(bytes),
      piece_(static_cast<size_t>(call.piece_bytes)) {}

OutStream::~OutStream() {
  if (head_sent_ && !head_done_) group_.transport->forget(head_ticket_);
  pieces_.forget_all(*group_.transport);
}

void OutStream::send_head() {
  const size_t payload = is_inline() ? bytes_ : 0;
  head_ = uninitialised(kHeadBytes + payload);
  std::memcpy(head_.get(), &call_, kHeadBytes);
  if (payload > 0) std::memcpy(head_.get() + kHeadBytes, data_, payload);
  head_ticket_ = group_.transport->send(head_.get(), kHeadBytes + payload, peer_, tag_);
  head_sent_ = true;
  group_.sent(call_.kind) += static_cast<int64_t>(payload);
  posted_ = released_ = payload;
}

bool OutStream::advance() {
  if (!head_sent_) {
    if (is_inline() && offered_ < bytes_) return false;
    send_head();
  }
  if (!head_done_) head_done_ = group_.transport->finished(head_ticket_);
  while (pieces_.pop_finished(*group_.transport)) released_ = std::min(bytes_, released_ + piece_);
  while (posted_ < bytes_ && !pieces_.full()) {
    const size_t size = std::min(piece_, bytes_ - posted_);
    if (posted_ + size > offered_) break;
    pieces_.push(group_.transport->send(data_ + posted_, size, peer_, tag_));
    group_.sent(call_.kind) += static_cast<int64_t>(size);
    posted_ += size;
  }
  return head_done_ && released_ == bytes_;
}

InStream::InStream(Group& group, const Call& call, int peer, int tag, void* data, size_t bytes)
    : group_(group),
      call_(call),
      peer_(peer),
      tag_(tag),
      data_(static_cast<char*>(data)),
      bytes_(bytes),
      piece_(static_cast<size_t>(call.piece_bytes)) {}

std::unique_ptr<InStream> InStream::through_ring(Group& group, const Call& call, int peer, int tag, char* ring,
                                                 size_t bytes) {
  auto stream = std::make_unique<InStream>(group, call, peer, tag, ring, bytes);
  stream->ring_ = true;
  stream->consume(0);
  return stream;
}

InStream::~InStream() {
  if (head_posted_ && !head_seen_) group_.transport->forget(head_ticket_);
  pieces_.forget_all(*group_.transport);
}

void InStream::consume(size_t bytes) { allowed_ = std::min(bytes_, bytes + kWindow * piece_); }

char* InStream::place(size_t offset) const { return data_ + (ring_ ? offset % (kWindow * piece_) : offset); }

const char* InStream::at(size_t offset) const {
  return ring_ && bytes_ <= kInlineBytes ? head_.get() + kHeadBytes + offset : place(offset);
}

void InStream::read_head() {
  head_seen_ = true;
  Call theirs;
  std::memcpy(&theirs, head_.get(), kHeadBytes);
  if (!(theirs == call_))
    throw Error(ErrorCode::kInternal, "collectives: " + group_.label() + ": ranks disagree: " +
                                          group_.label(group_.rank()) + " runs " + describe(call_) + ", " +
                                          group_.label(peer_) + " runs " + describe(theirs));
}

bool InStream::advance() {
  if (!head_posted_) {
    head_ = uninitialised(kHeadBytes + kInlineBytes);
    head_ticket_ = group_.transport->receive(head_.get(), kHeadBytes + kInlineBytes, peer_, tag_);
    head_posted_ = true;
  }
  if (!head_seen_) {
    if (!group_.transport->finished(head_ticket_)) return false;
    read_head();
  }
  if (bytes_ <= kInlineBytes) {
    if (arrived_ < bytes_ && (ring_ || allowed_ >= bytes_)) {
      if (!ring_) std::memcpy(data_, head_.get() + kHeadBytes, bytes_);
      arrived_ = bytes_;
    }
    return arrived_ == bytes_;
  }
  while (pieces_.pop_finished(*group_.transport)) arrived_ = std::min(bytes_, arrived_ + piece_);
  while (posted_ < bytes_ && !pieces_.full()) {
    const size_t size = std::min(piece_, bytes_ - posted_);
    if (posted_ + size > allowed_) break;
    pieces_.push(group_.transport->receive(place(posted_), size, peer_, tag_));
    posted_ += size;
  }
  return arrived_ == bytes_;
}

}  // namespace ds
