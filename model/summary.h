// A summary: objects of a Python process as the facts and steps observed on them. The client writes summaries, the server reads them;
// the same fact and step readers serve the check program. Also the questions and answers of a translation. Value types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/boxed.h"
#include "base/fields.h"
#include "model/code_image.h"
#include "model/constant.h"
#include "model/tensor_facts.h"

namespace framegate::model {

// Names an object for the life of one translation; the client keeps the object alive. 0 is no object.
using Handle = uint32_t;
inline constexpr Handle kAbsent = 0;

struct FactValue {
  Fact fact = Fact::kValue;
  bool known = true;  // false: the fact does not apply to the object
  uint64_t word = 0;
  Constant constant;
  Boxed<TensorFacts> tensor;
  Hash128 hash;

  bool operator==(const FactValue&) const = default;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("fact", s.fact);
    v("known", s.known);
    v("word", s.word);
    v("constant", s.constant);
    v("tensor", s.tensor);
    v("hash", s.hash);
  }
};

// One step from an object. `target` is kAbsent where there is nothing.
struct Edge {
  Step step = Step::kType;
  uint32_t index = 0;
  Constant key;
  Handle target = kAbsent;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("step", s.step);
    v("index", s.index);
    v("key", s.key);
    v("target", s.target);
  }
};

// A record with a step to the type says kValue and kSymbolName where they apply.
struct ObjectRecord {
  Handle handle = kAbsent;
  std::vector<FactValue> facts;
  std::vector<Edge> edges;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("handle", s.handle);
    v("facts", s.facts);
    v("edges", s.edges);
  }
};

struct Root {
  Step step = Step::kSlot;
  uint32_t index = 0;
  Constant key;
  Handle target = kAbsent;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("step", s.step);
    v("index", s.index);
    v("key", s.key);
    v("target", s.target);
  }
};

struct Summary {
  std::vector<Root> roots;
  std::vector<ObjectRecord> records;  // a handle may occur again with more facts

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("roots", s.roots);
    v("records", s.records);
  }
};

enum class QuestionKind : uint8_t {
#define FRAMEGATE_QUESTION(number, name, text, doc) name = number,
#include "model/questions.def"
#undef FRAMEGATE_QUESTION
};
std::string_view EnumText(QuestionKind value);
bool EnumFromText(std::string_view text, QuestionKind* value);

// An argument of a question: an object, a constant, tensor metadata without an object (for kMeta), or a sequence of these.
struct Operand {
  Handle handle = kAbsent;
  std::optional<Constant> constant;
  Boxed<TensorFacts> tensor;
  std::vector<Operand> items;  // with `sequence`
  std::string sequence;        // "tuple", "list", "slice", "set" (filled in this order) or "": not a sequence
  // Within one translation, never sent: the term of an int that is symbolic; kUnnamed for a float computed from symbols.
  uint32_t term = 0;
  static constexpr uint32_t kUnnamed = UINT32_MAX;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("handle", s.handle);
    v("constant", s.constant);
    v("tensor", s.tensor);
    v("items", s.items);
    v("sequence", s.sequence);
  }
};

struct Question {
  QuestionKind kind = QuestionKind::kStep;
  Handle object = kAbsent;
  Step step = Step::kType;
  Fact fact = Fact::kValue;
  uint32_t index = 0;
  Constant key;
  CodeId code;
  std::string symbol;  // kCall, kMeta: what to call; a bare name is a tensor method
  std::vector<Operand> args;
  std::vector<std::pair<std::string, Operand>> kwargs;
  Constant ambient;  // kMeta: the ambient fact in force at the operation

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("kind", s.kind);
    v("object", s.object);
    v("step", s.step);
    v("fact", s.fact);
    v("index", s.index);
    v("key", s.key);
    v("code", s.code);
    v("symbol", s.symbol);
    v("args", s.args);
    v("kwargs", s.kwargs);
    v("ambient", s.ambient);
  }
};

struct AnswerItem {
  Handle target = kAbsent;                             // kStep, kRoot, kCall
  std::optional<Constant> constant;                    // kCall where the result is a constant
  std::optional<FactValue> fact;                       // kFact
  std::vector<std::shared_ptr<const CodeImage>> code;  // kCode: one image, or none where the client no longer has it
  std::optional<Operand> result;                       // kMeta: tensors by metadata, sequences of them, constants
  std::optional<uint32_t> same_as;                     // kMeta: the result is this positional argument itself
  std::vector<Operand> after;                          // kMeta: the positional arguments afterwards; what is no tensor is empty
  std::string raised_type;                             // kCall, kMeta: the exception's type as module:qualname, "" where none
  std::string raised_text;
  std::optional<Constant> raised_args;  // its args, where they are constants

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("target", s.target);
    v("constant", s.constant);
    v("fact", s.fact);
    v("code", s.code);
    v("result", s.result);
    v("same_as", s.same_as);
    v("after", s.after);
    v("raised_type", s.raised_type);
    v("raised_text", s.raised_text);
    v("raised_args", s.raised_args);
  }
};

struct Questions {
  std::vector<Question> items;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("items", s.items);
  }
};

// `items` are parallel to the questions; `records` describe the objects met, `code` is that of functions among them which the daemon has
// not had from this process.
struct Answers {
  std::vector<AnswerItem> items;
  std::vector<ObjectRecord> records;
  std::vector<std::shared_ptr<const CodeImage>> code;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("items", s.items);
    v("records", s.records);
    v("code", s.code);
  }
};

}  // namespace framegate::model
