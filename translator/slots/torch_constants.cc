// What dtypes, devices and metadata say of themselves.
#include "translator/slots/slots.h"

namespace framegate::translator {

namespace {

struct DtypeRow {
  std::string_view name;
  int64_t size;
  bool is_floating, is_complex, is_signed;
  std::string_view tensor_type;    // of Tensor.type()
  std::string_view real, complex;  // of to_real() and to_complex(); "" where torch raises
};

constexpr DtypeRow kDtypes[] = {
    {"torch.float16", 2, true, false, true, "HalfTensor", "torch.float16", "torch.complex32"},
    {"torch.bfloat16", 2, true, false, true, "BFloat16Tensor", "torch.bfloat16", "torch.complex64"},
    {"torch.float32", 4, true, false, true, "FloatTensor", "torch.float32", "torch.complex64"},
    {"torch.float64", 8, true, false, true, "DoubleTensor", "torch.float64", "torch.complex128"},
    {"torch.complex32", 4, false, true, true, "ComplexHalfTensor", "torch.float16", "torch.complex32"},
    {"torch.complex64", 8, false, true, true, "ComplexFloatTensor", "torch.float32", "torch.complex64"},
    {"torch.complex128", 16, false, true, true, "ComplexDoubleTensor", "torch.float64", "torch.complex128"},
    {"torch.uint8", 1, false, false, false, "ByteTensor", "", ""},
    {"torch.int8", 1, false, false, true, "CharTensor", "", ""},
    {"torch.int16", 2, false, false, true, "ShortTensor", "", ""},
    {"torch.int32", 4, false, false, true, "IntTensor", "", ""},
    {"torch.int64", 8, false, false, true, "LongTensor", "", ""},
    {"torch.bool", 1, false, false, false, "BoolTensor", "", ""},
};

const DtypeRow* Find(std::string_view dtype) {
  for (const DtypeRow& row : kDtypes)
    if (row.name == dtype)
      return &row;
  return nullptr;
}

}  // namespace

Dims SizesOf(const model::TensorFacts& facts) {
  Dims sizes;
  for (size_t i = 0; i < facts.sizes.size(); ++i)
    sizes.push_back(Size::Symbol(facts.sizes[i], facts.size_terms.empty() ? 0 : facts.size_terms[i]));
  return sizes;
}

Dims StridesOf(const model::TensorFacts& facts) {
  Dims strides;
  for (size_t i = 0; i < facts.strides.size(); ++i)
    strides.push_back(Size::Symbol(facts.strides[i], facts.stride_terms.empty() ? 0 : facts.stride_terms[i]));
  return strides;
}

int64_t ItemSizeOf(std::string_view dtype) {
  const DtypeRow* row = Find(dtype);
  return row == nullptr ? 0 : row->size;
}

std::string TensorTypeOf(const model::TensorFacts& facts) {
  const DtypeRow* row = Find(facts.dtype);
  if (row == nullptr || facts.layout != "torch.strided" || (facts.device != "cpu" && !facts.device.starts_with("cuda")))
    return "";
  return StrCat(facts.device == "cpu" ? "torch." : "torch.cuda.", row->tensor_type);
}

V TorchConstantAttr(Session& s, const Constant& constant, const std::string& name) {
  if (constant.kind == ConstantKind::kDevice) {
    size_t colon = constant.text.find(':');
    if (name == "type")
      return s.Str(constant.text.substr(0, colon));
    if (name == "index")
      return colon == std::string::npos ? s.None() : s.Int(std::stoll(constant.text.substr(colon + 1)));
    return nullptr;
  }
  const DtypeRow* row = constant.kind == ConstantKind::kDtype ? Find(constant.text) : nullptr;
  if (row == nullptr)
    return nullptr;
  if (name == "is_floating_point")
    return s.Bool(row->is_floating);
  if (name == "is_complex")
    return s.Bool(row->is_complex);
  if (name == "is_signed")
    return s.Bool(row->is_signed);
  if (name == "itemsize")
    return s.Int(row->size);
  std::string_view other = name == "to_real" ? row->real : name == "to_complex" ? row->complex : "";
  return other.empty() ? nullptr : s.Const(Constant::Named(ConstantKind::kDtype, std::string(other)));
}

}  // namespace framegate::translator
