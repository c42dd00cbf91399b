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
  on_server([rank = proc->rank, status, text = std::string(message ? message : ""), done, token](PmixWireup& server) {
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

pmix_status_t on_direct_modex(const pmix_proc_t* proc, const pmix_info_t[], size_t, pmix_modex_cbfunc_t done,
                              void* token) {
  on_server([rank = proc->rank, done, token](PmixWireup& server) { server.data_wanted(rank, {done, token}); });
  return PMIX_SUCCESS;
}

pmix_status_t on_publish(const pmix_proc_t* proc, const pmix_info_t info[], size_t num_info, pmix_op_cbfunc_t, void*) {
  std::vector<Published> values;
  for (size_t i = 0; i < num_info; ++i) {
    if (std::string_view(info[i].key).starts_with("pmix.")) continue;
    auto& value = values.emplace_back(Published{info[i].key, "", proc->rank});
    if (!encode_value(info[i].value, value.value)) return PMIX_ERR_NOT_SUPPORTED;
  }
  on_server([values = std::move(values)](PmixWireup& server) { server.publish(values, false); });
  return PMIX_OPERATION_SUCCEEDED;
}

std::vector<std::string> copy_keys(char** keys) {
  std::vector<std::string> result;
  for (; keys && *keys; ++keys) result.emplace_back(*keys);
  return result;
}

pmix_status_t on_unpublish(const pmix_proc_t* proc, char** keys, const pmix_info_t[], size_t, pmix_op_cbfunc_t, void*) {
  std::vector<Published> values;
  for (const auto& key : copy_keys(keys)) values.push_back({key, "", proc->rank});
  on_server([values = std::move(values)](PmixWireup& server) { server.publish(values, true); });
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_lookup(const pmix_proc_t*, char** keys, const pmix_info_t[], size_t, pmix_lookup_cbfunc_t done,
                        void* token) {
  on_server([lookup = PmixLookup{copy_keys(keys), {}, done, token}](PmixWireup& server) { server.lookup(lookup); });
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
pmix_status_t on_spawn(const pmix_proc_t*, const pmix_info_t[], size_t, const pmix_app_t[], size_t, pmix_spawn_cbfunc_t,
                       void*) {
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
