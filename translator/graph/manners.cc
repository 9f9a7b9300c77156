#include "translator/graph/manners.h"

#include "translator/builtins/table.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

namespace {

// The argument, or null.
const Constant* Given(Session& s, const Args& args, std::string_view name, size_t place) {
  V value = args.Keyword(name);
  if (value == nullptr && place < args.positional.size())
    value = args.positional[place];
  return value == nullptr ? nullptr : AsConstant(s.Look(value));
}

bool Names(std::string_view target, std::string_view part) {
  return target.find(part) != std::string_view::npos;
}

bool IsZero(const Constant& number) {
  return (number.kind == ConstantKind::kFloat && number.real == 0) || (number.is_int() && number.integer == 0);
}

}  // namespace

bool Draws(Session& s, std::string_view target, const Args& args) {
  if (Names(target, "scaled_dot_product_attention")) {
    const Constant* p = Given(s, args, "dropout_p", 4);
    return p != nullptr ? !IsZero(*p) : args.Keyword("dropout_p") != nullptr || args.positional.size() > 4;
  }
  return HasGraphEffect(target);
}

bool WritesFurther(Session& s, std::string_view target, const Args& args) {
  if (Names(target, "batch_norm") || Names(target, "instance_norm")) {
    const Constant* training = Given(s, args, "training", 5);
    return training == nullptr || !training->is_bool() || training->is_true();
  }
  if (Names(target, "functional:embedding")) {
    const V keyword = args.Keyword("max_norm");
    const V norm = keyword != nullptr || args.positional.size() <= 3 ? keyword : args.positional[3];
    return norm != nullptr && s.Look(norm) != s.None();
  }
  return false;
}

}  // namespace framegate::translator
