#include "translator/emit/graph_writer.h"

#include "absl/memory/memory.h"
#include "absl/strings/ascii.h"
#include "base/strings.h"
#include "translator/graph/sharing.h"
#include "translator/slots/slots.h"

namespace framegate::translator {

using model::ArgKind;
using model::GraphArg;
using model::GraphNode;
using model::NodeOp;

uint32_t GraphWriter::AddOutput(TensorValue* tensor) {
  for (uint32_t i = 0; i < outputs_.size(); ++i)
    if (outputs_[i] == tensor->node)
      return i;
  outputs_.push_back(tensor->node);
  return static_cast<uint32_t>(outputs_.size() - 1);
}

void GraphWriter::MarkArgument(Value* value, std::vector<uint32_t>* work) {
  value = s_.Look(value);
  if (auto* tensor = As<TensorValue>(value)) {
    if (tensor->node != UINT32_MAX)
      work->push_back(tensor->node);
  } else if (auto* sequence = As<SequenceValue>(value)) {
    for (Value* item : sequence->items)
      MarkArgument(item, work);
  } else if (auto* slice = As<SliceValue>(value)) {
    for (Value* part : {slice->start, slice->stop, slice->step})
      MarkArgument(part, work);
  } else if (auto* mapping = As<MappingValue>(value)) {
    for (const auto& [key, item] : mapping->items)
      if (item != nullptr)
        MarkArgument(item, work);
  }
}

void GraphWriter::MarkLive() {
  const std::vector<Node>& nodes = s_.graph().nodes();
  live_.assign(nodes.size(), false);
  std::vector<uint32_t> work = outputs_;
  for (uint32_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].has_effect)
      work.push_back(i);
  // Calls whose results only decided what Python sees are still a graph: the last of them stands for it.
  for (uint32_t i = static_cast<uint32_t>(nodes.size()); i-- > 0 && work.empty();)
    if (!nodes[i].is_argument)
      work.push_back(i);
  for (uint32_t i = 0; i < nodes.size() && work.empty(); ++i)
    work.push_back(i);
  while (!work.empty()) {
    uint32_t at = work.back();
    work.pop_back();
    if (live_[at])
      continue;
    live_[at] = true;
    for (Value* value : nodes[at].args)
      MarkArgument(value, &work);
    for (const auto& [name, value] : nodes[at].kwargs)
      MarkArgument(value, &work);
    for (uint32_t body : nodes[at].bodies)
      work.insert(work.end(), s_.graph().bodies()[body].results.begin(), s_.graph().bodies()[body].results.end());
  }
}

std::string GraphWriter::UniqueName(std::string name) {
  for (char& c : name)
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)))
      c = '_';
  if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name[0])))
    name = StrCat("_", name);
  int& count = names_[name];
  std::string unique = count == 0 ? name : StrCat(name, "_", count);
  ++count;
  if (unique != name && names_.contains(unique))
    return UniqueName(unique);
  if (unique != name)
    names_[unique] = 1;
  return unique;
}

uint32_t GraphWriter::Placeholder(Value* value) {
  auto [it, is_new] = placeholder_.try_emplace(value, static_cast<uint32_t>(inputs_.size()));
  if (is_new)
    inputs_.push_back(value);
  return it->second;
}

namespace {

// Before placeholders are counted, nodes and symbols are numbered from here.
constexpr uint32_t kNodeBase = 1u << 24, kSymbolBase = 1u << 23;

// Symbols come first, then tensors, then nodes.
void Renumber(GraphArg* arg, uint32_t symbols, uint32_t tensors) {
  if (arg->kind == ArgKind::kNode) {
    if (arg->node >= kNodeBase)
      arg->node = arg->node - kNodeBase + symbols + tensors;
    else if (arg->node >= kSymbolBase)
      arg->node -= kSymbolBase;
    else
      arg->node += symbols;
  }
  for (GraphArg& item : arg->items)
    Renumber(&item, symbols, tensors);
}

}  // namespace

