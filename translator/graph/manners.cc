#include "translator/graph/manners.h"

#include <algorithm>
#include <iterator>

#include "translator/slots/slots.h"

namespace framegate::translator {

namespace {

// The argument, or null.
V ArgumentOf(const Args& args, std::string_view name, size_t place) {
  V value = args.Keyword(name);
  return value == nullptr && place < args.positional.size() ? args.positional[place] : value;
}

const Constant* Given(Session& s, const Args& args, std::string_view name, size_t place) {
  V value = ArgumentOf(args, name, place);
  return value == nullptr ? nullptr : AsConstant(s.Look(value));
}

bool Names(std::string_view target, std::string_view part) {
  return target.find(part) != std::string_view::npos;
}

}  // namespace

bool HasFlag(Session& s, const Args& args, std::string_view name) {
  const Constant* flag = AsConstant(s.Resolve(args.Keyword(name)));
  return flag != nullptr && flag->is_true();
}

bool LooksAtStorage(std::string_view target) {
  constexpr std::string_view kLookers[] = {"is_set_to", "is_shared", "is_pinned", "_is_view"};
  return std::find(std::begin(kLookers), std::end(kLookers), target.substr(target.find_last_of(":.") + 1)) != std::end(kLookers);
}

Values WrittenFurther(Session& s, std::string_view target, const Args& args) {
  if (Names(target, "batch_norm") || Names(target, "instance_norm")) {
    const Constant* training = Given(s, args, "training", 5);
    if (training != nullptr && training->is_bool() && !training->is_true())
      return {};
    if (!Names(target, "torch.nn.functional:"))
      return {nullptr};
    Values written;
    for (auto [name, place] : {std::pair<std::string_view, size_t>{"running_mean", 1}, {"running_var", 2}})
      if (V value = ArgumentOf(args, name, place); value != nullptr && s.Look(value) != s.None())
        written.push_back(value);
    return written;
  }
  if (Names(target, "functional:embedding")) {
    V norm = ArgumentOf(args, "max_norm", 3);
    if (norm != nullptr && s.Look(norm) != s.None())
      return {ArgumentOf(args, "weight", 1)};
  }
  return {};
}

}  // namespace framegate::translator
