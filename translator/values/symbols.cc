// Sizes and ints that changed between calls, or that the user says will change, become symbols.
#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "translator/values/session.h"

namespace framegate::translator {

using guards::GuardKind;
using model::Step;

std::string Session::PathOf(SubjectId subject) {
  if (slot_names_.empty())
    for (const model::UnitFrame& frame : request_.unit.frames) {
      std::shared_ptr<const DecodedCode> code = CodeOf(frame.code);
      slot_names_.push_back(code == nullptr ? std::vector<std::string>{} : code->image->localsplusnames);
    }
  return SubjectPath(subjects_.nodes(), subject, slot_names_);
}

bool Session::IsDynamic(const std::string& path) const {
  const std::vector<std::string>& paths = request_.config.dynamic_subjects;
  return !path.empty() && std::binary_search(paths.begin(), paths.end(), path);
}

// Reached from the unit's slots and stack through containers alone.
bool Session::IsArgument(SubjectId subject) const {
  for (SubjectId at = subject; at != model::kNoSubject; at = subjects_[at].parent) {
    Step step = subjects_[at].step;
    if (step == Step::kSlot || step == Step::kStack)
      return true;
    if (step != Step::kItem && step != Step::kDictItem && step != Step::kDictValue && step != Step::kCellContents)
      return false;
  }
  return false;
}

std::vector<uint32_t> Session::DynamicDims(SubjectId subject, const model::TensorFacts& facts) {
  const model::Config& config = request_.config;
  std::vector<uint32_t> dims;
  if (config.dynamic == "false" || facts.layout != "torch.strided" || facts.strides.size() != facts.sizes.size())
    return dims;
  bool all = config.dynamic == "true" && IsArgument(subject);
  std::string path = config.dynamic_subjects.empty() ? "" : PathOf(subject);
  for (uint32_t dim = 0; dim < facts.sizes.size(); ++dim) {
    auto marked = [dim](const std::vector<int64_t>& marks) { return std::find(marks.begin(), marks.end(), dim) != marks.end(); };
    if (facts.sizes[dim] >= 2 && !marked(facts.static_dims) &&
        (all || marked(facts.dynamic_dims) || (!path.empty() && IsDynamic(StrCat(path, "#", dim)))))
      dims.push_back(dim);
  }
  return dims;
}

void Session::MakeSymbolic(SubjectId subject, const std::vector<uint32_t>& dims, model::TensorFacts* facts) {
  if (dims.empty())
    return;
  size_t rank = facts->sizes.size();
  facts->size_terms.assign(rank, 0);
  facts->stride_terms.assign(rank, 0);
  for (uint32_t dim : dims) {
    facts->size_terms[dim] = terms_.SizeOf(subject, dim, facts->sizes[dim]);
    base_terms_.push_back(facts->size_terms[dim]);
    if (std::find(facts->dynamic_dims.begin(), facts->dynamic_dims.end(), dim) != facts->dynamic_dims.end())
      marked_terms_.push_back(facts->size_terms[dim]);
  }
  // Strides follow the sizes of the dimensions further in, where they do so now.
  std::vector<uint32_t> order(rank);
  for (uint32_t dim = 0; dim < rank; ++dim)
    order[dim] = static_cast<uint32_t>(rank) - 1 - dim;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return facts->strides[a] < facts->strides[b]; });
  Size expected = 1;
  for (uint32_t dim : order) {
    if (facts->sizes[dim] == 1)
      continue;
    Size stride = facts->strides[dim];
    if (expected.term() != 0 && expected.now() == facts->strides[dim]) {
      stride = expected;
      facts->stride_terms[dim] = expected.term();
      stride_terms_.push_back({subject, dim, expected.term()});
    }
    expected = stride * Size::Symbol(facts->sizes[dim], facts->size_terms[dim]);
  }
}

std::optional<uint32_t> Session::FixedMark() const {
  for (uint32_t number : marked_terms_)
    if (const Term& term = terms_.at(number); term.least == term.most)
      return term.dimension;
  return std::nullopt;
}

// Ints of 0 and 1 and floats that are no numbers decide too much to be known by name.
bool Session::MayBeSymbol(SubjectId subject, const Constant& now) {
  if (now.is_int() && now.integer >= 2)
    return IsDynamic(PathOf(subject)) || (request_.config.dynamic == "true" && IsArgument(subject));
  return now.kind == ConstantKind::kFloat && std::isfinite(now.real) && IsDynamic(PathOf(subject));
}

