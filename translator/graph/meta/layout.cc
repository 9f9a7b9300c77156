#include "translator/graph/meta/layout.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

namespace framegate::translator::meta {
namespace {

constexpr int64_t kOrder2d[] = {1, 3, 2, 0};
constexpr int64_t kOrder3d[] = {1, 4, 3, 2, 0};

// Dimensions of a channels-last format, innermost first.
std::span<const int64_t> OrderOf(MemoryFormat format) {
  return format == MemoryFormat::kChannelsLast ? std::span<const int64_t>(kOrder2d) : std::span<const int64_t>(kOrder3d);
}

// Whether strides look like the format even where the tensor is not dense. Ambiguous ones count as
// contiguous.
bool LooksLike(MemoryFormat format, const Layout& layout) {
  std::span<const int64_t> order = OrderOf(format);
  if (layout.sizes.size() != order.size() || layout.strides[1] == 0)
    return false;
  Size least = 0;
  for (int64_t dim : order) {
    if (layout.sizes[dim] == 0 || layout.strides[dim] < least)
      return false;
    if (dim == 0 && least == layout.strides[1])
      return false;
    least = layout.strides[dim] * std::max<Size>(layout.sizes[dim], 1);
  }
  return true;
}

// 1: `a` goes after `b`, -1: before, 0: the operands do not tell.
int CompareDims(const Dims& sizes, const std::vector<Dims>& operand_strides, int64_t a, int64_t b) {
  for (const Dims& strides : operand_strides) {
    if (strides[a] == 0 || strides[b] == 0)
      continue;
    if (strides[a] != strides[b])
      return strides[a] < strides[b] ? -1 : 1;
    if (sizes[a] > sizes[b])
      return 1;
  }
  return 0;
}

// Strides of an empty view, which ATen chooses as if the tensor were new.
Dims EmptyViewStrides(const Dims& sizes) {
  Dims strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = Multiply(std::max<Size>(sizes[i], 1), strides[i]);
  return strides;
}

}  // namespace

Size Multiply(const Size& a, const Size& b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a.now(), b.now(), &product) ? Size(std::numeric_limits<int64_t>::max()) : a * b;
}

Size ElementCount(const Dims& sizes) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end())
    return 0;
  return std::accumulate(sizes.begin(), sizes.end(), Size(1), Multiply);
}

Dims ContiguousStrides(const Dims& sizes) {
  return EmptyViewStrides(sizes);
}

Dims StridesIn(MemoryFormat format, const Dims& sizes) {
  if (format == MemoryFormat::kContiguous)
    return ContiguousStrides(sizes);
  Dims strides(sizes.size());
  Size next = 1;
  for (int64_t dim : OrderOf(format)) {
    strides[dim] = next;
    next = Multiply(next, sizes[dim]);
  }
  return strides;
}

bool HasNewStrides(const Layout& layout) {
  Size expected = 1;
  for (size_t i = layout.sizes.size(); i-- > 0; expected = Multiply(expected, layout.sizes[i]))
    if (!Identical(layout.strides[i], expected))
      return false;
  return true;
}

bool IsContiguous(const Layout& layout) {
  if (HasNewStrides(layout))
    return true;
  if (ElementCount(layout.sizes) == 0)
    return true;
  Size expected = 1;
  for (size_t i = layout.sizes.size(); i-- > 0;) {
    if (layout.sizes[i] == 1)
      continue;
    if (layout.strides[i] != expected)
      return false;
    expected *= layout.sizes[i];
  }
  return true;
}

bool IsContiguousIn(MemoryFormat format, const Layout& layout) {
  if (format == MemoryFormat::kContiguous)
    return IsContiguous(layout);
  std::span<const int64_t> order = OrderOf(format);
  if (layout.sizes.size() != order.size())
    return false;
  Size expected = 1;
  for (int64_t dim : order) {
    if (layout.sizes[dim] == 1)
      continue;
    if (layout.strides[dim] != expected)
      return false;
    expected *= layout.sizes[dim];
  }
  return true;
}

bool IsDense(const Layout& layout) {
  if (IsContiguous(layout) || IsContiguousIn(MemoryFormat::kChannelsLast, layout) || IsContiguousIn(MemoryFormat::kChannelsLast3d, layout))
    return true;
  std::vector<size_t> order(layout.sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return layout.sizes[i] < 2; });
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return layout.strides[a] < layout.strides[b]; });
  Size expected = 1;
  for (size_t dim : order) {
    if (layout.strides[dim] != expected)
      return false;
    expected *= layout.sizes[dim];
  }
  return true;
}

