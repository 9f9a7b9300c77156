// Indexing as Python writes it: ints, slices, None, Ellipsis and tensors.
#include <algorithm>

#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

using model::Constant;
using model::ConstantKind;
using model::Operand;

// What is left of an index after views were taken: one tensor, or none, per dimension of `view`.
struct Indexed {
  Value view;
  std::vector<std::optional<Value>> indices;
  bool masked = false;   // a mask's result has as many elements as the data say
  bool by_data = false;  // a number is that of a tensor: where the view begins is not known

  bool advanced() const { return !indices.empty(); }
};

bool IsConstant(const Operand& operand, ConstantKind kind) {
  return operand.constant && operand.constant->kind == kind;
}

bool IsMask(DType dtype) {
  return dtype == DType::kBool || dtype == DType::kUInt8;
}

std::optional<std::vector<Operand>> SliceParts(const Operand& item) {
  if (item.sequence == "slice")
    return item.items;
  if (!IsConstant(item, ConstantKind::kSlice))
    return std::nullopt;
  std::vector<Operand> parts;
  for (const Constant& part : item.constant->items)
    parts.emplace_back().constant = part;
  return parts;
}

// The index as a list of items; a list of ints is one index, not several.
absl::StatusOr<std::vector<Operand>> ItemsOfIndex(const Operand& index) {
  if (index.sequence == "list" || !ItemsOf(index))
    return std::vector<Operand>{index};
  return *ItemsOf(index);
}

constexpr int64_t kFarthest = int64_t{1} << 31;

class Indexing {
 public:
  Indexing(const Call& call, const Value& input) : call_(call) { result_.view = ViewOf(input, input.layout); }

  absl::StatusOr<Indexed> Apply(const std::vector<Operand>& items) {
    int64_t specified = 0;
    for (const Operand& item : items) {
      if (item.tensor && IsMask(DTypeFromText(item.tensor->dtype).value_or(DType::kInt64)))
        specified += static_cast<int64_t>(item.tensor->sizes.size());
      else if (!IsConstant(item, ConstantKind::kNone) && !IsConstant(item, ConstantKind::kEllipsis))
        ++specified;
    }
    rest_ = result_.view.rank() - specified;
    if (rest_ < 0)
      return Raises();
    for (const Operand& item : items)
      RETURN_IF_ERROR(Take(item));
    if (result_.advanced())
      result_.indices.resize(result_.view.sizes().size());
    return std::move(result_);
  }

 private:
  absl::Status Take(const Operand& item) {
    if (std::optional<Size> number = CountOf(item))
      return Select(*number);
    if (IsConstant(item, ConstantKind::kNone))
      return AddDimension();
    if (IsConstant(item, ConstantKind::kEllipsis)) {
      dim_ += rest_;
      return absl::OkStatus();
    }
    if (std::optional<std::vector<Operand>> parts = SliceParts(item))
      return Slice(*parts);
    if (item.tensor)
      return TakeTensor(item);
    return TakeList(item);
  }

  absl::Status Select(const Size& number) {
    Layout& layout = result_.view.layout;
    Size size = layout.sizes[dim_];
    if (number < -size || number >= size)
      return Raises();
    result_.view.offset += (number < 0 ? number + size : Size(number)) * layout.strides[dim_];
    layout.sizes.erase(layout.sizes.begin() + dim_);
    layout.strides.erase(layout.strides.begin() + dim_);
    return absl::OkStatus();
  }

  absl::Status AddDimension() {
    Layout& layout = result_.view.layout;
    Size stride = dim_ == layout.rank() ? Size(1) : layout.sizes[dim_] * layout.strides[dim_];
    layout.sizes.insert(layout.sizes.begin() + dim_, 1);
    layout.strides.insert(layout.strides.begin() + dim_, stride);
    ++dim_;
    return absl::OkStatus();
  }

