// Sizes and strides as ATen computes them: contiguity, memory formats, views, broadcasting. Pure
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "translator/graph/meta/size.h"

namespace framegate::translator::meta {

enum class MemoryFormat : uint8_t { kContiguous, kChannelsLast, kChannelsLast3d };

struct Layout {
  Dims sizes;
  Dims strides;  // in elements

  int64_t rank() const { return static_cast<int64_t>(sizes.size()); }

  bool operator==(const Layout&) const = default;
};

Size Multiply(const Size& a, const Size& b);  // the largest number where it overflows
Size ElementCount(const Dims& sizes);
Dims ContiguousStrides(const Dims& sizes);
// Strides of a new tensor; channels-last formats need 4 or 5 dimensions.
Dims StridesIn(MemoryFormat format, const Dims& sizes);

// The strides are those of a new tensor of these sizes, whatever they are: nothing is noted.
bool HasNewStrides(const Layout& layout);

bool IsContiguous(const Layout& layout);
bool IsContiguousIn(MemoryFormat format, const Layout& layout);
bool IsDense(const Layout& layout);             // non-overlapping and dense
bool HasInternalOverlap(const Layout& layout);  // surely: a dimension of stride 0
MemoryFormat SuggestedFormat(const Layout& layout);

// Strides of a new tensor that keeps the order of the dimensions in memory
// (memory_format=torch.preserve_format).
Dims PreservedStrides(const Layout& layout);
// Strides under which the same memory has `sizes`; none where that needs a copy.
std::optional<Dims> ViewStrides(const Layout& layout, const Dims& sizes);
// `sizes` with its one -1 replaced; none where the number of elements does not fit.
std::optional<Dims> ResolveSizes(const Dims& sizes, const Size& elements);
std::optional<Dims> BroadcastSizes(const Dims& a, const Dims& b);
// A dimension counted from the end made a plain one; none where it is out of range. A scalar has
// dimension 0.
std::optional<int64_t> ResolveDim(int64_t dim, int64_t rank);

// The order in which loops run over the dimensions, innermost first, decided by operands in turn
// (see iteration.h).
Dims LoopOrder(const Dims& sizes, const std::vector<Dims>& operand_strides);

}  // namespace framegate::translator::meta