GraphArg GraphWriter::Computed(int32_t op, GraphArg left, GraphArg right) {
  body_.push_back(
      {.op = NodeOp::kCallFunction, .target = StrCat("_operator:", OperatorName(op)), .args = {std::move(left), std::move(right)}});
  return {.kind = ArgKind::kNode, .node = kNodeBase + static_cast<uint32_t>(body_.size() - 1)};
}

GraphArg GraphWriter::TermArgument(uint32_t number) {
  const Term term = s_.terms().at(number);
  if (term.op == TermOp::kConstant)
    return {.kind = ArgKind::kConstant, .constant = Constant::Int(term.value)};
  if (term.op == TermOp::kSize || term.op == TermOp::kInt) {
    auto it = std::find(symbols_.begin(), symbols_.end(), number);
    uint32_t place = static_cast<uint32_t>(it - symbols_.begin());
    if (it == symbols_.end())
      symbols_.push_back(number);
    return {.kind = ArgKind::kNode, .node = kSymbolBase + place};
  }
  if (auto it = term_nodes_.find(number); it != term_nodes_.end())
    return {.kind = ArgKind::kNode, .node = kNodeBase + it->second};
  GraphArg left = TermArgument(term.left), right = TermArgument(term.right);
  GraphArg made = Computed(NumberOfTerm(term.op), std::move(left), std::move(right));
  term_nodes_[number] = made.node - kNodeBase;
  return made;
}

// A float, of the tensor that the graph takes it as.
GraphArg GraphWriter::NumberArgument(SymbolValue* number) {
  for (const auto& [known, place] : symbol_nodes_)
    if (As<SymbolValue>(known)->is_real() && known->subject == number->subject)
      return {.kind = ArgKind::kNode, .node = kNodeBase + place};
  GraphArg tensor{.kind = ArgKind::kNode, .node = Placeholder(number)};
  body_.push_back({.op = NodeOp::kCallMethod, .target = "item", .args = {std::move(tensor)}});
  uint32_t place = static_cast<uint32_t>(body_.size() - 1);
  symbol_nodes_[number] = place;
  return {.kind = ArgKind::kNode, .node = kNodeBase + place};
}

GraphArg GraphWriter::SymbolArgument(SymbolValue* symbol) {
  if (symbol->known != nullptr)
    return {.kind = ArgKind::kConstant, .constant = symbol->now};
  if (symbol->term != 0)
    return TermArgument(symbol->term);
  if (auto it = symbol_nodes_.find(symbol); it != symbol_nodes_.end())
    return {.kind = ArgKind::kNode, .node = kNodeBase + it->second};
  if (symbol->is_real())
    return NumberArgument(symbol);
  auto operand = [this](Value* value) {
    value = s_.Look(value);
    auto* inner = As<SymbolValue>(value);
    return inner != nullptr ? SymbolArgument(inner) : GraphArg{.kind = ArgKind::kConstant, .constant = *AsConstant(value)};
  };
  GraphArg left = operand(symbol->left), right = operand(symbol->right);
  GraphArg made = Computed(symbol->op, std::move(left), std::move(right));
  symbol_nodes_[symbol] = made.node - kNodeBase;
  return made;
}

