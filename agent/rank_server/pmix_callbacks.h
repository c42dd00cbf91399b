// The functions libpmix calls for a server, wired to one PmixWireup.
#pragma once

#include <pmix_server.h>

namespace ds {

class PmixWireup;

// At most one server per process. Valid for ever.
pmix_server_module_t* pmix_module(PmixWireup& server);

// The default event handler; lost connections come later here than from the pidfds.
void ignore_pmix_event(size_t, pmix_status_t, const pmix_proc_t*, pmix_info_t[], size_t, pmix_info_t[], size_t,
                       pmix_event_notification_cbfunc_fn_t done, void* token);

}  // namespace ds
