#include "tests/support/fake_nccl.h"

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "collectives/ordered_sum.h"
#include "tests/support/fake_cuda.h"
#include "tests/support/fake_cuda_streams.h"

namespace ds::fake_cuda {
namespace {

constexpr int kRemoteError = 6, kInvalidUsage = 5;
constexpr int kPollsInProgress = 2;
std::atomic<bool> network_broken = false;
std::atomic<int> aborted = 0;

// A message on offer; taken when its receiver has copied it.
struct Post {
  const void* data;
  size_t bytes;
  bool taken = false;
};

// What the ranks of one communicator share.
struct World {
  explicit World(int n) : size(n) {}
  std::mutex mutex;
  const int size;
  int joined = 0;
  bool closed = false;  // one rank has aborted: nothing moves any more
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Post>>> posts;  // (from, to)
  struct Split {
    std::map<int, std::pair<int, int>> wanted;  // rank -> color, key
    std::map<int, std::shared_ptr<World>> children;
  };
  std::map<int, Split> splits;
};

struct Comm {
  std::shared_ptr<World> world;
  int rank = 0, polls = kPollsInProgress, num_splits = 0;
  bool aborted = false;
  std::function<bool()> pending{};  // a split that waits for the others
};

std::mutex worlds_mutex;
std::map<std::string, std::shared_ptr<World>> worlds;
int next_id = 0;

Comm* comm_of(void* comm) { return static_cast<Comm*>(comm); }

// One group of sends and receives as a job: offers first, then takes what others offer.
struct Exchange {
  struct Part {
    void* data;
    size_t bytes;
    int peer;
  };
  std::vector<Part> sends, receives;
  std::vector<std::shared_ptr<Post>> offers;
  bool offered = false;

