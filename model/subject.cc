#include "model/subject.h"

#include "base/strings.h"

namespace framegate::model {

SubjectId SubjectTable::Root(Step step, uint32_t index, Constant key) {
  return Intern({.step = step, .parent = kNoSubject, .index = index, .key = std::move(key)});
}

SubjectId SubjectTable::Child(SubjectId parent, Step step, uint32_t index, Constant key) {
  return Intern({.step = step, .parent = parent, .index = index, .key = std::move(key)});
}

SubjectId SubjectTable::Intern(SubjectNode node) {
  auto [it, is_new] = ids_.try_emplace(HashBytes(Encode(node)), static_cast<SubjectId>(nodes_.size()));
  if (is_new)
    nodes_.push_back(std::move(node));
  return it->second;
}

absl::Status VerifySubjects(const std::vector<SubjectNode>& nodes) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const SubjectNode& node = nodes[i];
    if (IsRoot(node.step) != (node.parent == kNoSubject))
      return absl::InvalidArgumentError(StrCat("subject ", i, ": a root has no parent, a step has one"));
    if (node.parent != kNoSubject && node.parent >= i)
      return absl::InvalidArgumentError(StrCat("subject ", i, ": its parent ", node.parent, " does not come before it"));
    StepOperand operand = OperandOf(node.step);
    if (operand != StepOperand::kKey && !(node.key == Constant{}))
      return absl::InvalidArgumentError(StrCat("subject ", i, ": ", EnumText(node.step), " takes no key"));
    if ((operand == StepOperand::kNone || operand == StepOperand::kKey) && node.index != 0)
      return absl::InvalidArgumentError(StrCat("subject ", i, ": ", EnumText(node.step), " takes no index"));
  }
  return absl::OkStatus();
}

namespace {

std::string RootPath(const SubjectNode& node, const std::vector<std::vector<std::string>>& slot_names) {
  switch (node.step) {
    case Step::kSlot: {
      uint32_t frame = FrameOf(node.index), slot = IndexOf(node.index);
      if (frame < slot_names.size() && slot < slot_names[frame].size())
        return slot_names[frame][slot];
      return StrCat("<slot ", frame, ".", slot, ">");
    }
    case Step::kStack:
      return StrCat("<stack ", FrameOf(node.index), ".", IndexOf(node.index), ">");
    case Step::kFunction:
      return StrCat("<function ", node.index, ">");
    case Step::kGlobals:
      return "globals()";
    case Step::kBuiltins:
      return "builtins";
    case Step::kSysModule:
      return node.key.text;
    case Step::kAmbient:
      return "ambient";
    default:
      return StrCat("<", EnumText(node.step), " ", Repr(node.key), ">");
  }
}

std::string StepPath(const SubjectNode& node, std::string parent) {
  switch (node.step) {
    case Step::kAttr:
    case Step::kTypeAttr:
    case Step::kDataDescriptor:
    case Step::kTypeDictItem:
    case Step::kSlotMember:
      return StrCat(parent, ".", node.key.text);
    case Step::kDictItem:
      if (parent == "globals()" && node.key.is_str())
        return node.key.text;
      return StrCat(parent, "[", Repr(node.key), "]");
    case Step::kItem:
      return StrCat(parent, "[", node.index, "]");
    case Step::kCached:
      return StrCat("<cached ", parent, " of ", Repr(node.key), ">");
    case Step::kType:
      return StrCat("type(", parent, ")");
    case Step::kDictKey:
      return StrCat("list(", parent, ")[", node.index, "]");
    case Step::kDictValue:
      return StrCat("list(", parent, ".values())[", node.index, "]");
    case Step::kSetItem:
      return StrCat("list(", parent, ")[", node.index, "]");
    case Step::kMro:
      return StrCat(parent, ".__mro__[", node.index, "]");
    case Step::kFuncClosure:
      return StrCat(parent, ".__closure__[", node.index, "]");
    case Step::kIterItem:
      return StrCat("<item ", node.index, " of ", parent, ">");
    case Step::kModuleDict:
      return StrCat("vars(", parent, ")");
    default:
      return StrCat(parent, ".", EnumText(node.step));
  }
}

}  // namespace

std::string SubjectPath(const std::vector<SubjectNode>& nodes, SubjectId id, const std::vector<std::vector<std::string>>& slot_names) {
  if (id >= nodes.size())
    return "<no subject>";
  std::vector<SubjectId> chain;
  for (SubjectId at = id; at != kNoSubject && chain.size() <= nodes.size(); at = nodes[at].parent)
    chain.push_back(at);
  std::string path = RootPath(nodes[chain.back()], slot_names);
  for (size_t i = chain.size() - 1; i-- > 0;)
    path = StepPath(nodes[chain[i]], std::move(path));
  return path;
}

}  // namespace framegate::model
