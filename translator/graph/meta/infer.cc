#include "translator/graph/meta/infer.h"

#include "translator/graph/meta/operators.h"

namespace framegate::translator {
namespace meta {
namespace {

using model::Operand;
using model::TensorFacts;

// Tensors with more are left alone, so that counting in 64 bits is safe.
constexpr int64_t kMostElements = int64_t{1} << 53;

// What a call's tensor arguments have in common.
struct Arguments {
  const TensorFacts* first = nullptr;
  bool plain = true;  // strided tensors in this process's memory
  bool need_gradient = false;
  bool any_inference = false;
  std::optional<DType> lesser_float;  // float16 or bfloat16, or float32 for both
  bool any_float32 = false;           // what autocast's widest type is decided by
  bool any_complex = false;
  bool any_bool = false;

  void Add(const Operand& operand) {
    for (const Operand& item : operand.items)
      Add(item);
    any_complex = any_complex || (operand.constant && operand.constant->kind == model::ConstantKind::kComplex);
    if (!operand.tensor)
      return;
    const TensorFacts& facts = *operand.tensor;
    if (first == nullptr)
      first = &facts;
    plain = plain && facts.layout == "torch.strided" && facts.device == "cpu";
    need_gradient = need_gradient || facts.requires_grad;
    any_inference = any_inference || facts.is_inference;
    any_complex = any_complex || facts.dtype.starts_with("torch.complex");
    any_bool = any_bool || facts.dtype == "torch.bool";
    std::optional<DType> dtype = DTypeFromText(facts.dtype);
    if (dtype && (*dtype == DType::kFloat16 || *dtype == DType::kBFloat16))
      lesser_float = lesser_float.value_or(*dtype) == *dtype ? dtype : DType::kFloat32;
    any_float32 = any_float32 || facts.dtype == "torch.float32";
  }
};

class Inference {
 public:
  Inference(const MetaRequest& request, const Ambient& ambient, const Operator& op)
      : request_(request), ambient_(ambient), op_(op), row_(*op.row) {
    for (const Operand& operand : request.args)
      arguments_.Add(operand);
    for (const auto& [name, operand] : request.kwargs)
      arguments_.Add(operand);
  }

  absl::StatusOr<MetaResult> Run(const Spelling& spelling) {
    if (!arguments_.plain || (arguments_.any_complex && row_.Is(kNoComplex)) || (arguments_.any_bool && row_.Is(kNoBool)))
      return Unknown();
    if (Records() && arguments_.any_inference)  // which must not be saved for the backward pass
      return Unknown();
    std::vector<Operand> swapped;
    if (spelling.reflected && request_.args.size() == 2)
      swapped = {request_.args[1], request_.args[0]};
    Binding binding;
    if (!binding.Bind(row_.signature, swapped.empty() ? request_.args : swapped, request_.kwargs))
      return Unknown();
    Call call(std::string(op_.name), row_.signature, binding, ambient_);
    ASSIGN_OR_RETURN(bool assigns, Assigns(call));
    if (assigns)
      return RunInPlace(&call);
    RETURN_IF_ERROR(ApplyAutocast(&call));
    ASSIGN_OR_RETURN(Product product, row_.rule(call));
    for (const Value& value : product.values)
      if (value.elements().now() > kMostElements)
        return Unknown();
    return Finish(call, product);
  }

 private:
  absl::StatusOr<bool> Assigns(const Call& call) const {
    if (op_.assigns || !call.Has("inplace"))
      return op_.assigns;
    return call.Bool("inplace");
  }

  absl::Status ApplyAutocast(Call* call) const {
    if (!ambient_.autocast)
      return absl::OkStatus();
    if (row_.Is(kWidest) && arguments_.lesser_float.value_or(*ambient_.autocast) != *ambient_.autocast)
      return Unknown();
    if (row_.Is(kLower))
      call->CastArguments(*ambient_.autocast);
    if (row_.Is(kFloat32) || (row_.Is(kWidest) && arguments_.any_float32))
      call->CastArguments(DType::kFloat32);
    return absl::OkStatus();
  }

  bool CanAutocast() const { return row_.Is(kLower) || row_.Is(kFloat32) || row_.Is(kWidest); }

  bool Records() const { return ambient_.grad && arguments_.need_gradient && !row_.Is(kNoGradient); }