  bool step(Comm& comm) {
    if (comm.aborted) return true;
    World& world = *comm.world;
    const std::lock_guard lock(world.mutex);
    if (world.closed) return false;
    if (!offered) {
      for (const Part& part : sends) {
        offers.push_back(std::make_shared<Post>(Post{part.data, part.bytes}));
        world.posts[{comm.rank, part.peer}].push_back(offers.back());
      }
      offered = true;
    }
    std::erase_if(receives, [&](const Part& part) {
      auto& queue = world.posts[{part.peer, comm.rank}];
      if (queue.empty() || queue.front()->bytes != part.bytes) return false;
      if (part.bytes > 0) std::memmove(part.data, queue.front()->data, part.bytes);
      queue.front()->taken = true;
      queue.pop_front();
      return true;
    });
    bool all_taken = true;
    for (const auto& offer : offers) all_taken &= offer->taken;
    return receives.empty() && all_taken;
  }
};

// The group that the calling thread has opened.
thread_local bool grouping = false;
thread_local std::map<std::pair<Comm*, void*>, std::shared_ptr<Exchange>> grouped;

// The same communicator is in use by NCCL's thread while a call is in progress.
int begin_call(Comm& comm) {
  if (comm.aborted || comm.polls > 0) return kInvalidUsage;
  comm.polls = kPollsInProgress;
  return DS_NCCL_IN_PROGRESS;
}

int enqueue_exchange(Comm& comm, std::shared_ptr<Exchange> exchange, void* stream, Stream::Job after = nullptr) {
  const int code = begin_call(comm);
  if (code != DS_NCCL_IN_PROGRESS) return code;
  enqueue(stream, [&comm, exchange = std::move(exchange)] { return exchange->step(comm); });
  if (after) enqueue(stream, [&comm, after] { return comm.aborted || after(); });
  return code;
}

size_t bytes_of(int64_t count, int dtype) { return static_cast<size_t>(count) * size_of(static_cast<DType>(dtype)); }

int message(bool sending, void* data, int64_t count, int dtype, int peer, void* comm, void* stream) {
  const Exchange::Part part{data, bytes_of(count, dtype), peer};
  if (grouping) {
    auto& exchange = grouped[{comm_of(comm), stream}];
    if (!exchange) exchange = std::make_shared<Exchange>();
    (sending ? exchange->sends : exchange->receives).push_back(part);
    return DS_NCCL_SUCCESS;
  }
  auto exchange = std::make_shared<Exchange>();
  (sending ? exchange->sends : exchange->receives).push_back(part);
  return enqueue_exchange(*comm_of(comm), exchange, stream);
}

int unique_id(char* id) {
  const std::lock_guard lock(worlds_mutex);
  std::memset(id, 0, DS_NCCL_ID_BYTES);
  const std::string text = "fake " + std::to_string(next_id++);
  text.copy(id, DS_NCCL_ID_BYTES - 1);
  return 0;
}

int init(void** comm, int size, const char* id, int rank) {
  const std::lock_guard lock(worlds_mutex);
  auto& world = worlds[id];
  if (!world) world = std::make_shared<World>(size);
  if (world->size != size) return kInvalidUsage;
  const std::lock_guard world_lock(world->mutex);
  ++world->joined;
  *comm = new Comm{world, rank};
  count_alive(1);
  return DS_NCCL_IN_PROGRESS;
}

int split(void* parent, int color, int key, void** child) {
  Comm& comm = *comm_of(parent);
  const int code = begin_call(comm);
  if (code != DS_NCCL_IN_PROGRESS) return code;
  const int number = comm.num_splits++;
  {
    const std::lock_guard lock(comm.world->mutex);
    comm.world->splits[number].wanted[comm.rank] = {color, key};
  }
  *child = nullptr;
  comm.pending = [&comm, number, color, key, child] {
    const std::lock_guard lock(comm.world->mutex);
    auto& all = comm.world->splits[number];
    if (static_cast<int>(all.wanted.size()) < comm.world->size) return false;
    if (color < 0) return true;
    int size = 0, rank = 0;
    for (const auto& [other, wanted] : all.wanted) {
      if (wanted.first != color) continue;
      ++size;
      rank += wanted.second < key;
    }
    auto& world = all.children[color];
    if (!world) world = std::make_shared<World>(size);
    const std::lock_guard child_lock(world->mutex);
    ++world->joined;
    *child = new Comm{world, rank};
    count_alive(1);
    return true;
  };
  return code;
}

int state(void* handle, int* state) {
  Comm& comm = *comm_of(handle);
  if (comm.aborted) return kInvalidUsage;
  *state = DS_NCCL_IN_PROGRESS;
  if (network_broken && comm.world->size > 1) {
    *state = kRemoteError;
    return 0;
  }
  {
    const std::lock_guard lock(comm.world->mutex);
    if (comm.world->joined < comm.world->size) return 0;
  }
  if (comm.pending) {
    if (!comm.pending()) return 0;
    comm.pending = nullptr;
  }
  if (comm.polls > 0 && --comm.polls > 0) return 0;
  *state = DS_NCCL_SUCCESS;
  return 0;
}

// Their memory stays: jobs of their streams still look at it.
std::vector<std::unique_ptr<Comm>> aborted_comms;

int abort(void* handle) {
  if (grouping) return kInvalidUsage;  // NCCL would only queue it
  Comm& comm = *comm_of(handle);
  {
    const std::lock_guard lock(worlds_mutex);
    aborted_comms.emplace_back(&comm);
  }
  const std::lock_guard lock(comm.world->mutex);
  comm.aborted = comm.world->closed = true;
  ++aborted;
  count_alive(-1);
  return 0;
}

int destroy(void* handle) {
  delete comm_of(handle);
  count_alive(-1);
  return 0;
}

int group_start() {
  grouping = true;
  return 0;
}

int group_end() {
  grouping = false;
  int code = 0;
  for (auto& [where, exchange] : grouped) code = enqueue_exchange(*where.first, exchange, where.second);
  grouped.clear();
  return code;
}

int send(const void* data, int64_t count, int dtype, int peer, void* comm, void* stream) {
  return message(true, const_cast<void*>(data), count, dtype, peer, comm, stream);
}
int receive(void* data, int64_t count, int dtype, int peer, void* comm, void* stream) {
  return message(false, data, count, dtype, peer, comm, stream);
}

// Everybody's `bytes` at `in`, in rank order at `out`; also the own ones.
std::shared_ptr<Exchange> gathering(Comm& comm, const void* in, char* out, size_t bytes) {
  auto exchange = std::make_shared<Exchange>();
  for (int peer = 0; peer < comm.world->size; ++peer) {
    exchange->sends.push_back({const_cast<void*>(in), bytes, peer});
    exchange->receives.push_back({out + static_cast<size_t>(peer) * bytes, bytes, peer});
  }
  return exchange;
}

int all_gather(const void* in, void* out, int64_t count, int dtype, void* comm, void* stream) {
  Comm& c = *comm_of(comm);
  return enqueue_exchange(c, gathering(c, in, static_cast<char*>(out), bytes_of(count, dtype)), stream);
}

int broadcast(void* data, int64_t count, int dtype, int root, void* comm, void* stream) {
  Comm& c = *comm_of(comm);
  auto exchange = std::make_shared<Exchange>();
  if (c.rank != root) exchange->receives.push_back({data, bytes_of(count, dtype), root});
  for (int peer = 0; peer < c.world->size && c.rank == root; ++peer)
    if (peer != root) exchange->sends.push_back({data, bytes_of(count, dtype), peer});
  return enqueue_exchange(c, exchange, stream);
}

// Reduces the pieces of all ranks, `count` elements each, into `out`.
Stream::Job reduction(std::shared_ptr<std::vector<char>> pieces, void* out, int64_t count, int dtype, int op, int n) {
  return [=] {
    std::vector<const void*> leaves;
    for (int r = 0; r < n; ++r) leaves.push_back(pieces->data() + static_cast<size_t>(r) * bytes_of(count, dtype));
    reduce_in_order(out, leaves, count, static_cast<DType>(dtype), static_cast<ReduceOp>(op));
    return true;
  };
}

int all_reduce(void* data, int64_t count, int dtype, int op, void* comm, void* stream) {
  Comm& c = *comm_of(comm);
  auto pieces = std::make_shared<std::vector<char>>(bytes_of(count, dtype) * c.world->size);
  return enqueue_exchange(c, gathering(c, data, pieces->data(), bytes_of(count, dtype)), stream,
                          reduction(pieces, data, count, dtype, op, c.world->size));
}

int reduce_scatter(const void* in, void* out, int64_t count, int dtype, int op, void* comm, void* stream) {
  Comm& c = *comm_of(comm);
  const size_t bytes = bytes_of(count, dtype);
  auto pieces = std::make_shared<std::vector<char>>(bytes * c.world->size);
  auto exchange = std::make_shared<Exchange>();
  for (int peer = 0; peer < c.world->size; ++peer) {
    exchange->sends.push_back({const_cast<char*>(static_cast<const char*>(in)) + peer * bytes, bytes, peer});
    exchange->receives.push_back({pieces->data() + peer * bytes, bytes, peer});
  }
  return enqueue_exchange(c, exchange, stream, reduction(pieces, out, count, dtype, op, c.world->size));
}

const char* error(int code) { return code == kRemoteError ? "remote process exited or there was a network error" : "invalid usage"; }

}  // namespace

void break_network(bool broken) { network_broken = broken; }
int num_aborted() { return aborted; }

void fill_nccl(DsCudaModule& t) {
  t.nccl_absence = [] { return static_cast<const char*>(nullptr); };
  t.nccl_error = error;
  t.nccl_runtime_version = [](int* version) { return *version = 22907, 0; };
  t.nccl_unique_id = unique_id;
  t.nccl_init = init;
  t.nccl_split = split;
  t.nccl_state = state;
  t.nccl_abort = abort;
  t.nccl_destroy = destroy;
  t.nccl_group_start = group_start;
  t.nccl_group_end = group_end;
  t.nccl_send = send;
  t.nccl_receive = receive;
  t.nccl_all_gather = all_gather;
  t.nccl_broadcast = broadcast;
  t.nccl_all_reduce = all_reduce;
  t.nccl_reduce_scatter = reduce_scatter;
}

}  // namespace ds::fake_cuda
