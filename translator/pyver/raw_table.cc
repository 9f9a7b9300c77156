#include "translator/pyver/raw_table.h"

#include "absl/container/flat_hash_map.h"

namespace framegate::translator {

namespace {

struct Opcode {
  uint8_t number;
  std::string_view name;
  uint8_t caches;
};

struct Meaning {
  uint8_t first_minor;
  uint8_t last_minor;
  std::string_view name;
  Op op;
  Reading reading;
};

#define FRAMEGATE_OPCODE(number, name, caches, has_arg, jump) {number, #name, caches},
constexpr Opcode kOpcodes311[] = {
#include "translator/pyver/opcodes_3_11.def"
};
constexpr Opcode kOpcodes312[] = {
#include "translator/pyver/opcodes_3_12.def"
};
constexpr Opcode kOpcodes313[] = {
#include "translator/pyver/opcodes_3_13.def"
};
#undef FRAMEGATE_OPCODE

constexpr Meaning kMeanings[] = {
#define FRAMEGATE_MEANING(first, last, name, op, reading) {first, last, #name, Op::k##op, Reading::k##reading},
#include "translator/pyver/meanings.def"
#undef FRAMEGATE_MEANING
};

consteval const Meaning* FindMeaning(uint8_t minor, std::string_view name) {
  const Meaning* found = nullptr;
  for (const Meaning& meaning : kMeanings) {
    if (meaning.name != name || minor < meaning.first_minor || minor > meaning.last_minor)
      continue;
    if (found != nullptr)
      return nullptr;
    found = &meaning;
  }
  return found;
}

// Not a constant expression, so that this file does not compile, where an opcode has no meaning or two.
template <size_t N>
consteval RawTable Join(model::PyVersion version, const Opcode (&opcodes)[N]) {
  RawTable table{};
  for (const Opcode& opcode : opcodes) {
    const Meaning* meaning = FindMeaning(static_cast<uint8_t>(version), opcode.name);
    table[opcode.number] = {opcode.name, meaning->op, meaning->reading, opcode.caches};
  }
  return table;
}

constexpr RawTable kTable311 = Join(model::PyVersion::k311, kOpcodes311);
constexpr RawTable kTable312 = Join(model::PyVersion::k312, kOpcodes312);
constexpr RawTable kTable313 = Join(model::PyVersion::k313, kOpcodes313);

}  // namespace

const RawTable& RawTableOf(model::PyVersion version) {
  switch (version) {
    case model::PyVersion::k311:
      return kTable311;
    case model::PyVersion::k312:
      return kTable312;
    case model::PyVersion::k313:
      return kTable313;
  }
  return kTable311;
}

uint8_t RawNumber(model::PyVersion version, std::string_view name) {
  using Key = std::pair<model::PyVersion, std::string_view>;
  static const auto* const kNumbers = [] {
    auto* numbers = new absl::flat_hash_map<Key, uint8_t>();
    for (model::PyVersion each : {model::PyVersion::k311, model::PyVersion::k312, model::PyVersion::k313})
      for (size_t number = 0; number < 256; ++number)
        if (std::string_view known = RawTableOf(each)[number].name; !known.empty())
          numbers->emplace(Key(each, known), static_cast<uint8_t>(number));
    return numbers;
  }();
  return kNumbers->at(Key(version, name));
}

}  // namespace framegate::translator
