// Pushing type variables and type aliases made in the frame. What was computed of them stays computed.
#include "translator/emit/emitter.h"
#include "translator/slots/type_parameters.h"

namespace framegate::translator {

namespace {

constexpr uint32_t kTypeVar = 7, kParamSpec = 8, kTypeVarTuple = 9, kAlias = 11;  // CALL_INTRINSIC_1
constexpr uint32_t kWithBound = 2, kWithConstraints = 3, kWithDefault = 5;        // CALL_INTRINSIC_2

}  // namespace

void Emitter::LoadEvaluator(V function, V result) {
  if (result == nullptr)
    return Load(function);
  auto* made = As<FunctionValue>(function);
  V module = made == nullptr || made->module == nullptr ? s_.None() : made->module;
  Construct(
      "evaluated",
      [&] {
        LoadItems({result, module});
      },
      2);
}

void Emitter::LoadTypeParameter(ObjectValue* value) {
  const Values& parts = value->arguments;
  auto evaluator = [&](size_t place) { LoadEvaluator(parts[place], parts[place + 1]); };
  Load(parts[TypeParameterPart::kName]);
  if (V bound = parts[TypeParameterPart::kBound]; bound != nullptr || parts[TypeParameterPart::kConstraints] != nullptr) {
    evaluator(bound != nullptr ? TypeParameterPart::kBound : TypeParameterPart::kConstraints);
    code_.Intrinsic(2, bound != nullptr ? kWithBound : kWithConstraints);
  } else {
    code_.Intrinsic(1, value->type->is("typing:TypeVar") ? kTypeVar : value->type->is("typing:ParamSpec") ? kParamSpec : kTypeVarTuple);
  }
  Remember(value);
  if (parts[TypeParameterPart::kDefault] != nullptr)
    Fill(value, [this, value] {
      Load(value);
      LoadEvaluator(value->arguments[TypeParameterPart::kDefault], value->arguments[TypeParameterPart::kDefault + 1]);
      code_.Intrinsic(2, kWithDefault);
      code_.PopTop();
    });
  SetAttributes(value, value->attributes);
}

void Emitter::LoadTypeAlias(ObjectValue* value) {
  const Values& parts = value->arguments;
  V parameters = parts[TypeAliasPart::kParameters];
  Load(parts[TypeAliasPart::kName]);
  if (auto* tuple = parameters == nullptr ? nullptr : As<SequenceValue>(s_.Resolve(parameters))) {
    LoadItems(tuple->items);
    code_.BuildTuple(static_cast<uint32_t>(tuple->items.size()));
  } else {
    Load(s_.None());
  }
  LoadEvaluator(parts[TypeAliasPart::kCompute], parts[TypeAliasPart::kValue]);
  code_.BuildTuple(3);
  code_.Intrinsic(1, kAlias);
  Remember(value);
}

}  // namespace framegate::translator
