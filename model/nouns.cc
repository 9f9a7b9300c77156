#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "base/strings.h"
#include "model/entry.h"
#include "model/enum_rows.h"
#include "model/graph_blob.h"
#include "model/summary.h"
#include "schema_inputs.h"

namespace framegate::model {

namespace {

constexpr EnumRow<QuestionKind> kQuestionKindRows[] = {
#define FRAMEGATE_QUESTION(number, name, text, doc) {QuestionKind::name, text},
#include "model/questions.def"
#undef FRAMEGATE_QUESTION
};
constexpr EnumRow<NodeOp> kNodeOpRows[] = {
#define FRAMEGATE_NODE_OP(number, name, text) {NodeOp::name, text},
#include "model/node_ops.def"
#undef FRAMEGATE_NODE_OP
};
constexpr EnumRow<ArgKind> kArgKindRows[] = {
#define FRAMEGATE_ARG(number, name, text) {ArgKind::name, text},
#include "model/arg_kinds.def"
#undef FRAMEGATE_ARG
};
constexpr EnumRow<LinkKind> kLinkKindRows[] = {
#define FRAMEGATE_LINK(number, name, text, doc) {LinkKind::name, text},
#include "model/links.def"
#undef FRAMEGATE_LINK
};
constexpr EnumRow<BreakKind> kBreakKindRows[] = {
#define FRAMEGATE_BREAK(number, name, text, doc) {BreakKind::name, text},
#include "model/breaks.def"
#undef FRAMEGATE_BREAK
};
constexpr EnumRow<Resume> kResumeRows[] = {
#define FRAMEGATE_RESUME(number, name, text, doc) {Resume::name, text},
#include "model/resumes.def"
#undef FRAMEGATE_RESUME
};
constexpr EnumRow<Helper> kHelperRows[] = {
#define FRAMEGATE_HELPER(number, name, text, arguments, doc) {Helper::name, text},
#include "model/helpers.def"
#undef FRAMEGATE_HELPER
};

}  // namespace

FRAMEGATE_DEFINE_ENUM(QuestionKind, kQuestionKindRows)
FRAMEGATE_DEFINE_ENUM(NodeOp, kNodeOpRows)
FRAMEGATE_DEFINE_ENUM(ArgKind, kArgKindRows)
FRAMEGATE_DEFINE_ENUM(LinkKind, kLinkKindRows)
FRAMEGATE_DEFINE_ENUM(BreakKind, kBreakKindRows)
FRAMEGATE_DEFINE_ENUM(Resume, kResumeRows)
FRAMEGATE_DEFINE_ENUM(Helper, kHelperRows)

namespace {

bool IsIdentifier(std::string_view name) {
  if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name[0])))
    return false;
  for (char c : name)
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_')
      return false;
  return true;
}

absl::Status VerifyArg(const GraphArg& arg, const GraphBlob& graph, size_t node, int depth) {
  if (depth > kMaxNesting)
    return absl::ResourceExhaustedError(StrCat("node ", node, ": an argument is nested too deep"));
  if (arg.kind == ArgKind::kNode && arg.node >= node)
    return absl::InvalidArgumentError(StrCat("node ", node, " refers to node ", arg.node, ", which is not before it"));
  if (arg.kind == ArgKind::kDict && arg.keys.size() != arg.items.size())
    return absl::InvalidArgumentError(StrCat("node ", node, ": a dict has ", arg.keys.size(), " keys and ", arg.items.size(), " values"));
  if (arg.kind == ArgKind::kSlice && arg.items.size() != 3)
    return absl::InvalidArgumentError(StrCat("node ", node, ": a slice has three parts"));
  if (arg.kind == ArgKind::kGraph && arg.node >= graph.graphs.size())
    return absl::InvalidArgumentError(StrCat("node ", node, ": no graph ", arg.node));
  for (const GraphArg& item : arg.items)
    RETURN_IF_ERROR(VerifyArg(item, graph, node, depth + 1));
  return absl::OkStatus();
}

absl::Status VerifyNodes(const GraphBlob& graph, int depth) {
  if (depth > kMaxNesting)
    return absl::ResourceExhaustedError("graphs are nested too deep");
  absl::flat_hash_set<std::string_view> names;
  size_t placeholders = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    if (!IsIdentifier(node.name) || !names.insert(node.name).second)
      return absl::InvalidArgumentError(StrCat("node ", i, ": `", node.name, "` is no identifier or is used twice"));
    if (node.op == NodeOp::kPlaceholder && placeholders++ != i)
      return absl::InvalidArgumentError(StrCat("node ", i, ": a placeholder follows another node"));
    if ((node.op == NodeOp::kOutput) != (i + 1 == graph.nodes.size()))
      return absl::InvalidArgumentError(StrCat("node ", i, ": the output is the last node and there is one"));
    if (node.position != UINT32_MAX && node.position >= graph.positions.size())
      return absl::InvalidArgumentError(StrCat("node ", i, ": no position ", node.position));
    if (node.module_stack != UINT32_MAX && node.module_stack >= graph.module_stacks.size())
      return absl::InvalidArgumentError(StrCat("node ", i, ": no module stack ", node.module_stack));
    for (const GraphArg& arg : node.args)
      RETURN_IF_ERROR(VerifyArg(arg, graph, i, 0));
    for (const auto& [name, arg] : node.kwargs)
      RETURN_IF_ERROR(VerifyArg(arg, graph, i, 0));
  }
  if (graph.nodes.empty())
    return absl::InvalidArgumentError("a graph has an output node");
  if (placeholders != graph.inputs.size())
    return absl::InvalidArgumentError(StrCat(placeholders, " placeholders and ", graph.inputs.size(), " inputs"));
  for (const GraphBlob& nested : graph.graphs)
    RETURN_IF_ERROR(VerifyNodes(nested, depth + 1));
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyGraph(const GraphBlob& graph) {
  return VerifyNodes(graph, 0);
}

Hash128 KeyOf(const KeyMaterial& material) {
  return HashBytes(Encode(material));
}

Hash128 SchemaHash() {
  static const Hash128 hash = HashBytes(FRAMEGATE_SCHEMA_INPUTS);
  return hash;
}

}  // namespace framegate::model