  absl::Status Slice(const std::vector<Operand>& parts) {
    Layout& layout = result_.view.layout;
    Size size = layout.sizes[dim_];
    Size bounds[3] = {0, size, 1};
    if (parts.size() != 3)
      return Unknown();
    for (size_t i = 0; i < 3; ++i) {
      if (IsConstant(parts[i], ConstantKind::kNone))
        continue;
      if (!IsConstant(parts[i], ConstantKind::kInt))
        return Unknown();
      // Bounds may be far outside, as in x[:sys.maxsize].
      Size number = parts[i].term != 0 ? Size::Symbol(parts[i].constant->integer, parts[i].term)
                                       : Size(std::clamp(parts[i].constant->integer, -kFarthest, kFarthest));
      bounds[i] = i < 2 && number < 0 ? number + size : number;
    }
    if (bounds[2] <= 0)
      return Raises();
    Size start = std::clamp<Size>(bounds[0], 0, size);
    Size stop = std::clamp<Size>(bounds[1], start, size);
    result_.view.offset += start * layout.strides[dim_];
    layout.sizes[dim_] = bounds[2] == 1 ? stop - start : (stop - start + bounds[2] - 1) / bounds[2];
    layout.strides[dim_] = Multiply(layout.strides[dim_], bounds[2]);
    ++dim_;
    return absl::OkStatus();
  }

  absl::Status TakeTensor(const Operand& item) {
    ASSIGN_OR_RETURN(Value index, call_.ValueOf(item));
    if (IsMask(index.dtype)) {
      if (index.rank() == 0)
        return Unknown();
      result_.masked = true;
      for (int64_t i = 0; i < index.rank(); ++i)
        AddIndex(index);
      return absl::OkStatus();
    }
    if (index.rank() == 0)
      return SelectByData(index);
    if (index.dtype != DType::kInt64 && index.dtype != DType::kInt32)
      return Unknown();
    AddIndex(CastTo(call_, index, DType::kInt64));
    return absl::OkStatus();
  }

  // A single integer in a tensor counts as that integer.
  absl::Status SelectByData(const Value& index) {
    Layout& layout = result_.view.layout;
    if (!IsIntegral(index.dtype))
      return Raises();
    result_.by_data = true;
    layout.sizes.erase(layout.sizes.begin() + dim_);
    layout.strides.erase(layout.strides.begin() + dim_);
    return absl::OkStatus();
  }

  absl::Status TakeList(const Operand& item) {
    std::optional<std::vector<Operand>> numbers = ItemsOf(item);
    if (!numbers || numbers->empty() || !std::all_of(numbers->begin(), numbers->end(), IntOf))
      return Unknown();
    AddIndex(call_.Fresh(DType::kInt64, Dims{static_cast<int64_t>(numbers->size())}));
    return absl::OkStatus();
  }

  void AddIndex(Value index) {
    result_.indices.resize(static_cast<size_t>(dim_));
    result_.indices.emplace_back(std::move(index));
    ++dim_;
  }

  const Call& call_;
  Indexed result_;
  int64_t dim_ = 0;   // of the view, the next item's
  int64_t rest_ = 0;  // dimensions that an Ellipsis stands for
};

absl::StatusOr<Indexed> Index(const Call& call) {
  ASSIGN_OR_RETURN(Value input, call.Tensor("input"));
  const Operand* index = call.Given("index");
  Operand none;
  none.constant = Constant::None();
  ASSIGN_OR_RETURN(std::vector<Operand> items, ItemsOfIndex(index == nullptr ? none : *index));
  return Indexing(call, input).Apply(items);
}

// Dimensions with indices go to the front where they are not side by side.
void BringTogether(Indexed* indexed) {
  std::vector<size_t> with, without;
  for (size_t i = 0; i < indexed->indices.size(); ++i)
    (indexed->indices[i] ? with : without).push_back(i);
  if (with.back() - with.front() + 1 == with.size())
    return;
  with.insert(with.end(), without.begin(), without.end());
  Indexed moved{.view = indexed->view};
  for (size_t i = 0; i < with.size(); ++i) {
    moved.indices.push_back(indexed->indices[with[i]]);
    moved.view.layout.sizes[i] = indexed->view.layout.sizes[with[i]];
    moved.view.layout.strides[i] = indexed->view.layout.strides[with[i]];
  }
  *indexed = std::move(moved);
}