V Session::Count(V before, bool adds, V step) {
  constexpr int64_t kLimit = int64_t{1} << 60;
  const auto fits = [](const Constant* c) { return c != nullptr && c->is_int() && c->integer > -kLimit && c->integer < kLimit; };
  auto* earlier = As<ResidualValue>(before);
  auto* lazy = As<LazyValue>(before);
  if (!fits(AsConstant(step)) || step->is_real())
    return nullptr;
  if (earlier != nullptr ? !earlier->is_count || earlier->known != nullptr
                         : lazy == nullptr || lazy->resolved != nullptr || !lazy->is_real() || !NeedsGuards(lazy->subject))
    return nullptr;
  if (lazy != nullptr) {
    if (!MayBeConstants(mirror_.Step(lazy->handle, Step::kType)))
      return nullptr;
    const model::FactValue& now = mirror_.Fact(lazy->handle, model::Fact::kValue);
    if (!now.known || !fits(&now.constant) || MayBeSymbol(lazy->subject, now.constant))
      return nullptr;
    AddGuard({.kind = GuardKind::kTypeIs, .subject = lazy->subject, .type = "builtins:int"});
  }
  auto* count = New<ResidualValue>();
  count->type = TypeOfSymbol("builtins:int");
  count->function = adds ? "add" : "sub";
  count->of = before;
  count->key = step;
  count->is_count = true;
  return count;
}

V Session::MakeSymbol(LazyValue* lazy, const Constant& now) {
  AddGuard({.kind = GuardKind::kTypeIs, .subject = lazy->subject, .type = now.is_int() ? "builtins:int" : "builtins:float"});
  auto* symbol = New<SymbolValue>();
  symbol->now = now;
  symbol->handle = lazy->handle;
  symbol->subject = lazy->subject;
  if (now.is_int()) {
    symbol->term = terms_.IntOf(lazy->subject, now.integer, 2);
    base_terms_.push_back(symbol->term);
  }
  return symbol;
}

bool Compared(int32_t comparison, const Size& a, const Size& b) {
  switch (comparison) {
    case 0:
      return a < b;
    case 1:
      return a <= b;
    case 2:
      return a == b;
    case 3:
      return a != b;
    case 4:
      return a > b;
    default:
      return a >= b;
  }
}

V Session::Number(const Size& size) {
  if (size.term() == 0)
    return Int(size.now());
  auto* symbol = New<SymbolValue>();
  symbol->term = size.term();
  symbol->now = Constant::Int(size.now());
  return symbol;
}

bool Session::AsSize(V value, Size* size) {
  value = Look(value);
  if (auto* symbol = As<SymbolValue>(value); symbol != nullptr && symbol->term != 0) {
    *size = symbol->known != nullptr ? Size(symbol->now.integer) : Size::Symbol(symbol->now.integer, symbol->term);
    return true;
  }
  const Constant* constant = AsConstant(value);
  if (constant == nullptr || !constant->is_int())
    return false;
  *size = constant->integer;
  return true;
}

bool Session::HoldsSymbol(V value, int depth) {
  value = Look(value);
  if (As<SymbolValue>(value) != nullptr)
    return true;
  if (auto* tensor = As<TensorValue>(value); tensor != nullptr && tensor->facts != nullptr)
    return !tensor->facts->size_terms.empty() || !tensor->facts->stride_terms.empty() || tensor->facts->offset_term != 0;
  auto any = [&](const Values& values) {
    return depth < 8 && std::any_of(values.begin(), values.end(), [&](V item) { return HoldsSymbol(item, depth + 1); });
  };
  if (auto* sequence = As<SequenceValue>(value))
    return any(sequence->items);
  auto* slice = As<SliceValue>(value);
  return slice != nullptr && any({slice->start, slice->stop, slice->step});
}

void Session::Fix(V value, int depth) {
  value = Look(value);
  if (auto* symbol = As<SymbolValue>(value)) {
    if (symbol->known != nullptr)
      return;
    if (Size a, b; symbol->comparison >= 0 && AsSize(symbol->left, &a) && AsSize(symbol->right, &b)) {
      symbol->known = Bool(Compared(symbol->comparison, a, b));
      return;
    }
    if (symbol->term != 0)
      terms_.Fix(symbol->term);
    else if (symbol->is_real())
      ReadFact(symbol, model::Fact::kValue);
    else
      for (V operand : {symbol->left, symbol->right})
        Fix(operand, depth + 1);
    auto* constant = New<ConstantValue>();
    constant->constant = symbol->now;
    constant->handle = symbol->handle;
    constant->subject = symbol->subject;
    symbol->known = constant;
  } else if (auto* tensor = As<TensorValue>(value); tensor != nullptr && tensor->facts != nullptr) {
    for (const std::vector<uint32_t>* terms : {&tensor->facts->size_terms, &tensor->facts->stride_terms})
      for (uint32_t term : *terms)
        if (term != 0)
          terms_.Fix(term);
    if (tensor->facts->offset_term != 0)
      terms_.Fix(tensor->facts->offset_term);
  } else if (depth < 8) {
    if (auto* sequence = As<SequenceValue>(value))
      for (V item : sequence->items)
        Fix(item, depth + 1);
    else if (auto* slice = As<SliceValue>(value))
      for (V part : {slice->start, slice->stop, slice->step})
        Fix(part, depth + 1);
    else if (auto* mapping = As<MappingValue>(value))
      for (const auto& [key, item] : mapping->items)
        Fix(item, depth + 1);
  }
}

}  // namespace framegate::translator
