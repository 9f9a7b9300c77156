// The values of the symbolic interpreter. All live in the arena of one translation and are passed as plain pointers; nullptr is the NULL of
// an empty slot or stack cell. A value knows the real object it stands for (`handle`, `subject`) where there is one; one that does not was
// made in the frame and can be rebuilt. Mutable state changes only through Session::Touch, so that a break can roll it back. One thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/code_image.h"
#include "model/constant.h"
#include "model/entry.h"
#include "model/subject.h"
#include "model/summary.h"
#include "translator/pyver/decode.h"

namespace framegate::translator {

using model::Constant;
using model::ConstantKind;
using model::Handle;
using model::SubjectId;

enum class ValueKind : uint8_t {
#define FRAMEGATE_VALUE(number, name, text, mutable_, runs_code, doc) k##name = number,
#include "translator/values/value_kinds.def"
#undef FRAMEGATE_VALUE
};
std::string_view EnumText(ValueKind kind);
// A builtin that is given such a value may run Python code, one piece after the other.
bool MayRunCode(ValueKind kind);

struct Value;
struct TypeValue;
using V = Value*;
using Values = std::vector<V>;

struct Value {
  explicit Value(ValueKind k) : kind(k) {}

  virtual ~Value() = default;

  ValueKind kind;
  bool mutated = false;       // real ones: new code must replay what was done
  bool frozen = false;        // made ones that stand for what a cache holds: neither changed nor handed out
  bool mutable_made = false;  // made ones with identity: rebuilt once and shared
  Handle handle = model::kAbsent;
  SubjectId subject = model::kNoSubject;
  TypeValue* type = nullptr;  // exact type where known
  uint32_t epoch = 0;         // of the last journaled copy

  bool is_real() const { return handle != model::kAbsent; }
};

// Every struct below names its kind, so that As<T> needs no list.
struct LazyValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kLazy;

  LazyValue() : Value(kKind) {}

  V resolved = nullptr;
  std::vector<std::pair<V, V>> added;  // to a list, set or dict that nobody has read: items, or keys and values
};

struct ConstantValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kConstant;

  ConstantValue() : Value(kKind) {}

  Constant constant;
};

struct TensorValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kTensor;

  TensorValue() : Value(kKind) {}

  uint32_t node = UINT32_MAX;                       // graph node; UINT32_MAX: an input that no node uses yet
  std::shared_ptr<const model::TensorFacts> facts;  // metadata where known; Session::FactsOf fills it
  bool guarded = false;                             // inputs: the whole metadata is guarded
  bool is_parameter = false;
  TensorValue* base = nullptr;   // a view of this one, as gradients see it
  bool foreign = false;          // may share memory with any other foreign one: inputs, results nobody has a rule for
  bool strides_guessed = false;  // what is known of them is no more than likely: nothing may be folded from it
  bool doubtful = false;         // may require gradients although the metadata say no: something it may be a view of does now
  std::vector<std::pair<std::string, V>> attributes;  // Python attributes set in the frame (journaled with the graph)
};

struct SequenceValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kSequence;

  SequenceValue() : Value(kKind) {}

  Values items;
  Constant maxlen;                // deque
  const void* literal = nullptr;  // tuples that code holds as a constant: which
  V attributes = nullptr;         // subclasses: an ObjectValue's worth of attributes, or null
};

struct MappingValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kMapping;

  MappingValue() : Value(kKind) {}

  // Real mappings: what is known so far, until `complete`.
  std::vector<std::pair<V, V>> items;                // in order; value null: deleted (real ones only)
  absl::flat_hash_map<std::string, uint32_t> index;  // by hash key (Session::HashKey) -> place in items
  absl::flat_hash_map<std::string, V> known;         // real ones that are not complete: point lookups so far; null: absent
  bool complete = true;
  V default_factory = nullptr;  // defaultdict
  uint32_t version = 0;         // grows with every change of size, for iteration errors
  V attributes = nullptr;
};

struct SetValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kSet;

  SetValue() : Value(kKind) {}

  Values items;
  absl::flat_hash_map<std::string, uint32_t> index;
  uint32_t version = 0;
  bool in_order = false;          // `items` are in the order of iteration
  bool is_order_unread = false;   // real ones: nothing was added, and Fact::kSetElements tells the order of what is left
  bool has_history = true;        // made ones: `history` is all that was done to it
  std::vector<Constant> history;  // what to do to an empty set to have one of this order (client_ext/capture/set_order.h)
  int64_t pop_place = 0;          // where in `items` pop() looks first; -1: not known
};

