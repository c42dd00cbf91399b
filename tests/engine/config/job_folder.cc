#include "tests/engine/config/job_folder.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "topology/base/error.h"

namespace ds::test {

namespace fs = std::filesystem;

JobFolder::JobFolder() {
  std::string name = (fs::temp_directory_path() / "dslaunch-config-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  root_ = name;
  write("model/config.json", R"({"model_type": "gpt2", "vocab_size": 257, "n_positions": 128, "n_embd": 64,
    "n_layer": 2, "n_head": 4, "attn_pdrop": 0.0})");
  write("corpus.txt", std::string(1001, 'a'));
}

JobFolder::~JobFolder() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

std::string JobFolder::path(const std::string& name) const { return root_ + "/" + name; }

std::string JobFolder::write(const std::string& name, const std::string& content) const {
  fs::create_directories(fs::path(path(name)).parent_path());
  std::ofstream(path(name), std::ios::binary) << content;
  return path(name);
}

template <class T>
static void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void JobFolder::write_indexed(const std::string& name, const std::vector<uint16_t>& tokens) const {
  write(name + ".bin", {reinterpret_cast<const char*>(tokens.data()), tokens.size() * 2});
  std::string index("MMIDIDX\0\0", 9);
  append<uint64_t>(index, 1);
  append<uint8_t>(index, 8);
  append<uint64_t>(index, 1);
  append<uint64_t>(index, 2);
  append<int32_t>(index, static_cast<int32_t>(tokens.size()));
  append<int64_t>(index, 0);
  append<int64_t>(index, 0);
  append<int64_t>(index, 1);
  write(name + ".idx", index);
}

std::string JobFolder::write_train_config(const std::string& json, const std::string& more) const {
  std::string text = "[model]\nconfig = model\n[data]\ntrain = corpus.txt\nsequence_length = 32\n[train]\nsteps = 10\n";
  if (json.empty()) {
    text += "learning_rate = 1e-3\nmicro_batch = 1\n";
  } else {
    write("ds_config.json", json);
    text += "deepspeed_config = ds_config.json\n";
  }
  return write("train.cfg", text + more);
}

std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code() == ErrorCode::kUsage ? error.what() : std::string("not kUsage: ") + error.what();
  }
  return "";
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace ds::test