  // The rule is asked as if a new tensor were made; the argument keeps its metadata and may join
  // the autograd graph.
  absl::StatusOr<MetaResult> RunInPlace(Call* call) {
    if (request_.args.empty() || !request_.args[0].tensor || (ambient_.autocast && CanAutocast()))
      return Unknown();
    if (row_.Is(kNoGradient) && ambient_.grad && arguments_.need_gradient)  // some forget gradients, some refuse
      return Unknown();
    const TensorFacts& facts = *request_.args[0].tensor;
    ASSIGN_OR_RETURN(Value self, call->ValueOf(request_.args[0]));
    if (HasInternalOverlap(self.layout) || (self.inference && !ambient_.inference))
      return Unknown();
    ASSIGN_OR_RETURN(Product product, row_.rule(*call));
    if (!product.sequence.empty())
      return Unknown();
    if (!product.argument.empty())  // there was nothing to do
      return Finish(*call, product);
    for (const Value& value : product.values)
      if (value.sizes() != self.sizes() || !CanCast(value.dtype, self.dtype))
        return Raises();
    if (ambient_.grad && facts.requires_grad && facts.is_leaf)
      return Raises();
    MetaResult result{.outcome = MetaOutcome::kKnown, .draws = row_.Is(kDraws) || product.draws, .mutates_first = true};
    // Views of leaves and views made without gradients refuse, and metadata do not tell them.
    result.may_refuse = ambient_.grad && facts.requires_grad;
    result.may_raise_on_data = row_.Is(kDataRaises) || product.may_raise_on_data;
    result.first_after = facts;
    TensorFacts& changed = *result.first_after;
    if (Records() && IsDifferentiable(self.dtype)) {
      changed.requires_grad = true;
      changed.is_leaf = false;
    }
    if (product.values.empty()) {
      result.result.constant = model::Constant::None();
    } else {
      result.same_as = 0;
      result.result.tensor = changed;
    }
    return result;
  }

  absl::StatusOr<MetaResult> Finish(const Call& call, const Product& product) const {
    MetaResult result{.outcome = MetaOutcome::kKnown, .may_raise_on_data = row_.Is(kDataRaises) || product.may_raise_on_data};
    if (!product.argument.empty()) {
      result.same_as = call.PositionOf(product.argument);
      const Operand* operand = call.Given(product.argument);
      if (!result.same_as || operand == nullptr)
        return Unknown();
      result.result = *operand;
      return result;
    }
    result.draws = row_.Is(kDraws) || product.draws;
    for (const Value& value : product.values)
      result.is_view = result.is_view || value.view;
    result.result.sequence = product.sequence;
    if (!product.sequence.empty()) {
      for (const Value& value : product.values)
        result.result.items.push_back(OperandOf(value));
    } else if (!product.values.empty()) {
      result.result.tensor = FactsOf(product.values[0]);
    } else {
      result.result.constant = model::Constant::None();
    }
    return result;
  }

  Operand OperandOf(const Value& value) const {
    Operand operand;
    if (value.is_none)
      operand.constant = model::Constant::None();
    else
      operand.tensor = FactsOf(value);
    return operand;
  }

  TensorFacts FactsOf(const Value& value) const {
    TensorFacts facts;
    facts.dtype = DTypeText(value.dtype);
    facts.device = "cpu";
    facts.layout = "torch.strided";
    bool can_require = value.differentiable && IsDifferentiable(value.dtype);
    bool recorded = Records() && can_require && (!value.view || value.requires_grad);
    facts.requires_grad = recorded || (can_require && value.view && value.requires_grad) || value.leaf_requires_grad;
    facts.is_leaf = !recorded;
    facts.is_inference = value.inference;
    Split(value.layout.sizes, &facts.sizes, &facts.size_terms);
    Split(value.layout.strides, &facts.strides, &facts.stride_terms);
    facts.storage_offset = value.offset.now();
    facts.offset_term = value.offset.term();
    if (arguments_.first != nullptr && arguments_.first->is_inference == value.inference)
      facts.keys = arguments_.first->keys;
    return facts;
  }

  const MetaRequest& request_;
  const Ambient& ambient_;
  const Operator& op_;
  const Row& row_;
  Arguments arguments_;
};

}  // namespace
}  // namespace meta

MetaResult InferMeta(const MetaRequest& request) {
  meta::Spelling spelling;
  if (request.symbol == "builtins:getattr" && request.args.size() == 2 && request.args[1].constant && request.args[1].constant->is_str()) {
    // getattr(tensor, "T"): attributes are in the table as methods without arguments.
    return InferMeta({request.args[1].constant->text, {request.args[0]}, request.kwargs, request.ambient});
  }
  const MetaResult unknown{.may_raise_on_data = true, .draws = true};
  if (!meta::ReadSymbol(request.symbol, &spelling))
    return unknown;
  const meta::Operator* op = meta::FindOperator(spelling);
  std::optional<meta::Ambient> ambient = meta::ReadAmbient(request.ambient);
  if (op == nullptr || !ambient)
    return unknown;
  absl::StatusOr<MetaResult> result = meta::Inference(request, *ambient, *op).Run(spelling);
  if (result.ok())
    return *std::move(result);
  return absl::IsInvalidArgument(result.status()) ? MetaResult{.outcome = MetaOutcome::kRaises} : unknown;
}

}  // namespace framegate::translator
