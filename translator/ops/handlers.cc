// Who would see an exception that the graph raises.
#include "translator/builtins/state.h"
#include "translator/ops/interp.h"

namespace framegate::translator {

namespace {

bool Are(const DecodedCode& code, uint32_t at, std::initializer_list<Op> ops) {
  for (Op op : ops)
    if (at >= code.instructions.size() || code.instructions[at++].op != op)
      return false;
  return true;
}

}  // namespace

bool Interp::MayBeHandled() {
  Constant after = s.ambient();
  for (size_t at = frames_.size(); at-- > 0;) {
    const Frame& f = *frames_[at];
    for (uint32_t index = f.instruction().handler; index != kNoIndex;) {
      const Handler& handler = f.code->handlers[index];
      bool cleans_up = Are(*f.code, handler.target, {Op::kCopy, Op::kPopExcept, Op::kReraise});
      if (!cleans_up) {
        bool is_with = Are(*f.code, handler.target, {Op::kPushExcInfo, Op::kWithExceptStart});
        V exit = is_with && handler.depth > 0 && handler.depth <= f.stack.size() ? s.Resolve(f.stack[handler.depth - 1]) : nullptr;
        auto* method = As<MethodValue>(exit);
        V manager = method == nullptr ? nullptr : s.Resolve(method->self);
        if (manager == nullptr || !AfterManager(s, manager, &after))
          return true;
      }
      index = f.code->instructions[handler.target].handler;
    }
  }
  for (size_t part = 0; part < after.items.size(); ++part)
    if (!(after.items[part] == s.initial_ambient(static_cast<model::AmbientPart>(part))))
      return true;
  return false;
}

}  // namespace framegate::translator