struct FunctionValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kFunction;

  FunctionValue() : Value(kKind) {}

  model::CodeId code_id;
  std::shared_ptr<const DecodedCode> code;
  V globals = nullptr;
  V builtins = nullptr;
  V defaults = nullptr;    // tuple SequenceValue, or null
  V kwdefaults = nullptr;  // MappingValue, or null
  Values closure;          // cells
  std::string name, qualname;
  V module = nullptr;
  V annotations = nullptr;
  model::CodeId parent_code;  // made ones: nested code `parent_index` of this code
  uint32_t parent_index = UINT32_MAX;
  std::vector<std::pair<std::string, V>> attributes;  // set in the frame
  std::string symbol;                                 // module:qualname where the client says so, else ""
};

struct MethodValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kMethod;

  MethodValue() : Value(kKind) {}

  V function = nullptr;  // FunctionValue, BuiltinValue or another callable
  V self = nullptr;
};

struct TypeValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kType;

  TypeValue() : Value(kKind) {}

  std::string symbol;                          // module:qualname
  uint64_t flags = 0;                          // model::TypeFlag
  mutable uint64_t flags_read = 0;             // those that somebody relies on
  bool mro_read = false;                       // so does somebody on what its MRO holds, or does not
  int32_t line = 0;                            // of the user's code that met it first
  std::vector<TypeValue*> mro;                 // filled on demand by Session::MroOf
  std::vector<std::pair<std::string, V>> own;  // attributes set in the frame; null: deleted
  std::vector<TypeValue*> bases;               // made ones

  bool Has(model::TypeFlag flag) const {
    flags_read |= static_cast<uint32_t>(flag);
    return model::HasFlag(flags, flag);
  }

  bool is(std::string_view name) const { return symbol == name; }
};

// A place that a raised exception has passed: what its traceback shows.
struct TracePlace {
  model::CodeId code;
  uint32_t offset = 0;  // of the instruction, in code units
};

struct Frame;

// ObjectValue::hint of a reference of a class derived from weakref.ref: `arguments` are what it refers to and its callback.
inline constexpr const char* kReferenceHint = "weak reference";

struct ObjectValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kObject;

  ObjectValue() : Value(kKind) {}

  std::vector<std::pair<std::string, V>> attributes;  // set in the frame, in order; null: deleted (real ones)
  Values arguments;                                   // exceptions: args
  V cause = nullptr, context = nullptr;               // exceptions
  V traceback = nullptr;                              // exceptions that were raised; entries of tracebacks: the next one
  bool suppress_context = false;
  std::optional<TracePlace> place;  // entries of tracebacks, made by frames that are done with the exception or handle it
  V payload = nullptr;              // instances of a subclass of int, float, complex, str or bytes: the value of the base type
  std::string constructor;          // made by the constructor of that name (model/constructors.def) from `arguments`
  V args_tuple = nullptr;           // exceptions: what `args` gave last
  V parts = nullptr;                // exception groups: the tuple of exceptions
  V stand_in = nullptr;             // what is called instead of it, or iterated
  std::shared_ptr<Frame> of_frame;  // frame objects
  std::string hint;                 // what kind of real object, for messages
};

struct BuiltinValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kBuiltin;

  BuiltinValue() : Value(kKind) {}

  std::string symbol;  // module:qualified.name
};

struct CellValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kCell;

  CellValue() : Value(kKind) {}

  V contents = nullptr;
  bool loaded = true;  // real ones: false until the contents were read
};

enum class IteratorForm : uint8_t { kSequence, kRange, kMapping, kReal, kEnumerate, kZip, kMap, kReversed, kCallable, kFixed };

struct IteratorValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kIterator;

  IteratorValue() : Value(kKind) {}

  IteratorForm form = IteratorForm::kFixed;
  V source = nullptr;  // kSequence: the live sequence; kMapping: the live view; kEnumerate: iterator
  Values sources;      // kZip, kMap
  Values items;        // kFixed
  uint64_t at = 0;     // items given; for real ones, since the frame began
  int64_t start = 0, step = 1;
  uint64_t length = 0;   // kRange, kReal: items left when the frame began
  uint32_t version = 0;  // kMapping: of the source when made
  bool exhausted = false;
};

