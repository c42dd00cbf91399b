// What lies in a `checkpoints` folder: step folders, `latest`, what crashes left behind.
//
//   step<n>             a complete checkpoint: folders get this name only when everything in them is on disk
//   step<n>.tmp-<x>     being written, or being removed
//   step<n>.old-<x>     a complete one on its way out, while another takes its name (file systems without exchange)
//   latest.tmp-<x>      the next `latest`
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/checkpoint/file_system.h"
#include "engine/checkpoint/manifest.h"

namespace ds {

std::string step_name(int64_t step);                              // "step120"
std::optional<int64_t> step_of(const std::string& name);          // of exactly "step<n>"
std::vector<int64_t> steps_in(const std::string& folder);         // of its step<n> folders, ascending
std::string read_latest(const std::string& folder);               // "step120"; "" when missing or not such a name

// Throws kCorrupt naming the file when it is missing or damaged.
Manifest load_manifest(const std::string& step_folder);

// Why the step folder is not a complete checkpoint, judged by manifest and file sizes; empty when it is.
std::vector<std::string> completeness_problems(const std::string& step_folder);

// A step folder, a `checkpoints` folder or an output folder with checkpoints/ -> the step folder meant.
// Throws kUsage when there is none.
std::string resolve_checkpoint(const std::string& path);
// The same -> the `checkpoints` folder; for a step folder, the one that it lies in.
std::string resolve_checkpoints_folder(const std::string& path);

// Gives a step folder that was moved aside by a save that crashed its name back; removes every other left-over.
void clean_leftovers(FileSystem& files, const std::string& folder);

// Removes a step folder so that a crash in between leaves nothing that looks like a checkpoint.
void remove_step(FileSystem& files, const std::string& folder, int64_t step, const std::string& suffix);

// Complete steps to remove so that of the steps up to `newest` the `keep` newest stay. Never `newest` nor what
// `latest` names. keep = 0: none.
std::vector<int64_t> steps_to_prune(const std::vector<int64_t>& complete_steps, int64_t newest, int64_t keep,
                                    const std::string& latest);

}  // namespace ds