absl::StatusOr<GraphArg> GraphWriter::Argument(Value* value) {
  value = s_.Look(value);
  if (auto* symbol = As<SymbolValue>(value); symbol != nullptr && symbol->comparison < 0)
    return SymbolArgument(symbol);
  value = s_.Resolve(value);
  if (auto* tensor = As<TensorValue>(value)) {
    if (tensor->node == UINT32_MAX || tensor->node < begin_)
      return GraphArg{.kind = ArgKind::kNode, .node = Placeholder(tensor)};
    auto it = place_.find(tensor->node);
    if (it == place_.end())
      return absl::InternalError("a node's argument is not in the graph");
    return GraphArg{.kind = ArgKind::kNode, .node = kNodeBase + it->second};
  }
  if (As<ObjectValue>(value) != nullptr && value->is_real() && IsGeneratorType(s_.TypeOf(value)))
    return GraphArg{.kind = ArgKind::kNode, .node = Placeholder(value)};
  if (auto* type = As<TypeValue>(value); type != nullptr && type->is_real())
    if (const model::FactValue& symbol = s_.PeekFact(type, model::Fact::kSymbolName); symbol.known)
      return GraphArg{.kind = ArgKind::kSymbol, .symbol = symbol.constant.text};
  Constant constant;
  if (As<SequenceValue>(value) == nullptr && As<SliceValue>(value) == nullptr && ToConstant(s_, value, &constant))
    return GraphArg{.kind = ArgKind::kConstant, .constant = std::move(constant)};
  GraphArg arg;
  Values items;
  if (auto* slice = As<SliceValue>(value)) {
    arg.kind = ArgKind::kSlice;
    items = {slice->start, slice->stop, slice->step};
  } else if (auto* sequence = As<SequenceValue>(value)) {
    bool is_list = s_.TypeOf(sequence)->Has(model::TypeFlag::kListSubclass);
    arg.kind = is_list ? ArgKind::kList : ArgKind::kTuple;
    items = sequence->items;
  } else {
    return absl::InvalidArgumentError(StrCat("an argument of kind ", EnumText(value->kind), " has no form in a graph"));
  }
  for (Value* item : items) {
    ASSIGN_OR_RETURN(GraphArg part, Argument(item));
    arg.items.push_back(std::move(part));
  }
  return arg;
}

absl::Status GraphWriter::AddNodes(uint32_t begin, uint32_t end) {
  const std::vector<Node>& nodes = s_.graph().nodes();
  for (uint32_t i = begin; i < end; ++i) {
    for (const Body& body : s_.graph().bodies())
      if (body.begin <= i && i < body.end && body.end - body.begin < end - begin)
        i = body.end;  // the node that is given it comes later
    if (!live_[i])
      continue;
    const Node& from = nodes[i];
    GraphNode node{.op = from.op, .target = from.target, .position = from.position, .module_stack = from.module_stack};
    for (Value* value : from.args) {
      ASSIGN_OR_RETURN(GraphArg arg, Argument(value));
      node.args.push_back(std::move(arg));
    }
    for (const auto& [name, value] : from.kwargs) {
      ASSIGN_OR_RETURN(GraphArg arg, Argument(value));
      node.kwargs.emplace_back(name, std::move(arg));
    }
    RETURN_IF_ERROR(AddBodies(from, &node));
    node.name = from.hint;  // made unique below, after the placeholders
    place_[i] = static_cast<uint32_t>(body_.size());
    body_.push_back(std::move(node));
  }
  has_nodes_ = !body_.empty();
  return absl::OkStatus();
}

// The functions come first, then the node's own arguments, then the tensors that all of the functions take.
absl::Status GraphWriter::AddBodies(const Node& from, GraphNode* node) {
  std::vector<std::unique_ptr<GraphWriter>> writers;
  std::vector<Value*> inputs;
  for (uint32_t number : from.bodies) {
    const Body& body = s_.graph().bodies()[number];
    writers.push_back(absl::WrapUnique(new GraphWriter(*this, body)));
    GraphWriter& writer = *writers.back();
    writer.body_count_ = body_count_;
    for (Value* input : inputs)
      writer.Placeholder(input);
    RETURN_IF_ERROR(writer.AddNodes(body.begin, body.end));
    if (!writer.symbols_.empty() || !writer.symbol_nodes_.empty())
      return absl::InvalidArgumentError("a size as an argument of a function that a node is given");
    inputs = writer.inputs_;
  }
  for (size_t i = 0; i < writers.size(); ++i) {
    for (Value* input : inputs)
      writers[i]->Placeholder(input);
    RETURN_IF_ERROR(writers[i]->FinishBody((*body_count_)++));
    node->args.insert(node->args.begin() + static_cast<ptrdiff_t>(i),
                      GraphArg{.kind = ArgKind::kGraph, .node = static_cast<uint32_t>(blob_.graphs.size())});
    blob_.graphs.push_back(writers[i]->TakeBlob());
  }
  for (Value* input : inputs) {
    ASSIGN_OR_RETURN(GraphArg arg, Argument(input));
    node->args.push_back(std::move(arg));
  }
  return absl::OkStatus();
}

