// Bytes of a program: "FGCP", format, then instructions as they are in memory (little-endian) and the rest by field lists.

#include <cstring>

#include "base/strings.h"
#include "guards/program/program.h"

namespace framegate::guards {

namespace {

constexpr std::string_view kMagic = "FGCP";
constexpr char kFormat = 1;

static_assert(std::endian::native == std::endian::little, "instructions are written as they lie in memory");

// Everything but the instructions.
struct Pools {
  uint32_t objects = 0;
  uint32_t words = 0;
  std::vector<model::SubjectId> subjects;
  std::vector<model::Constant> constants;
  std::vector<std::string> types;
  std::vector<TensorCheck> tensors;
  std::vector<Hash128> hashes;
  std::vector<uint64_t> numbers;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("objects", s.objects);
    v("words", s.words);
    v("subjects", s.subjects);
    v("constants", s.constants);
    v("types", s.types);
    v("tensors", s.tensors);
    v("hashes", s.hashes);
    v("numbers", s.numbers);
  }
};

}  // namespace

std::string EncodeProgram(const Program& program) {
  std::string out(kMagic);
  out.push_back(kFormat);
  const uint32_t count = static_cast<uint32_t>(program.instructions.size());
  out.append(reinterpret_cast<const char*>(&count), sizeof count);
  out.append(reinterpret_cast<const char*>(program.instructions.data()), count * sizeof(Instruction));
  out.append(Encode(Pools{program.objects, program.words, program.subjects, program.constants, program.types, program.tensors,
                          program.hashes, program.numbers}));
  return out;
}

absl::StatusOr<Program> DecodeProgram(std::string_view bytes) {
  constexpr size_t kHeader = kMagic.size() + 1 + sizeof(uint32_t);
  if (bytes.size() < kHeader || !bytes.starts_with(kMagic))
    return absl::InvalidArgumentError("program: no header");
  if (bytes[kMagic.size()] != kFormat)
    return absl::FailedPreconditionError(StrCat("program: format ", int{bytes[kMagic.size()]}, ", this build reads ", int{kFormat}));
  uint32_t count = 0;
  std::memcpy(&count, bytes.data() + kHeader - sizeof count, sizeof count);
  if (count > kMaxInstructions)
    return absl::ResourceExhaustedError(StrCat("program: ", count, " instructions, at most ", kMaxInstructions));
  bytes.remove_prefix(kHeader);
  if (bytes.size() / sizeof(Instruction) < count)
    return absl::InvalidArgumentError("program: instructions are cut off");
  Program program;
  program.instructions.resize(count);
  if (count > 0)
    std::memcpy(program.instructions.data(), bytes.data(), count * sizeof(Instruction));
  Pools pools;
  RETURN_IF_ERROR(Decode(bytes.substr(count * sizeof(Instruction)), &pools));
  program.objects = pools.objects;
  program.words = pools.words;
  program.subjects = std::move(pools.subjects);
  program.constants = std::move(pools.constants);
  program.types = std::move(pools.types);
  program.tensors = std::move(pools.tensors);
  program.hashes = std::move(pools.hashes);
  program.numbers = std::move(pools.numbers);
  return program;
}

}  // namespace framegate::guards
