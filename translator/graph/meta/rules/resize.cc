// Operators that change sizes of images and signals.
#include <cmath>

#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

// Zeros around the input; negative padding cuts it.
Outcome PaddedWithNumber(const Call& call, const Value& input, const Dims& sizes, const Dims& padding) {
  if (HasNewStrides(input.layout) && input.rank() < 4)
    return call.Fresh(input.dtype, sizes);
  bool grows = false;
  for (const Size& amount : padding)
    grows = grows || amount > 0;
  if (grows)
    return call.FreshIn(SuggestedFormat(input.layout), input.dtype, sizes);
  return call.Fresh(input.dtype, Layout{sizes, PreservedStrides({sizes, input.layout.strides})});
}

struct Scale {
  std::vector<double> factors;  // none where sizes are given
  Dims sizes;
};

absl::StatusOr<Scale> ReadScale(const Call& call, int64_t spatial) {
  Scale scale;
  if (call.Has("size")) {
    ASSIGN_OR_RETURN(scale.sizes, call.Ints("size"));
    if (scale.sizes.size() == 1)
      scale.sizes.resize(static_cast<size_t>(spatial), scale.sizes[0]);
    return scale;
  }
  const model::Operand* given = call.Given("scale_factor");
  if (given == nullptr)
    return Unknown();
  std::vector<model::Operand> items = ItemsOf(*given).value_or(std::vector<model::Operand>(static_cast<size_t>(spatial), *given));
  for (const model::Operand& item : items) {
    std::optional<Value> number = NumberOf(item);
    if (!number || number->varies)
      return Unknown();
    double factor = number->count.term() != 0 ? static_cast<double>(static_cast<int64_t>(number->count)) : number->number;
    if (factor <= 0)
      return Unknown();
    scale.factors.push_back(factor);
  }
  return scale;
}

}  // namespace

Outcome Pad(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(Dims padding, call.Ints("pad"));
  ASSIGN_OR_RETURN(std::string mode, call.Text("mode"));
  Dims sizes = input.sizes();
  if (padding.size() % 2 != 0 || padding.size() / 2 > sizes.size())
    return Raises();
  for (size_t i = 0; i < padding.size() / 2; ++i) {
    Size& size = sizes[sizes.size() - 1 - i];
    Size before = padding[2 * i], after = padding[2 * i + 1];
    if (before < -size || after < -size)
      return Unknown();
    if (mode != "constant" && (before < 0 || after < 0 || size == 0 || (mode == "reflect" && (before >= size || after >= size)) ||
                               (mode == "circular" && (before > size || after > size))))
      return Unknown();
    size += before + after;
    if (size < 0)
      return Raises();
  }
  if (mode == "constant")
    return PaddedWithNumber(call, input, sizes, padding);
  if (!IsFloating(input.dtype) || input.elements() == 0 || call.ambient().autocast || padding.empty() ||
      static_cast<int64_t>(padding.size() / 2) != input.rank() - 2)
    return Unknown();
  if (mode == "circular")
    return call.Fresh(input.dtype, std::move(sizes));
  if (mode != "reflect" && mode != "replicate")
    return Unknown();
  MemoryFormat format = SuggestedFormat(input.layout);
  if (format == MemoryFormat::kChannelsLast3d)
    return Unknown();
  return call.FreshIn(format, input.dtype, std::move(sizes));
}

Outcome Interpolate(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(std::string mode, call.Text("mode"));
  int64_t spatial = input.rank() - 2;
  int64_t wanted = mode == "linear" ? 1 : mode == "bilinear" || mode == "bicubic" ? 2 : mode == "trilinear" ? 3 : spatial;
  bool cast = mode == "area" && spatial == 3 && call.ambient().autocast;
  if (spatial < 1 || spatial > 3 || spatial != wanted || !IsFloating(input.dtype) || input.elements() == 0 || cast)
    return Unknown();
  ASSIGN_OR_RETURN(Scale scale, ReadScale(call, spatial));
  Dims sizes = input.sizes();
  size_t count = scale.factors.empty() ? scale.sizes.size() : scale.factors.size();
  if (static_cast<int64_t>(count) != spatial)
    return Unknown();
  for (size_t i = 0; i < count; ++i) {
    Size& size = sizes[2 + i];
    size = scale.factors.empty()
               ? scale.sizes[i]
               : Size(static_cast<int64_t>(std::floor(static_cast<double>(static_cast<int64_t>(size)) * scale.factors[i])));
    if (size < 1)
      return Unknown();
  }
  MemoryFormat format = SuggestedFormat(input.layout);
  if (format == MemoryFormat::kChannelsLast3d)
    return Unknown();
  return call.FreshIn(format, input.dtype, std::move(sizes));
}

// The product of one half with a gate made of the other.
Outcome GatedLinearUnit(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  ASSIGN_OR_RETURN(int64_t dim, call.Dim("dim", input));
  if (!IsFloating(input.dtype) || input.rank() == 0)
    return Unknown();
  if (input.size(dim) % 2 != 0)
    return Raises();
  Value half = input;
  half.layout.sizes[dim] = half.layout.sizes[dim] / 2;
  return Elementwise(call, {half, half}, input.dtype, input.dtype);
}

}  // namespace framegate::translator::meta::rules
