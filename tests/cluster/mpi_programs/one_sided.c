/* Windows over all hosts with every way to synchronise, and memory that the ranks of a host share. */
#include "show.h"

enum { kWindow = 64, kRounds = 20 };
static int rank, size, next, previous;
static int* memory;
static MPI_Win window;

static void clear_window(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kWindow; ++i) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void with_fences(void) {
  const int mine[3] = {10 * rank, 10 * rank + 1, 10 * rank + 2};
  int got[3] = {-1, -1, -1};
  MPI_Datatype every_second;
  clear_window();
  MPI_Win_fence(0, window);
  MPI_Put(mine, 3, MPI_INT, next, 0, 3, MPI_INT, window);
  MPI_Win_fence(0, window);
  show("put", memory, 3);
  MPI_Get(got, 3, MPI_INT, next, 0, 3, MPI_INT, window);
  MPI_Win_fence(0, window);
  show("get", got, 3);
  for (int to = 0; to < size; ++to) MPI_Accumulate(mine, 3, MPI_INT, to, 3, 3, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  show("accumulate", memory + 3, 3);
  MPI_Type_vector(3, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Put(mine, 3, MPI_INT, previous, 10, 1, every_second, window);
  MPI_Win_fence(0, window);
  show("put with gaps", memory + 10, 6);
  MPI_Type_free(&every_second);
}

/* Counters in the window of rank 0; each rank's own results depend on the order, their sums do not. */
static void with_locks(void) {
  const int one = 1, two = 2;
  int before = 0, sum = 0, total = 0, result[2] = {0, 0};
  clear_window();
  for (int round = 0; round < kRounds; ++round) {
    int value;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    value += rank + 1;
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
  }
  MPI_Win_lock_all(0, window);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 1, MPI_SUM, window);
    MPI_Win_flush(0, window);
    sum += before;
  }
  MPI_Get_accumulate(&two, 1, MPI_INT, result, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_flush_all(window);
  MPI_Win_unlock_all(window);
  MPI_Allreduce(&sum, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  show_one("fetch_and_op", total);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  show("locks, fetch_and_op, get_accumulate", memory, rank == 0 ? 3 : 0);
  MPI_Win_unlock(0, window);
}

/* A lock of one's own: 0 = free, else rank + 1. */
static void with_compare_and_swap(void) {
  const int mine = rank + 1, nobody = 0, seven = 7;
  clear_window();
  MPI_Win_lock_all(0, window);
  for (int round = 0; round < kRounds; ++round) {
    int holder, ignored;
    do {
      MPI_Compare_and_swap(&mine, &nobody, &holder, MPI_INT, 0, 0, window);
      MPI_Win_flush(0, window);
    } while (holder != nobody);
    MPI_Fetch_and_op(&seven, &ignored, MPI_INT, 0, 1, MPI_SUM, window);
    MPI_Win_flush(0, window);
    MPI_Compare_and_swap(&nobody, &mine, &holder, MPI_INT, 0, 0, window);
    MPI_Win_flush(0, window);
    if (holder != mine) MPI_Abort(MPI_COMM_WORLD, 5);
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  show("compare_and_swap", memory, rank == 0 ? 2 : 0);
  MPI_Win_unlock(0, window);
}

static void with_requests(void) {
  const int mine = 100 + rank;
  int got = -1;
  MPI_Request request;
  clear_window();
  MPI_Win_lock_all(0, window);
  MPI_Rput(&mine, 1, MPI_INT, next, 5, 1, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Raccumulate(&mine, 1, MPI_INT, previous, 6, 1, MPI_INT, MPI_MAX, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Rget(&got, 1, MPI_INT, next, 5, 1, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(window);
  show("rput, raccumulate", memory + 5, 2);
  show_one("rget", got);
}

/* Each rank opens its window to the one before it and writes to the one after it. */
static void with_post_and_start(void) {
  const int mine[2] = {rank, 2 * rank};
  MPI_Group world, origin, target;
  clear_window();
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &previous, &origin);
  MPI_Group_incl(world, 1, &next, &target);
  MPI_Win_post(origin, 0, window);
  MPI_Win_start(target, 0, window);
  MPI_Put(mine, 2, MPI_INT, next, 8, 2, MPI_INT, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  show("post, start, complete, wait", memory + 8, 2);
  MPI_Group_free(&target);
  MPI_Group_free(&origin);
  MPI_Group_free(&world);
}

static void attached_later(void) {
  const int mine = 1000 + rank;
  int room = -1;
  MPI_Aint address, addresses[64];
  MPI_Win dynamic;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_attach(dynamic, &room, sizeof room);
  MPI_Get_address(&room, &address);
  MPI_Allgather(&address, 1, MPI_AINT, addresses, 1, MPI_AINT, MPI_COMM_WORLD);
  MPI_Win_fence(0, dynamic);
  MPI_Put(&mine, 1, MPI_INT, next, addresses[next], 1, MPI_INT, dynamic);
  MPI_Win_fence(0, dynamic);
  show_one("dynamic", room);
  MPI_Win_detach(dynamic, &room);
  MPI_Win_free(&dynamic);
}

/* Ranks of a host write to their own part and read each other's with plain loads. */
static void shared_on_the_host(void) {
  MPI_Comm host;
  MPI_Win shared;
  int* mine;
  int here, local, sum = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &here);
  MPI_Comm_rank(host, &local);
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, host, &mine, &shared);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, shared);
  *mine = 1 << rank;
  MPI_Win_sync(shared);
  MPI_Barrier(host);
  MPI_Win_sync(shared);
  for (int r = 0; r < here; ++r) {
    MPI_Aint bytes;
    int unit;
    int* theirs;
    MPI_Win_shared_query(shared, r, &bytes, &unit, &theirs);
    sum += *theirs;
  }
  MPI_Win_unlock_all(shared);
  show("shared on the host", (int[]){here, local, sum}, 3);
  MPI_Win_free(&shared);
  MPI_Comm_free(&host);
}

static void all_ways(const char* name) {
  show(name, NULL, 0);
  with_fences();
  with_locks();
  with_compare_and_swap();
  with_requests();
  with_post_and_start();
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  int own[kWindow];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 64) MPI_Abort(MPI_COMM_WORLD, 2);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  MPI_Win_allocate(sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  all_ways("allocated");
  memory = own;
  MPI_Win_create(own, sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  all_ways("created");
  attached_later();
  shared_on_the_host();
  MPI_Finalize();
  return 0;
}
