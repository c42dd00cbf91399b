// bigram TRAIN HELD_OUT: counts pairs of bytes in one text (a file or a folder of them) and prints how many nats per
// byte they leave open on the other.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "engine/data/bigram/bigram_model.h"
#include "topology/base/error.h"

namespace {

std::unique_ptr<ds::TokenSource> open_text(const std::string& path) {
  std::vector<std::string> files;
  if (!std::filesystem::is_directory(path)) files.push_back(path);
  else for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return ds::open_tokens(files, "bytes");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bigram TRAIN HELD_OUT   (text files, or folders of text files)\n");
    return 2;
  }
  try {
    ds::BigramModel model;
    model.count(*open_text(argv[1]));
    std::printf("%.4f\n", model.cross_entropy(*open_text(argv[2])));
  } catch (const ds::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return ds::exit_status(error.code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bigram: %s\n", error.what());
    return 2;
  }
  return 0;
}
