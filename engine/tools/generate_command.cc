#include "engine/tools/generate_command.h"

#include <cmath>
#include <ostream>

#include <nlohmann/json.hpp>

#include "engine/offline/generate.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

std::vector<int64_t> prompt_tokens(const Arguments& arguments) {
  if (arguments.has("--prompt") == arguments.has("--tokens"))
    throw Error(ErrorCode::kUsage, "generate: give one of --prompt TEXT and --tokens 1,2,3");
  std::vector<int64_t> tokens;
  if (arguments.has("--prompt")) {
    for (const char c : arguments.text("--prompt")) tokens.push_back(static_cast<unsigned char>(c));
    return tokens;
  }
  for (const std::string& word : split(arguments.text("--tokens"), ',')) {
    const auto token = parse_int(trim(word));
    if (!token) throw Error(ErrorCode::kUsage, "generate: --tokens: not a token id: " + word);
    tokens.push_back(*token);
  }
  return tokens;
}

// Bytes as tokens: ids above 255 are special and have no text.
std::string text_of(const std::vector<int64_t>& tokens) {
  std::string text;
  for (const int64_t token : tokens)
    if (token >= 0 && token < 256) text += static_cast<char>(token);
  return text;
}

GenerateOptions options_of(const Arguments& arguments) {
  GenerateOptions options;
  options.num_tokens = arguments.number("-n", options.num_tokens, 1);
  options.seed = static_cast<uint64_t>(arguments.number("--seed", static_cast<int64_t>(options.seed), 0));
  const auto temperature = parse_double(arguments.text("--temperature", "1"));
  if (!temperature || !std::isfinite(*temperature) || *temperature < 0)
    throw Error(ErrorCode::kUsage, "generate: --temperature=" + arguments.text("--temperature") + ": a number >= 0");
  options.temperature = *temperature;
  return options;
}

int run_generate(const std::vector<std::string>& words, std::ostream& out) {
  const Arguments arguments(words,
                            {{"--model", true}, {"--prompt", true}, {"--tokens", true}, {"-n", true},
                             {"--temperature", true}, {"--seed", true}, {"--json", false}},
                            0, 0);
  if (!arguments.has("--model")) throw Error(ErrorCode::kUsage, "generate: --model FOLDER is missing");
  const std::vector<int64_t> prompt = prompt_tokens(arguments);
  const GenerateOptions options = options_of(arguments);
  OfflineModel model(arguments.text("--model"));
  if (arguments.has("--json")) {
    const std::vector<int64_t> tokens = generate(model, prompt, options);
    const nlohmann::json result{{"tokens", tokens}, {"text", text_of(tokens)}};
    out << result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    return kToolOk;
  }
  out << text_of(prompt);
  generate(model, prompt, options, [&](int64_t token) { out << text_of({token}) << std::flush; });
  out << "\n";
  return kToolOk;
}

}  // namespace

Command generate_command() {
  return {"generate", "text from a model",
          "Usage: dstool generate --model FOLDER --prompt TEXT | --tokens 1,2,3 [-n N] [--temperature T] [--seed S] "
          "[--json]\n\n"
          "FOLDER is an exported folder, a checkpoint or an output folder. Temperature 0 takes the most likely token.\n"
          "--json prints {\"tokens\": [the new ones], \"text\": ...}.\n\n"
          "Example: dstool generate --model runs/char-gpt --prompt \"The \" -n 200 --temperature 0.8\n",
          run_generate};
}

}  // namespace ds
