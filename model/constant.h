// A Python value that is known by value alone, in every process: what literals, keys, small arguments and torch's enums become.
// A value type; equality is by type and value (1, 1.0 and True differ; floats compare by bits). Thread-compatible.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/fields.h"
#include "model/enums.h"

namespace framegate::model {

struct CodeImage;

struct Constant {
  ConstantKind kind = ConstantKind::kNone;
  int64_t integer = 0;
  double real = 0;
  double imaginary = 0;
  std::string text;
  std::vector<Constant> items;
  std::vector<std::shared_ptr<const CodeImage>> code;  // one element for kCode, none otherwise

  static Constant None() { return {}; }

  static Constant Of(ConstantKind kind) { return {.kind = kind}; }

  static Constant Bool(bool value) { return Of(value ? ConstantKind::kTrue : ConstantKind::kFalse); }

  static Constant Int(int64_t value) { return {.kind = ConstantKind::kInt, .integer = value}; }

  static Constant Float(double value) { return {.kind = ConstantKind::kFloat, .real = value}; }

  static Constant Str(std::string value) { return {.kind = ConstantKind::kStr, .text = std::move(value)}; }

  static Constant Bytes(std::string value) { return {.kind = ConstantKind::kBytes, .text = std::move(value)}; }

  static Constant Tuple(std::vector<Constant> items) { return {.kind = ConstantKind::kTuple, .items = std::move(items)}; }

  static Constant Named(ConstantKind kind, std::string text) { return {.kind = kind, .text = std::move(text)}; }

  bool is_none() const { return kind == ConstantKind::kNone; }

  bool is_bool() const { return kind == ConstantKind::kTrue || kind == ConstantKind::kFalse; }

  bool is_str() const { return kind == ConstantKind::kStr; }

  bool is_int() const { return kind == ConstantKind::kInt; }

  bool is_true() const { return kind == ConstantKind::kTrue; }

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("kind", s.kind);
    v("integer", s.integer);
    v("real", s.real);
    v("imaginary", s.imaginary);
    v("text", s.text);
    v("items", s.items);
    v("code", s.code);
  }
};

bool operator==(const Constant& a, const Constant& b);

// As Python would show it: 3, 'text', (1, None), torch.float32. For people; Print(constant) is the exact form.
std::string Repr(const Constant& value);

}  // namespace framegate::model

#include "model/code_image.h"  // completes Constant::code for encoding
