// einsum of one or two operands: a product of matrices between permutations.
#include <algorithm>
#include <string>

#include "translator/graph/meta/iteration.h"
#include "translator/graph/meta/rules.h"

namespace framegate::translator::meta::rules {
namespace {

struct Equation {
  std::vector<std::string> operands;
  std::string output;
};

// Letters only: no ellipsis, and no letter twice in one operand.
std::optional<Equation> ReadEquation(std::string text, size_t count) {
  std::erase(text, ' ');
  Equation equation;
  size_t arrow = text.find("->");
  if (arrow == std::string::npos || text.find('.') != std::string::npos)
    return std::nullopt;
  equation.output = text.substr(arrow + 2);
  std::string left = text.substr(0, arrow);
  for (size_t start = 0; start <= left.size();) {
    size_t comma = std::min(left.find(',', start), left.size());
    equation.operands.push_back(left.substr(start, comma - start));
    start = comma + 1;
  }
  std::vector<std::string> all = equation.operands;
  all.push_back(equation.output);
  for (std::string labels : all) {
    std::sort(labels.begin(), labels.end());
    if (std::adjacent_find(labels.begin(), labels.end()) != labels.end())
      return std::nullopt;
  }
  return equation.operands.size() == count ? std::optional(equation) : std::nullopt;
}

// All labels: the output's in its order, then those summed over in alphabetical order.
std::string AllLabels(const Equation& equation) {
  std::string labels = equation.output, summed;
  for (const std::string& operand : equation.operands)
    for (char label : operand)
      if (labels.find(label) == std::string::npos && summed.find(label) == std::string::npos)
        summed.push_back(label);
  std::sort(summed.begin(), summed.end());
  return labels + summed;
}

// An operand's dimensions in the order of all labels; those it lacks are of size 1.
std::optional<Layout> ByLabel(const Value& value, const std::string& own, const std::string& labels) {
  if (static_cast<int64_t>(own.size()) != value.rank())
    return std::nullopt;
  Layout layout;
  for (char label : labels) {
    size_t place = own.find(label);
    layout.sizes.push_back(place == std::string::npos ? Size(1) : value.layout.sizes[place]);
    layout.strides.push_back(place == std::string::npos ? Size(1) : value.layout.strides[place]);
  }
  return layout;
}

// Sums over what only one operand has are taken first.
Layout SummedAlone(const Layout& operand, const Layout& other, size_t outputs) {
  Layout summed = operand;
  for (size_t i = outputs; i < operand.sizes.size(); ++i)
    if (other.sizes[i] == 1)
      summed.sizes[i] = 1;
  if (summed.sizes != operand.sizes)
    summed.strides = ContiguousStrides(summed.sizes);
  return summed;
}

// The dimensions that are left when all sums are taken.
std::optional<Layout> OutputsOf(const Layout& layout, size_t outputs) {
  if (layout.sizes.size() == outputs)
    return layout;
  Dims kept(layout.sizes.begin(), layout.sizes.begin() + static_cast<ptrdiff_t>(outputs));
  std::optional<Dims> strides = ViewStrides(layout, kept);
  return strides ? std::optional(Layout{kept, *strides}) : std::nullopt;
}

// The batched product left (batch, rows, summed) @ right (batch, summed, columns), its dimensions
// put where the labels are.
Layout Contracted(const Dims& left, const Dims& right, size_t outputs) {
  Dims batch, rows, summed, columns;
  for (size_t i = 0; i < left.size(); ++i) {
    bool in_left = left[i] != 1, in_right = right[i] != 1;
    bool in_both = in_left && in_right;
    Dims& group = in_both && i >= outputs ? summed : in_both ? batch : in_left ? rows : columns;
    group.push_back(static_cast<int64_t>(i));
  }
  // The operands change places where the product then comes in the order of the output.
  if (!rows.empty() && !columns.empty() && columns.back() < rows.front())
    std::swap(rows, columns);
  Dims order = batch;
  order.insert(order.end(), rows.begin(), rows.end());
  order.insert(order.end(), summed.begin(), summed.end());
  order.insert(order.end(), columns.begin(), columns.end());
  Dims sizes;
  for (int64_t dim : order)
    sizes.push_back(std::find(summed.begin(), summed.end(), dim) != summed.end() ? Size(1) : std::max(left[dim], right[dim]));
  Dims strides = ContiguousStrides(sizes);
  Layout permuted{Dims(sizes.size()), Dims(sizes.size())};
  for (size_t i = 0; i < order.size(); ++i) {
    permuted.sizes[order[i]] = sizes[i];
    permuted.strides[order[i]] = strides[i];
  }
  return permuted;
}

}  // namespace

Outcome Einsum(const Call& call) {
  ASSIGN_OR_RETURN(std::string text, call.Text("equation"));
  ASSIGN_OR_RETURN(std::vector<Value> operands, call.Tensors("operands"));
  std::optional<Equation> equation = ReadEquation(text, operands.size());
  if (!equation || operands.size() != 2 || operands[0].dtype != operands[1].dtype || !IsFloating(operands[0].dtype))
    return Unknown();
  std::string labels = AllLabels(*equation);
  std::optional<Layout> left = ByLabel(operands[0], equation->operands[0], labels);
  std::optional<Layout> right = ByLabel(operands[1], equation->operands[1], labels);
  if (!left || !right || operands[0].elements() == 0 || operands[1].elements() == 0)
    return Unknown();
  for (char label : equation->output)
    if (equation->operands[0].find(label) == std::string::npos && equation->operands[1].find(label) == std::string::npos)
      return Raises();
  size_t outputs = equation->output.size();
  bool contracts = false;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (left->sizes[i] != 1 && right->sizes[i] != 1 && left->sizes[i] != right->sizes[i])
      return Raises();
    contracts = contracts || (i >= outputs && left->sizes[i] != 1 && right->sizes[i] != 1);
  }
  left = SummedAlone(*left, *right, outputs);
  right = SummedAlone(*right, *left, outputs);
  DType dtype = operands[0].dtype;
  Layout product;
  if (contracts) {
    product = Contracted(left->sizes, right->sizes, outputs);
    if (call.ambient().autocast && dtype != DType::kFloat64)
      dtype = *call.ambient().autocast;
  } else {
    ASSIGN_OR_RETURN(product, Iterate({*left, *right}));
  }
  std::optional<Layout> layout = OutputsOf(product, outputs);
  if (!layout)
    return Unknown();
  return call.Fresh(dtype, std::move(*layout));
}

}  // namespace framegate::translator::meta::rules
