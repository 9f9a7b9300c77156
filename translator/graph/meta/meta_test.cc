#include "gtest/gtest.h"
#include "translator/graph/meta/dtype.h"
#include "translator/graph/meta/infer.h"
#include "translator/graph/meta/layout.h"
#include "translator/graph/meta/signature.h"
#include "translator/graph/meta/symbol.h"

namespace framegate::translator {
namespace {

using meta::DType;
using model::Constant;
using model::ConstantKind;
using model::Operand;
using model::TensorFacts;

Constant Plain() {
  std::vector<Constant> parts(model::kAmbientParts);
  parts[static_cast<size_t>(model::AmbientPart::kGradMode)] = Constant::Bool(true);
  parts[static_cast<size_t>(model::AmbientPart::kDefaultDtype)] = Constant::Named(ConstantKind::kDtype, "torch.float32");
  return Constant::Tuple(std::move(parts));
}

using Numbers = std::vector<int64_t>;

Operand Tensor(Numbers sizes, bool requires_grad = false) {
  TensorFacts facts{.dtype = "torch.float32", .device = "cpu", .layout = "torch.strided", .requires_grad = requires_grad, .is_leaf = true};
  for (const Size& stride : meta::ContiguousStrides(Dims(sizes.begin(), sizes.end())))
    facts.strides.push_back(stride);
  facts.sizes = std::move(sizes);
  Operand operand;
  operand.tensor = facts;
  return operand;
}

Operand Number(int64_t value) {
  Operand operand;
  operand.constant = Constant::Int(value);
  return operand;
}

MetaResult Infer(std::string symbol, std::vector<Operand> args) {
  return InferMeta({std::move(symbol), std::move(args), {}, Plain()});
}

// A number of the program has no bounds: only what is noted, and then guarded, may decide.
TEST(Terms, ANumberWithoutBoundsDecidesNothing) {
  Terms terms;
  const Terms::Use use(&terms);
  const uint32_t number = terms.IntOf(1, 5, -kFar), more = terms.Combine(TermOp::kAdd, number, terms.Constant(7));
  EXPECT_TRUE(terms.Decide(TermRelation::kLt, more, terms.Constant(kFar)));
  EXPECT_EQ(terms.assumptions().size(), 1u);
  EXPECT_TRUE(terms.Decide(TermRelation::kLt, terms.Constant(-kFar + 7), more));
  EXPECT_EQ(terms.assumptions().size(), 2u);
  EXPECT_FALSE(terms.Decide(TermRelation::kLt, number, terms.Constant(5)));  // noted: 5 <= number
  EXPECT_TRUE(terms.Decide(TermRelation::kLe, terms.Constant(3), number));   // follows from it
  EXPECT_EQ(terms.assumptions().size(), 3u);
}

TEST(InferMeta, OneOperatorUnderAllItsSpellings) {
  for (const char* symbol : {"torch:add", "add", "_operator:add", "__add__", "__radd__", "torch._C._VariableFunctions:add"}) {
    MetaResult result = Infer(symbol, {Tensor({2, 1}, true), Tensor({3})});
    ASSERT_EQ(result.outcome, MetaOutcome::kKnown) << symbol;
    EXPECT_EQ(result.result.tensor->sizes, (Numbers{2, 3}));
    EXPECT_TRUE(result.result.tensor->requires_grad);
    EXPECT_FALSE(result.result.tensor->is_leaf);
    EXPECT_FALSE(result.may_raise_on_data);
  }
}

TEST(InferMeta, WhatIsAssignedKeepsItsMetadataAndJoinsTheGraph) {
  MetaResult result = Infer("add_", {Tensor({2, 3}), Tensor({3}, true)});
  ASSERT_EQ(result.outcome, MetaOutcome::kKnown);
  EXPECT_EQ(result.same_as, 0u);
  EXPECT_TRUE(result.mutates_first);
  EXPECT_TRUE(result.first_after->requires_grad);
  EXPECT_EQ(Infer("add_", {Tensor({2, 3}, true), Number(1)}).outcome,
            MetaOutcome::kRaises);  // a leaf
  EXPECT_EQ(Infer("add_", {Tensor({3}), Tensor({2, 3})}).outcome, MetaOutcome::kRaises);
}

TEST(InferMeta, UnknownMayDoAnything) {
  for (const MetaResult& result : {Infer("torch:no_such_operator", {}), Infer("mod:add", {}), Infer("add", {Tensor({1})}),
                                   InferMeta({"add", {Tensor({1}), Number(1)}, {}, Constant::None()})}) {
    EXPECT_EQ(result.outcome, MetaOutcome::kUnknown);
    EXPECT_TRUE(result.may_raise_on_data);
  }
}

TEST(InferMeta, OnlyPlainTensorsAreKnown) {
  Operand elsewhere = Tensor({2}), sparse = Tensor({2}), ragged = Tensor({2}), huge = Tensor({2}), packed = Tensor({2});
  elsewhere.tensor->device = "cuda:0";
  sparse.tensor->layout = "torch.sparse_coo";
  ragged.tensor->strides.clear();
  huge.tensor->sizes = {int64_t{1} << 62};
  packed.tensor->dtype = "torch.quint8";
  for (const Operand& operand : {elsewhere, sparse, ragged, huge, packed})
    EXPECT_EQ(Infer("neg", {operand}).outcome, MetaOutcome::kUnknown);
}

TEST(InferMeta, HugeNumbersDoNotOverflow) {
  constexpr int64_t kHuge = INT64_MAX;
  EXPECT_EQ(Infer("torch:zeros", {Number(kHuge), Number(kHuge)}).outcome, MetaOutcome::kUnknown);
  EXPECT_EQ(Infer("repeat", {Tensor({1 << 30}), Number(1 << 30)}).outcome, MetaOutcome::kUnknown);
  Operand slice;
  slice.sequence = "slice";
  slice.items = {Number(0), Number(kHuge), Number(1)};
  MetaResult result = Infer("_operator:getitem", {Tensor({5}), slice});
  ASSERT_EQ(result.outcome, MetaOutcome::kKnown);
  EXPECT_EQ(result.result.tensor->sizes, Numbers{5});
}

TEST(InferMeta, AttributesAndNamedResults) {
  Operand name;
  name.constant = Constant::Str("T");
  EXPECT_EQ(Infer("builtins:getattr", {Tensor({2, 3}), name}).result.tensor->strides, (Numbers{1, 3}));
  MetaResult pair = Infer("max", {Tensor({2, 3}), Number(1)});
  EXPECT_EQ(pair.result.sequence, "torch.return_types:max");
  ASSERT_EQ(pair.result.items.size(), 2u);
  EXPECT_EQ(pair.result.items[1].tensor->dtype, "torch.int64");
}

TEST(Symbol, PlacesAndNames) {
  meta::Spelling spelling;
  ASSERT_TRUE(meta::ReadSymbol("torch._C._linalg:linalg_norm", &spelling));
  EXPECT_EQ(spelling.place, meta::kLinalg);
  EXPECT_EQ(spelling.name, "norm");
  ASSERT_TRUE(meta::ReadSymbol("torch:nn.functional.relu", &spelling));
  EXPECT_EQ(spelling.place, meta::kFunctional);
  ASSERT_TRUE(meta::ReadSymbol("__rshift__", &spelling));
  EXPECT_FALSE(spelling.reflected);
  ASSERT_TRUE(meta::ReadSymbol("__rsub__", &spelling));
  EXPECT_TRUE(spelling.reflected);
  EXPECT_EQ(spelling.name, "sub");
  ASSERT_TRUE(meta::ReadSymbol("_operator:and_", &spelling));
  EXPECT_EQ(spelling.name, "and");
  EXPECT_FALSE(meta::ReadSymbol("numpy:add", &spelling));
}

TEST(Signature, VariadicNamedOnlyAndDefaults) {
  meta::Signature signature("input, *sizes, scale=0.5, *, dtype|type=None");
  std::vector<Operand> args = {Tensor({1}), Number(2), Number(3)};
  const std::vector<std::pair<std::string, Operand>> kwargs = {{"type", Number(1)}};
  meta::Binding binding;
  ASSERT_TRUE(binding.Bind(signature, args, kwargs));
  EXPECT_EQ(binding.at(1)->items.size(), 2u);
  EXPECT_EQ(binding.at(2)->constant->real, 0.5);
  EXPECT_EQ(binding.at(3)->constant->integer, 1);
  EXPECT_EQ(binding.PositionOf(0), 0u);
  EXPECT_FALSE(meta::Binding().Bind(signature, {}, {}));
  EXPECT_FALSE(meta::Binding().Bind(signature, args, {{"input", Number(1)}}));
  EXPECT_FALSE(meta::Binding().Bind(signature, args, {{"no_such", Number(1)}}));
}

TEST(Promotion, SizedTensorsBeatScalarsBeatNumbers) {
  meta::Promotion promotion(DType::kFloat32);
  promotion.AddTensor(DType::kInt8, true);
  promotion.AddTensor(DType::kInt64, false);
  promotion.AddNumber(DType::kInt64);
  EXPECT_EQ(promotion.result(), DType::kInt8);
  promotion.AddNumber(DType::kFloat64);
  EXPECT_EQ(promotion.result(), DType::kFloat32);
  EXPECT_EQ(meta::Promote(DType::kFloat16, DType::kBFloat16), DType::kFloat32);
  EXPECT_EQ(meta::Promote(DType::kUInt8, DType::kInt8), DType::kInt16);
}

TEST(Layout, ViewsAndOrder) {
  EXPECT_EQ(meta::ViewStrides({{2, 3, 4}, {12, 4, 1}}, {6, 4}), (Dims{4, 1}));
  EXPECT_EQ(meta::ViewStrides({{3, 2}, {1, 3}}, {6}), std::nullopt);
  EXPECT_EQ(meta::ResolveSizes({2, -1}, 6), (Dims{2, 3}));
  EXPECT_EQ(meta::ResolveSizes({-1, 0}, 0), std::nullopt);
  EXPECT_EQ(meta::PreservedStrides({{2, 3}, {1, 4}}), (Dims{1, 2}));  // gaps are closed, the order stays
  EXPECT_EQ(meta::SuggestedFormat({{2, 3, 4, 5}, {60, 1, 15, 3}}), meta::MemoryFormat::kChannelsLast);
}

}  // namespace
}  // namespace framegate::translator