bool HasInternalOverlap(const Layout& layout) {
  for (size_t i = 0; i < layout.sizes.size(); ++i)
    if (layout.strides[i] == 0 && layout.sizes[i] > 1)
      return true;
  return false;
}

MemoryFormat SuggestedFormat(const Layout& layout) {
  if (LooksLike(MemoryFormat::kChannelsLast, layout))
    return MemoryFormat::kChannelsLast;
  return LooksLike(MemoryFormat::kChannelsLast3d, layout) ? MemoryFormat::kChannelsLast3d : MemoryFormat::kContiguous;
}

Dims PreservedStrides(const Layout& layout) {
  if (IsDense(layout))
    return layout.strides;
  Dims strides(layout.sizes.size());
  Size next = 1;
  for (int64_t dim : LoopOrder(layout.sizes, {layout.strides})) {
    strides[dim] = next;
    next *= std::max<Size>(layout.sizes[dim], 1);
  }
  return strides;
}

std::optional<Dims> ViewStrides(const Layout& layout, const Dims& sizes) {
  if (layout.sizes.empty())
    return Dims(sizes.size(), 1);
  if (ElementCount(layout.sizes) == 0)
    return layout.sizes == sizes ? layout.strides : EmptyViewStrides(sizes);
  Dims strides(sizes.size());
  int64_t view_dim = static_cast<int64_t>(sizes.size()) - 1;
  Size chunk_stride = layout.strides.back(), chunk_elements = 1, view_elements = 1;
  for (int64_t dim = layout.rank() - 1; dim >= 0; --dim) {
    chunk_elements *= layout.sizes[dim];
    // A chunk ends where the next dimension out does not continue it in memory.
    if (dim > 0 && (layout.sizes[dim - 1] == 1 || layout.strides[dim - 1] == chunk_elements * chunk_stride))
      continue;
    for (; view_dim >= 0 && (view_elements < chunk_elements || sizes[view_dim] == 1); --view_dim) {
      strides[view_dim] = view_elements * chunk_stride;
      view_elements *= sizes[view_dim];
    }
    if (view_elements != chunk_elements)
      return std::nullopt;
    if (dim > 0) {
      chunk_stride = layout.strides[dim - 1];
      chunk_elements = view_elements = 1;
    }
  }
  return view_dim == -1 ? std::optional(strides) : std::nullopt;
}

std::optional<Dims> ResolveSizes(const Dims& sizes, const Size& elements) {
  Dims resolved = sizes;
  Size known = 1;
  auto open = resolved.end();
  for (auto it = resolved.begin(); it != resolved.end(); ++it) {
    if (*it >= 0) {
      known *= *it;
      continue;
    }
    if (*it != -1 || open != resolved.end())
      return std::nullopt;
    open = it;
  }
  if (open == resolved.end())
    return known == elements ? std::optional(resolved) : std::nullopt;
  if (known == 0 || elements % known != 0)
    return std::nullopt;
  *open = elements / known;
  return resolved;
}

std::optional<Dims> BroadcastSizes(const Dims& a, const Dims& b) {
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims sizes = longer;
  size_t shift = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    Size& size = sizes[shift + i];
    if (Identical(size, shorter[i]))
      continue;
    if (size == 1)
      size = shorter[i];
    else if (shorter[i] != 1 && shorter[i] != size)
      return std::nullopt;
  }
  return sizes;
}

std::optional<int64_t> ResolveDim(int64_t dim, int64_t rank) {
  int64_t range = std::max<int64_t>(rank, 1);
  if (dim < -range || dim >= range)
    return std::nullopt;
  return dim < 0 ? dim + range : dim;
}

Dims LoopOrder(const Dims& sizes, const std::vector<Dims>& operand_strides) {
  Dims order(sizes.size());
  std::iota(order.rbegin(), order.rend(), int64_t{0});
  // Insertion sort, because comparisons may be ambiguous: the result depends on this very
  // algorithm.
  for (int64_t i = 1; i < static_cast<int64_t>(order.size()); ++i) {
    int64_t moving = i;
    for (int64_t before = i - 1; before >= 0; --before) {
      int comparison = CompareDims(sizes, operand_strides, order[before], order[moving]);
      if (comparison < 0)
        break;
      if (comparison > 0) {
        std::swap(order[before], order[moving]);
        moving = before;
      }
    }
  }
  return order;
}

}  // namespace framegate::translator::meta
