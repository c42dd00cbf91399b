#include "collectives/thread_world.h"

#include <exception>
#include <mutex>
#include <thread>

#include "collectives/backends/thread/thread_transport.h"
#include "collectives/exchange/exchange_communicator.h"

namespace ds {
namespace {

std::vector<std::unique_ptr<Communicator>> world_over(const std::shared_ptr<Mailboxes>& mailboxes, int size,
                                                      const CommunicatorOptions& options) {
  std::vector<std::unique_ptr<Communicator>> world;
  for (int rank = 0; rank < size; ++rank)
    world.push_back(std::make_unique<ExchangeCommunicator>(std::make_shared<ThreadTransport>(mailboxes, rank, size),
                                                           "world", options));
  return world;
}

std::string text_of(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace

std::vector<std::unique_ptr<Communicator>> thread_world(int size, const CommunicatorOptions& options) {
  return world_over(std::make_shared<Mailboxes>(size), size, options);
}

void run_thread_world(int size, const std::function<void(Communicator&)>& body, const CommunicatorOptions& options) {
  auto mailboxes = std::make_shared<Mailboxes>(size);
  auto world = world_over(mailboxes, size, options);
  std::mutex mutex;
  std::exception_ptr first;
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank)
      threads.emplace_back([&, rank] {
        try {
          body(*world[rank]);
        } catch (...) {
          const auto exception = std::current_exception();
          const std::lock_guard lock(mutex);
          if (!first) first = exception;
          mailboxes->close("collectives: rank " + std::to_string(rank) + " has failed: " + text_of(exception));
        }
      });
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace ds