void GraphWriter::AddPlaceholder(const std::string& path, SubjectId subject) {
  std::string name = UniqueName(StrCat("l_", path, "_"));
  blob_.nodes.push_back({.op = NodeOp::kPlaceholder, .name = name, .target = StrCat("L_", path, "_")});
  blob_.inputs.push_back(subject);
}

void GraphWriter::AddOutputs() {
  uint32_t symbols = static_cast<uint32_t>(symbols_.size()), tensors = static_cast<uint32_t>(inputs_.size());
  for (GraphNode& node : body_) {
    std::string base = node.name.empty() ? node.target.substr(node.target.find_last_of(":.") + 1) : node.name;
    node.name = UniqueName(base);
    for (GraphArg& arg : node.args)
      Renumber(&arg, symbols, tensors);
    for (auto& [name, arg] : node.kwargs)
      Renumber(&arg, symbols, tensors);
    blob_.nodes.push_back(std::move(node));
  }
  GraphArg outputs{.kind = ArgKind::kTuple};
  for (uint32_t output : outputs_)
    outputs.items.push_back({.kind = ArgKind::kNode, .node = place_[output] + symbols + tensors});
  blob_.nodes.push_back({.op = NodeOp::kOutput, .name = UniqueName("output"), .args = {std::move(outputs)}});
}

absl::Status GraphWriter::FinishBody(uint32_t number) {
  blob_.body = number;
  for (size_t place = 0; place < inputs_.size(); ++place)
    AddPlaceholder(StrCat("arg", place), model::kNoSubject);
  for (GraphNode& node : body_)  // places are listed with the graph around
    node.position = node.module_stack = UINT32_MAX;
  AddOutputs();
  return absl::OkStatus();
}

// Back-ends know the sizes of an input that are symbols by their placeholders, whether a node is given them or not.
void GraphWriter::AddSizes() {
  for (Value* input : inputs_) {
    auto* tensor = As<TensorValue>(input);
    if (tensor == nullptr || tensor->facts == nullptr)
      continue;
    for (uint32_t number : tensor->facts->size_terms) {
      const Term& term = s_.terms().at(number);
      if (number != 0 && term.op == TermOp::kSize && term.least < term.most)
        TermArgument(number);
    }
  }
}

absl::Status GraphWriter::Finish() {
  MarkLive();
  RETURN_IF_ERROR(AddNodes(0, static_cast<uint32_t>(s_.graph().nodes().size())));
  AddSizes();
  std::vector<std::vector<std::string>> slot_names;
  for (const model::UnitFrame& frame : s_.request().unit.frames) {
    std::shared_ptr<const DecodedCode> code = s_.CodeOf(frame.code);
    slot_names.push_back(code == nullptr ? std::vector<std::string>{} : code->image->localsplusnames);
  }
  auto place = [&](SubjectId subject, uint32_t dimension) {
    std::string path = SubjectPath(s_.subjects().nodes(), subject, slot_names);
    if (dimension < model::kNumber)
      path = StrCat(path, "_size_", dimension);
    for (char& c : path)
      if (!absl::ascii_isalnum(static_cast<unsigned char>(c)))
        c = '_';
    AddPlaceholder(path, subject);
  };
  for (uint32_t number : symbols_) {
    const Term& term = s_.terms().at(number);
    blob_.sizes.push_back(term.op == TermOp::kSize ? term.dimension : model::kWhole);
    place(term.subject, blob_.sizes.back());
  }
  for (Value* input : inputs_) {
    bool number = As<SymbolValue>(input) != nullptr;
    if (number) {
      blob_.sizes.resize(blob_.inputs.size(), model::kWhole);
      blob_.sizes.push_back(model::kNumber);
    }
    place(input->subject, number ? model::kNumber : model::kWhole);
  }
  AddOutputs();
  blob_.positions = s_.graph().positions();
  blob_.module_stacks = s_.graph().scopes();
  return model::VerifyGraph(blob_);
}

}  // namespace framegate::translator
