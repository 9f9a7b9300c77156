// Answers metadata questions on standard input: each a 4-byte little-endian length and an encoded
// model::Question of kind kMeta; each answer the same way, a Reply. Ends with the input.
#include <cstdio>
#include <string>

#include "translator/graph/meta/infer.h"

namespace framegate {
namespace {

struct Reply {
  uint32_t outcome = 0;
  model::Operand result;
  std::optional<uint32_t> same_as;
  bool may_raise_on_data = false;
  bool draws = false;
  bool mutates_first = false;
  Boxed<model::TensorFacts> first_after;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("outcome", s.outcome);
    v("result", s.result);
    v("same_as", s.same_as);
    v("may_raise_on_data", s.may_raise_on_data);
    v("draws", s.draws);
    v("mutates_first", s.mutates_first);
    v("first_after", s.first_after);
  }
};

bool ReadMessage(std::string* message) {
  unsigned char size[4];
  if (std::fread(size, 1, 4, stdin) != 4)
    return false;
  message->resize(size[0] | size[1] << 8 | size[2] << 16 | static_cast<size_t>(size[3]) << 24);
  return std::fread(message->data(), 1, message->size(), stdin) == message->size();
}

void WriteMessage(const std::string& message) {
  size_t size = message.size();
  for (int shift = 0; shift < 32; shift += 8)
    std::fputc(static_cast<int>(size >> shift & 0xff), stdout);
  std::fwrite(message.data(), 1, size, stdout);
}

Reply Answer(const model::Question& question) {
  translator::MetaResult result = translator::InferMeta({question.symbol, question.args, question.kwargs, question.ambient});
  return {static_cast<uint32_t>(result.outcome),
          result.result,
          result.same_as,
          result.may_raise_on_data,
          result.draws,
          result.mutates_first,
          result.first_after};
}

int Serve() {
  std::string message;
  while (ReadMessage(&message)) {
    model::Question question;
    if (absl::Status status = Decode(message, &question); !status.ok()) {
      std::fprintf(stderr, "meta_query: %s\n", std::string(status.message()).c_str());
      return 1;
    }
    WriteMessage(Encode(Answer(question)));
  }
  return 0;
}

}  // namespace
}  // namespace framegate

int main() {
  return framegate::Serve();
}