Layout Expanded(const Layout& layout, const Dims& sizes) {
  Layout expanded{sizes, Dims(sizes.size(), 0)};
  size_t shift = sizes.size() - layout.sizes.size();
  for (size_t i = 0; i < layout.sizes.size(); ++i)
    if (layout.sizes[i] == sizes[shift + i])
      expanded.strides[shift + i] = layout.strides[i];
  // Added dimensions of size 1 have a stride as if they had been there.
  for (size_t i = shift; i-- > 0;)
    if (sizes[i] == 1)
      expanded.strides[i] = sizes[i + 1] * expanded.strides[i + 1];
  return expanded;
}

// The loop over the source, indexed dimensions replaced by the index's with stride 0, and over each
// index.
absl::StatusOr<Layout> Gathered(Indexed indexed) {
  BringTogether(&indexed);
  Dims shape;
  for (const std::optional<Value>& index : indexed.indices) {
    std::optional<Dims> joined = index ? BroadcastSizes(shape, index->sizes()) : shape;
    if (!joined)
      return Raises();
    shape = std::move(*joined);
  }
  size_t first = 0;
  while (!indexed.indices[first])
    ++first;
  std::vector<Layout> operands(1);
  Layout& source = operands[0];
  Dims ones_before(first, 1), ones_after;
  for (size_t i = 0; i < indexed.indices.size(); ++i) {
    if (i == first) {
      source.sizes.insert(source.sizes.end(), shape.begin(), shape.end());
      source.strides.insert(source.strides.end(), shape.size(), 0);
    }
    if (indexed.indices[i]) {
      if (indexed.view.layout.sizes[i] == 0)
        return Unknown();
      continue;
    }
    source.sizes.push_back(indexed.view.layout.sizes[i]);
    source.strides.push_back(indexed.view.layout.strides[i]);
    if (i > first)
      ones_after.push_back(1);
  }
  for (const std::optional<Value>& index : indexed.indices) {
    if (!index)
      continue;
    Layout expanded = Expanded(index->layout, shape);
    Dims sizes = ones_before;
    sizes.insert(sizes.end(), shape.begin(), shape.end());
    sizes.insert(sizes.end(), ones_after.begin(), ones_after.end());
    std::optional<Dims> strides = ViewStrides(expanded, sizes);
    operands.push_back({sizes, strides ? *strides : ContiguousStrides(sizes)});
  }
  return Iterate(operands);
}

}  // namespace

Outcome GetItem(const Call& call) {
  ASSIGN_OR_RETURN(Indexed indexed, Index(call));
  if (!indexed.advanced()) {
    Product view = std::move(indexed.view);
    view.may_raise_on_data = indexed.by_data;
    return view;
  }
  if (indexed.masked)
    return Unknown();
  DType dtype = indexed.view.dtype;
  ASSIGN_OR_RETURN(Layout layout, Gathered(std::move(indexed)));
  Product product = call.Fresh(dtype, std::move(layout));
  product.may_raise_on_data = true;
  return product;
}

Outcome SetItem(const Call& call) {
  ASSIGN_OR_RETURN(Indexed indexed, Index(call));
  ASSIGN_OR_RETURN(Value value, call.TensorOrNumber("value"));
  Product product = Product::Nothing();
  product.may_raise_on_data = indexed.advanced() || indexed.by_data;
  if (IsComplex(value.dtype) && !IsComplex(indexed.view.dtype))
    return Unknown();
  if (value.requires_grad && !IsDifferentiable(indexed.view.dtype))  // which eager forgets to check
    return Unknown();
  if (value.is_number)
    return product;
  if (indexed.advanced()) {
    if (value.dtype != indexed.view.dtype || HasInternalOverlap(indexed.view.layout))
      return Unknown();
    return product;
  }
  Dims sizes = value.sizes();
  while (sizes.size() > indexed.view.sizes().size() && sizes[0] == 1)
    sizes.erase(sizes.begin());
  std::optional<Dims> joined = BroadcastSizes(sizes, indexed.view.sizes());
  if (!joined || *joined != indexed.view.sizes())
    return Raises();
  return product;
}

}  // namespace framegate::translator::meta::rules
