// Stands in for pmix_wireup.cc where libpmix is missing.
#include "agent/rank_server/wireup.h"
#include "topology/base/error.h"

namespace ds {

std::unique_ptr<Wireup> make_pmix_wireup(boost::asio::io_context&, const std::string&, const PortRange&,
                                         std::function<void(const control::Envelope&)>) {
  throw Error(ErrorCode::kUsage,
              "wireup=pmix: this dsagent was built without libpmix; use --wireup mpirun, or install "
              "the development files of OpenPMIx and build again");
}

std::string pmix_version() { return "none"; }

}  // namespace ds
