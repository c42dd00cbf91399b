// What libpmix calls, in its progress thread: arguments are copied, work is posted, nothing waits here.
#include "agent/rank_server/pmix_callbacks.h"

#include <pmix.h>
#include <pmix_server.h>

#include <string_view>
#include <utility>

#include "agent/rank_server/pmix_wireup.h"

namespace ds {

namespace {

// Most functions of the server module get no context pointer, so the library leaves no other way than a static one.
PmixWireup* the_server = nullptr;

void on_server(std::function<void(PmixWireup&)> action) {
  post(the_server->io(), [action = std::move(action)] { action(*the_server); });
}

pmix_status_t on_connected(const pmix_proc_t* proc, void*, pmix_op_cbfunc_t done, void* token) {
  on_server([rank = proc->rank](PmixWireup& server) { server.rank_connected(rank, false); });
  if (done) done(PMIX_SUCCESS, token);
  return PMIX_SUCCESS;
}

// Posted before the rank is released from MPI_Finalize, so its exit cannot be seen earlier.
pmix_status_t on_finalized(const pmix_proc_t* proc, void*, pmix_op_cbfunc_t done, void* token) {
  on_server([rank = proc->rank](PmixWireup& server) { server.rank_connected(rank, true); });
  if (done) done(PMIX_SUCCESS, token);
  return PMIX_SUCCESS;
}

pmix_status_t on_abort(const pmix_proc_t* proc, void*, int status, const char message[], pmix_proc_t[], size_t,
                       pmix_op_cbfunc_t done, void* token) {
  std::string text = message ? message : "";
  if (text == "N/A") text.clear();  // what Open MPI says for nothing
  on_server([rank = proc->rank, status, text = std::move(text), done, token](PmixWireup& server) {
    server.rank_aborted(rank, status, text);
    if (done) done(PMIX_SUCCESS, token);
  });
  return PMIX_SUCCESS;
}

pmix_status_t on_fence(const pmix_proc_t procs[], size_t num_procs, const pmix_info_t info[], size_t num_info,
                       char* data, size_t size, pmix_modex_cbfunc_t done, void* token) {
  auto fence = copy_fence(procs, num_procs, info, num_info, data, size, done, token);
  on_server([fence = std::move(fence)](PmixWireup& server) { server.fence(fence); });
  return PMIX_SUCCESS;
}

// Ranks of two groups have met at a port, or part again. Ranks of other jobs cannot: each job has its own names.
pmix_status_t on_connect(const pmix_proc_t procs[], size_t num_procs, const pmix_info_t info[], size_t num_info,
                         pmix_op_cbfunc_t done, void* token) {
  auto meeting = copy_meeting("connect", procs, num_procs, info, num_info, done, token);
  on_server([meeting = std::move(meeting)](PmixWireup& server) { server.fence(meeting); });
  return PMIX_SUCCESS;
}

pmix_status_t on_disconnect(const pmix_proc_t procs[], size_t num_procs, const pmix_info_t info[], size_t num_info,
                            pmix_op_cbfunc_t done, void* token) {
  auto meeting = copy_meeting("disconnect", procs, num_procs, info, num_info, done, token);
  on_server([meeting = std::move(meeting)](PmixWireup& server) { server.fence(meeting); });
  return PMIX_SUCCESS;
}

pmix_status_t on_direct_modex(const pmix_proc_t* proc, const pmix_info_t[], size_t, pmix_modex_cbfunc_t done,
                              void* token) {
  on_server([rank = proc->rank, done, token](PmixWireup& server) { server.data_wanted(rank, {done, token}); });
  return PMIX_SUCCESS;
}

pmix_status_t on_publish(const pmix_proc_t* proc, const pmix_info_t info[], size_t num_info, pmix_op_cbfunc_t done,
                         void* token) {
  PmixPublish publish{{}, false, done, token};
  bool once = false;
  for (size_t i = 0; i < num_info; ++i) {
    if (PMIX_CHECK_KEY(&info[i], PMIX_PERSISTENCE)) once = info[i].value.data.persist == PMIX_PERSIST_FIRST_READ;
    if (std::string_view(info[i].key).starts_with("pmix.")) continue;
    auto& value = publish.values.emplace_back(Published{info[i].key, "", proc->rank, false});
    if (!encode_value(info[i].value, value.value)) return PMIX_ERR_NOT_SUPPORTED;
  }
  for (auto& value : publish.values) value.once = once;
  on_server([publish = std::move(publish)](PmixWireup& server) { server.names().publish(publish); });
  return PMIX_SUCCESS;
}

std::vector<std::string> copy_keys(char** keys) {
  std::vector<std::string> result;
  for (; keys && *keys; ++keys) result.emplace_back(*keys);
  return result;
}

pmix_status_t on_unpublish(const pmix_proc_t* proc, char** keys, const pmix_info_t[], size_t, pmix_op_cbfunc_t done,
                           void* token) {
  PmixPublish publish{{}, true, done, token};
  for (const auto& key : copy_keys(keys)) publish.values.push_back({key, "", proc->rank, false});
  on_server([publish = std::move(publish)](PmixWireup& server) { server.names().publish(publish); });
  return PMIX_SUCCESS;
}

pmix_status_t on_lookup(const pmix_proc_t*, char** keys, const pmix_info_t info[], size_t num_info,
                        pmix_lookup_cbfunc_t done, void* token) {
  PmixLookup lookup;
  lookup.keys = copy_keys(keys);
  lookup.done = done;
  lookup.token = token;
  for (size_t i = 0; i < num_info; ++i) {
    if (PMIX_CHECK_KEY(&info[i], PMIX_WAIT)) lookup.wait = true;
    if (PMIX_CHECK_KEY(&info[i], PMIX_TIMEOUT)) lookup.limit = std::chrono::seconds(info[i].value.data.integer);
  }
  on_server([lookup = std::move(lookup)](PmixWireup& server) { server.names().lookup(lookup); });
  return PMIX_SUCCESS;
}

pmix_status_t on_register_events(pmix_status_t*, size_t, const pmix_info_t[], size_t, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}
pmix_status_t on_deregister_events(pmix_status_t*, size_t, pmix_op_cbfunc_t, void*) { return PMIX_OPERATION_SUCCEEDED; }
pmix_status_t on_notify(pmix_status_t, const pmix_proc_t*, pmix_data_range_t, pmix_info_t[], size_t, pmix_op_cbfunc_t,
                        void*) {
  return PMIX_OPERATION_SUCCEEDED;
}
pmix_status_t on_query(pmix_proc_t*, pmix_query_t*, size_t, pmix_info_cbfunc_t, void*) {
  return PMIX_ERR_NOT_SUPPORTED;
}
pmix_status_t on_job_control(const pmix_proc_t*, const pmix_proc_t[], size_t, const pmix_info_t[], size_t,
                             pmix_info_cbfunc_t, void*) {
  return PMIX_ERR_NOT_SUPPORTED;
}
pmix_status_t on_spawn(const pmix_proc_t* proc, const pmix_info_t[], size_t, const pmix_app_t[], size_t,
                       pmix_spawn_cbfunc_t, void*) {
  on_server([rank = proc->rank](PmixWireup& server) { server.spawn_refused(rank); });
  return PMIX_ERR_NOT_SUPPORTED;
}

}  // namespace

void ignore_pmix_event(size_t, pmix_status_t, const pmix_proc_t*, pmix_info_t[], size_t, pmix_info_t[], size_t,
                       pmix_event_notification_cbfunc_fn_t done, void* token) {
  if (done) done(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, token);
}

pmix_server_module_t* pmix_module(PmixWireup& server) {
  the_server = &server;
  static pmix_server_module_t module;  // libpmix keeps the pointer
  module.client_connected = on_connected;
  module.client_finalized = on_finalized;
  module.abort = on_abort;
  module.fence_nb = on_fence;
  module.connect = on_connect;
  module.disconnect = on_disconnect;
  module.direct_modex = on_direct_modex;
  module.publish = on_publish;
  module.lookup = on_lookup;
  module.unpublish = on_unpublish;
  module.register_events = on_register_events;
  module.deregister_events = on_deregister_events;
  module.notify_event = on_notify;
  module.query = on_query;
  module.job_control = on_job_control;
  module.spawn = on_spawn;
  return &module;
}

}  // namespace ds
