#include "launcher/job/report.h"

#include "launcher/output/console.h"

namespace ds {

void report(Console& console, const Verdict& verdict, const std::string& last_lines) {
  if (!verdict.failed()) return;
  console.error(verdict.error);
  if (!verdict.advice.empty()) console.error(verdict.advice);
  if (!last_lines.empty() && verdict.rank) {
    console.error("last output of rank " + std::to_string(*verdict.rank) +
                  (verdict.log.empty() ? "" : " (all of it in " + verdict.log + ")") + ":");
    console.err(last_lines);
  }
  console.err(verdict_json(verdict) + "\n");
}

}  // namespace ds
