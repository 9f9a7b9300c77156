#include "translator/graph/meta/operators.h"

#include <deque>

#include "absl/container/flat_hash_map.h"
#include "base/strings.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta {
namespace {

// All rows by place and name. Made once, then only read.
class Operators {
 public:
  Operators() {
#define FRAMEGATE_OPERATOR(rule, places, names, parameters, traits) \
  AddRow({&rules::rule, names, Signature(parameters), places, static_cast<uint32_t>(traits)});
#include "translator/graph/meta/operators.def"
#undef FRAMEGATE_OPERATOR
  }

  const Operator* Find(const Spelling& spelling) const {
    auto it = by_name_.find(KeyOf(spelling.place, spelling.name));
    return it == by_name_.end() ? nullptr : &it->second;
  }

 private:
  static std::string KeyOf(uint32_t place, std::string_view name) {
    return StrCat(place, ":", name);
  }

  void AddRow(Row row) {
    const Row* kept = &rows_.emplace_back(std::move(row));
    for (std::string_view rest = kept->names; !rest.empty();) {
      std::string_view name = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      for (uint32_t place = 1; place <= kept->places; place <<= 1)
        if ((kept->places & place) != 0)
          AddName(place, name, kept);
    }
  }

  void AddName(uint32_t place, std::string_view name, const Row* row) {
    by_name_.emplace(KeyOf(place, name), Operator{row, name, row->Is(kAssigns)});
    if (row->Is(kInPlace))
      by_name_.emplace(KeyOf(place, StrCat(name, "_")), Operator{row, name, true});
  }

  std::deque<Row> rows_;
  absl::flat_hash_map<std::string, Operator> by_name_;
};

}  // namespace

const Operator* FindOperator(const Spelling& spelling) {
  static const Operators* operators = new Operators;
  return operators->Find(spelling);
}

}  // namespace framegate::translator::meta
