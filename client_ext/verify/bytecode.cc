#include "client_ext/verify/bytecode.h"

#include <algorithm>

#include "base/strings.h"
#include "client_ext/verify/walk.h"

namespace framegate::client {

namespace {

using model::Constant;
using model::ConstantKind;
using model::PyVersion;

absl::Status Refuse(std::string_view what) {
  return absl::InvalidArgumentError(StrCat("bytecode: ", what));
}

absl::Status CheckConstant(const Constant& constant, int depth) {
  if (constant.kind == ConstantKind::kCode || !constant.code.empty())
    return Refuse("a code object among the constants");
  if (depth > kMaxNesting)
    return Refuse("constants nest too deep");
  for (const Constant& item : constant.items)
    RETURN_IF_ERROR(CheckConstant(item, depth + 1));
  return absl::OkStatus();
}

absl::Status CheckLimits(const model::CodeImage& image, const CodeLimits& limits) {
  if (image.code.size() % 2 != 0)
    return Refuse("no whole number of units");
  if (image.units() > limits.units)
    return absl::ResourceExhaustedError(StrCat("bytecode: more than ", limits.units, " units"));
  for (size_t rows : {image.consts.size(), image.names.size(), image.nlocalsplus(), size_t{image.stacksize}})
    if (rows > limits.rows)
      return absl::ResourceExhaustedError(StrCat("bytecode: more than ", limits.rows, " constants, names, slots or stack cells"));
  return absl::OkStatus();
}

absl::Status CheckSignature(const model::CodeImage& image, const ExpectedCode& expected) {
  constexpr uint32_t kOptimizedNewLocals = 0x3, kStars = 0xc, kNested = 0x10, kFutures = 0x1fe0000;
  if ((image.flags & kOptimizedNewLocals) != kOptimizedNewLocals ||
      (image.flags & ~(kOptimizedNewLocals | kStars | kNested | kFutures)) != 0)
    return Refuse("flags that are not allowed");
  if (image.argcount != expected.argcount || image.posonlyargcount != expected.posonlyargcount ||
      image.kwonlyargcount != expected.kwonlyargcount || (image.flags & kStars) != expected.star_flags)
    return Refuse("other parameters than expected");
  uint64_t parameters = uint64_t{image.argcount} + image.kwonlyargcount + ((image.flags & 4) != 0) + ((image.flags & 8) != 0);
  if (image.posonlyargcount > image.argcount || parameters > image.nlocalsplus() || expected.slots.size() > image.nlocalsplus())
    return Refuse("fewer slots than expected");
  if (image.localspluskinds != std::string(image.nlocalsplus(), '\x20'))
    return Refuse("a slot that is no plain local");
  return absl::OkStatus();
}

// What CPython walks without checks: no handlers, and a line table that says nothing (the client writes its own from the origins).
absl::Status CheckTables(const model::NewCode& code, const ExpectedCode& expected) {
  const model::CodeImage& image = code.image;
  if (!image.exceptiontable.empty())
    return Refuse("an exception table");
  std::string lines;
  for (size_t left = image.units(); left > 0; left -= std::min<size_t>(left, 8))
    lines.push_back(static_cast<char>(0xf8 | (std::min<size_t>(left, 8) - 1)));
  if (image.linetable != lines)
    return Refuse("a line table with positions");
  if (code.origins.size() != image.units())
    return Refuse("not one origin for each unit");
  for (uint32_t origin : code.origins)
    if (origin != UINT32_MAX && origin >= expected.origin_units)
      return Refuse("an origin outside of the original");
  return absl::OkStatus();
}

SlotContent ContentOf(model::LinkKind kind) {
  switch (kind) {
    case model::LinkKind::kGraph:
    case model::LinkKind::kDrive:
    case model::LinkKind::kHelper:
      return SlotContent::kCallable;
    case model::LinkKind::kNull:
    case model::LinkKind::kSymbol:
    case model::LinkKind::kCode:
    case model::LinkKind::kGlobals:
      return SlotContent::kObject;
  }
  return SlotContent::kEmpty;
}

bool NamesAnAttribute(const model::GraphNode& node) {
  return node.op == model::NodeOp::kCallFunction && node.target == "builtins:getattr" && node.args.size() >= 2 &&
         node.args[1].constant.is_str();
}

}  // namespace

absl::Status ExpectLinks(const std::vector<model::LinkSlot>& links, ExpectedCode* expected) {
  for (const model::LinkSlot& link : links) {
    if (link.local >= expected->limits.rows)
      return absl::ResourceExhaustedError(StrCat("bytecode: a link in slot ", link.local));
    if (link.local >= expected->slots.size())
      expected->slots.resize(size_t{link.local} + 1);
    if (expected->slots[link.local] != SlotContent::kEmpty)
      return Refuse(StrCat("a link in slot ", link.local, ", which is full"));
    expected->slots[link.local] = ContentOf(link.kind);
  }
  return absl::OkStatus();
}

ExpectedCode ExpectForward(const model::Entry& entry, const model::GraphBlob& graph, PyVersion version) {
  ExpectedCode expected;
  expected.version = version;
  expected.argcount = static_cast<uint32_t>(graph.inputs.size());
  expected.slots.assign(expected.argcount, SlotContent::kObject);
  for (const model::ForwardTarget& target : entry.targets)
    expected.globals.insert(target.global);
  for (const model::GraphBlob& nested : graph.graphs)
    expected.globals.insert(model::NameOfBody(nested.body));
  for (const model::GraphNode& node : graph.nodes) {
    if (node.op == model::NodeOp::kCallMethod)
      expected.attributes.insert(node.target);
    if (NamesAnAttribute(node))
      expected.attributes.insert(node.args[1].constant.text);
  }
  return expected;
}

absl::Status VerifyCode(const model::NewCode& code, const ExpectedCode& expected) {
  if (code.image.version != expected.version)
    return Refuse("for another Python");
  RETURN_IF_ERROR(CheckLimits(code.image, expected.limits));
  RETURN_IF_ERROR(CheckSignature(code.image, expected));
  RETURN_IF_ERROR(CheckTables(code, expected));
  for (const Constant& constant : code.image.consts)
    RETURN_IF_ERROR(CheckConstant(constant, 0));
  return WalkCode(code.image, expected);
}

}  // namespace framegate::client