struct GeneratorValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kGenerator;

  GeneratorValue() : Value(kKind) {}

  std::shared_ptr<Frame> frame;  // null once finished
  bool started = false;
  bool running = false;
  std::string qualname;
  FunctionValue* function = nullptr;
};

struct SliceValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kSlice;

  SliceValue() : Value(kKind) {}

  V start = nullptr, stop = nullptr, step = nullptr;
};

struct SuperValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kSuper;

  SuperValue() : Value(kKind) {}

  TypeValue* start = nullptr;  // attributes are looked up after it
  V self = nullptr;
  TypeValue* self_type = nullptr;
};

struct OpaqueValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kOpaque;

  OpaqueValue() : Value(kKind) {}
};

struct ResidualValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kResidual;

  ResidualValue() : Value(kKind) {}

  uint32_t effect = UINT32_MAX;    // index of the effect whose result it is
  IteratorValue* range = nullptr;  // the range iterator that gives it as its item number `at`
  uint64_t at = 0;
  std::string function;  // a constructor (model/constructors.def): made where it is used, of `of` and `key` where there are
  V of = nullptr, key = nullptr;
  V known = nullptr;      // the number, once somebody needed it: the iterator's place is guarded then
  bool is_count = false;  // an int that Python code counts on from `of` to keep it: a number once somebody needs it, `of` is guarded then
};

struct SymbolValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kSymbol;

  SymbolValue() : Value(kKind) {}

  uint32_t term = 0;        // an int (graph/meta/terms.h); 0: a real float, or what the operator gives for the two
  int32_t op = 0;           // CPython's NB_* number
  int32_t comparison = -1;  // or COMPARE_OP's: a bool that is decided once somebody needs it
  V left = nullptr, right = nullptr;
  Constant now;       // in this call
  V known = nullptr;  // once somebody needed it as a number: the term is fixed then
};

enum class ViewForm : uint8_t { kKeys, kValues, kItems, kProxy, kInstanceDict, kTypeDict };

struct ViewValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kView;

  ViewValue() : Value(kKind) {}

  ViewForm form = ViewForm::kKeys;
  V target = nullptr;
};

struct PartialValue final : Value {
  static constexpr ValueKind kKind = ValueKind::kPartial;

  PartialValue() : Value(kKind) {}

  V function = nullptr;
  Values args;
  std::vector<std::pair<std::string, V>> kwargs;
  std::vector<std::pair<std::string, V>> attributes;  // set in the frame
};

// The value as its kind's struct, or null. Lazy values must be resolved first (Session::Resolve).
template <typename T>
T* As(V value) {
  return value != nullptr && value->kind == T::kKind ? static_cast<T*>(value) : nullptr;
}

inline const Constant* AsConstant(V value) {
  auto* c = As<ConstantValue>(value);
  return c == nullptr ? nullptr : &c->constant;
}

// A frame of the symbolic interpreter.
struct Frame {
  std::shared_ptr<const DecodedCode> code;
  FunctionValue* function = nullptr;
  Values slots;  // localsplus
  Values stack;
  uint32_t ip = 0;                                    // instruction that runs, or at which the frame waits
  model::Resume waiting = model::Resume::kInnermost;  // how it takes the value of the frame above
  bool sync_root = false;                             // its end ends a synchronous run
  bool is_new_object = false;                         // __init__ of an object made by a call
  GeneratorValue* generator = nullptr;
  V locals = nullptr;                  // class bodies: the namespace
  V handled = nullptr;                 // generators: the exception being handled, while suspended
  uint32_t module_stack = UINT32_MAX;  // graph's module scope while it runs
  uint32_t position = UINT32_MAX;      // graph position of the call that made it
  bool hidden = false;                 // a polyfill
  bool library = false;                // code of a library (model/libraries.h)
  Values begun;                        // the stack when the instruction began
  bool underflow = false;              // an instruction took more than the stack holds: no compiler's code does
  V spare = nullptr;                   // what it was given instead

  const Instruction& instruction() const { return code->instructions[ip]; }
};

}  // namespace framegate::translator
