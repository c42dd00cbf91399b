/* MPI_THREAD_MULTIPLE: four threads of each rank send around rings, find messages by probing, and each takes part in
 * collectives of a communicator of its own, all at once. */
#include <pthread.h>

#include "show.h"

enum { kThreads = 4, kRounds = 50, kLong = 20000 };
static int rank, size;
static MPI_Comm comms[kThreads];
static int ring_sums[kThreads], probed[kThreads], collective_sums[kThreads];

/* Thread t of every rank goes round with step t + 1; messages longer than what is sent at once. */
static void ring(int thread) {
  const int to = (rank + thread + 1) % size, from = (rank + kThreads * size - thread - 1) % size;
  int* out = malloc(sizeof(int) * kLong);
  int* in = malloc(sizeof(int) * kLong);
  for (int round = 0; round < kRounds; ++round) {
    const int length = round % 10 == 0 ? kLong : 10;
    for (int i = 0; i < length; ++i) out[i] = rank + round + i;
    MPI_Sendrecv(out, length, MPI_INT, to, thread, in, length, MPI_INT, from, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ring_sums[thread] += in[length - 1];
  }
  free(out);
  free(in);
}

/* All threads of a rank take from the same tag whatever comes; each message is found and received by one of them. */
static void probe(int thread) {
  const int next = (rank + 1) % size;
  for (int round = 0; round < kRounds; ++round) {
    MPI_Message message;
    MPI_Request request;
    int value = 1000 * thread + round, got;
    MPI_Isend(&value, 1, MPI_INT, next, 100, MPI_COMM_WORLD, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, 100, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    probed[thread] += got;
  }
}

static void sum_up(int thread) {
  for (int round = 0; round < kRounds; ++round) {
    const int value = rank * (thread + 1) + round;
    int sum;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comms[thread]);
    MPI_Barrier(comms[thread]);
    collective_sums[thread] += sum;
  }
}

static void* run(void* number) {
  const int thread = (int)(size_t)number;
  ring(thread);
  probe(thread);
  sum_up(thread);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[kThreads];
  int provided, of_all_threads = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  show_one("multiple threads", provided == MPI_THREAD_MULTIPLE);
  if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int t = 0; t < kThreads; ++t) MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
  for (size_t t = 0; t < kThreads; ++t) pthread_create(&threads[t], NULL, run, (void*)t);
  for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
  for (int t = 0; t < kThreads; ++t) {
    of_all_threads += probed[t];
    MPI_Comm_free(&comms[t]);
  }
  show("rings", ring_sums, kThreads);
  show_one("probed", of_all_threads);
  show("collectives", collective_sums, kThreads);
  MPI_Finalize();
  return 0;
}
