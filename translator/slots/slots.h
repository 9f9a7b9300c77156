// Small pieces of the slot engine that its files share.
#pragma once

#include <functional>
#include <string>

#include "base/strings.h"
#include "translator/ops/interp.h"

namespace framegate::translator {

// The type's __name__ as messages show it: what follows the last dot of its qualname.
inline std::string TypeName(const TypeValue* type) {
  if (type == nullptr)
    return "?";
  std::string_view symbol = type->symbol;
  size_t cut = symbol.find_last_of(".:");
  return std::string(cut == std::string_view::npos ? symbol : symbol.substr(cut + 1));
}

// tp_name, which C code puts into messages: that of a static type has its module, unless that is builtins.
inline std::string FullTypeName(const TypeValue* type) {
  std::string name = TypeName(type);
  if (type == nullptr || type->Has(model::TypeFlag::kHeapType) || type->symbol.starts_with("builtins:"))
    return name;
  return type->symbol.substr(0, type->symbol.find(':')) + "." + name;
}

// The value of a constant of this kind, or null.
inline const Constant* ConstantOf(Session& s, V value, ConstantKind kind) {
  const Constant* c = AsConstant(s.Resolve(value));
  return c != nullptr && c->kind == kind ? c : nullptr;
}

// An int, a bool, or what a subclass of int holds as its value.
inline const Constant* IntOf(Session& s, V value) {
  value = s.Resolve(value);
  if (V payload = As<ObjectValue>(value) != nullptr ? s.Payload(value) : nullptr)
    value = payload;
  const Constant* c = AsConstant(value);
  return c != nullptr && (c->is_int() || c->is_bool()) ? c : nullptr;
}

inline int64_t IntValue(const Constant& c) {
  return c.is_int() ? c.integer : c.is_true() ? 1 : 0;
}

// One method of one operand: `method(self, other)`; value null where the type has none or it gives NotImplemented.
Outcome TryMethod(Interp& in, V self, const char* name, V other);

// A binary operator (NB_* number) on numbers of which one is symbolic. Value null: not for these.
Outcome SymbolOp(Interp& in, int32_t number, V left, V right);

// The _operator module's name for a plain NB_* number, and the number for an operation on terms.
std::string_view OperatorName(int32_t number);
bool IsNotImplemented(Session& s, V value);
// Of translator/builtins/tensor_data.cc: what torch takes a scalar of numpy for; null where it is none.
V NumberOfNumpy(Session& s, V value);
// The same: numbers in place of tensors that a method is given as sizes, where those are computed from numbers alone.
void TakeSizes(Session& s, std::string_view symbol, Args* args);
// Of translator/builtins/torch_function.cc: a mode that the frame has entered is asked about functions of torch.
bool InFunctionMode(Session& s);
// It, or the class of an argument that is no tensor, says what a function of torch does.
bool HasTorchFunction(Session& s, const Args& args);
// The call as they have it. REQUIRES: HasTorchFunction.
Outcome CallTorchFunction(Interp& in, const std::string& symbol, Args args);
// A float that is known by name, and no comparison.
bool IsFloatSymbol(Session& s, V value);
int32_t NumberOfTerm(TermOp op);

// A function of the _operator module that is an operator of the language. False: it is none.
bool CallOperator(Interp& in, std::string_view name, const Args& args, Outcome* outcome);

// object.__setattr__ and __delattr__ (value null), without looking for an override.
Outcome SetAttrGeneric(Interp& in, V object, const std::string& name, V value, Tail tail);

// object.__getattribute__: without __getattr__ and without looking for an override.
Outcome GetAttrGeneric(Interp& in, V object, const std::string& name, Tail tail);

// An iterator made in the frame that runs Python code of it to give an item: a generator that has not ended, or one through others of its
// kind.
bool RunsFrames(Session& s, V value);

// issubclass() of an abstract class, asked of the client.
Outcome FoldSubclass(Interp& in, TypeValue* type, TypeValue* base);

// An attribute of a dtype or device; null: not known.
V TorchConstantAttr(Session& s, const Constant& constant, const std::string& name);

// What Tensor.type() gives; "": not known.
std::string TensorTypeOf(const model::TensorFacts& facts);

// Sizes and strides of a tensor, symbolic ones as such.
Dims SizesOf(const model::TensorFacts& facts);
Dims StridesOf(const model::TensorFacts& facts);

// Bytes of one element; 0: not known.
int64_t ItemSizeOf(std::string_view dtype);
// descriptor.__get__(object, type), object null for access through the class; descriptor.__set__(object, value), value null deletes.
Outcome DescriptorGet(Interp& in, V descriptor, V object, TypeValue* type, const std::string& name);
Outcome DescriptorSet(Interp& in, V descriptor, V object, const std::string& name, V value);

// What the type's own dict holds under a name; null where nothing does.
V OwnAttr(Session& s, TypeValue* type, std::string_view name);
// What the types after `start` in the MRO of `type` hold under a name, unbound; null where none does.
V AttrAfter(Session& s, TypeValue* type, TypeValue* start, std::string_view name);

// The names that an instance's or a class's __dict__ shows, in order, and what is under one; kBreak where they cannot be known.
Outcome NamesShown(Interp& in, ViewValue* view, std::vector<std::string>* names);
V ShownUnder(Session& s, ViewValue* view, std::string_view name);

// type.__new__(metatype, name, bases, namespace, **keywords), hooks included.
Outcome MakeType(Interp& in, TypeValue* metatype, V name, V bases, V space, Args keywords);
// The most derived metatype of the bases and `metatype`; null, with an exception raised, where there is none.
Outcome WinningMetatype(Interp& in, TypeValue* metatype, const Values& bases);

// type.__setattr__ and __delattr__ (value null).
Outcome SetTypeAttribute(Interp& in, TypeValue* type, const std::string& name, V value);
// Flags of a made type that follow from its methods.
void SetSlotFlags(Session& s, TypeValue* type);
// Whether setting the special method on a made type shows in its flags alone.
bool RefreshesFlags(std::string_view name);

// What a property, staticmethod or classmethod was made of; null where empty.
V PartOf(Session& s, V object, model::Step step);
// Whether objects of this type work as properties: of a subclass too, unless it has descriptor methods of its own.
bool IsProperty(Session& s, TypeValue* kind);

// A C function without a body of its own: methods of numbers and strings see what subclasses hold for their base; an operator method on an
// operand that is not for it gives NotImplemented; the rest is folded in the client.
Outcome CallSlotWrapper(Interp& in, const std::string& symbol, Args args);

// The bytes that a bytearray holds, as a constant; null where it is none, or they are not known.
V ByteArrayContents(Session& s, V value);

// What builtin containers do, whatever a subclass overrides. RawSetItem with a null value deletes.
Outcome RawLength(Interp& in, V container);
Outcome RawIter(Interp& in, V container);
Outcome RawContains(Interp& in, V container, V item);
Outcome RawGetItem(Interp& in, V container, V key);
Outcome RawSetItem(Interp& in, V container, V key, V value);
Outcome ReprOfBase(Interp& in, V container);
// All items of an iterable for a use that does not show their order, as far as that can be told: of sets of distinct texts or numbers too.
Outcome ToValuesInAnyOrder(Interp& in, V iterable, Values* items);
// After any change of a list or deque: real ones get their whole contents again.
void SequenceChanged(Session& s, SequenceValue* sequence);
// A set, or a dict's keys (or items) that compare as one; null where it is none.
SetValue* AsSet(Interp& in, V value);
// Value null: the operands are not for each other.
Outcome CompareContainers(Interp& in, int32_t op, V left, V right);
Outcome ContainerOp(Interp& in, int32_t number, V left, V right);

// What id() or hash() gave, where it is known only by what it was asked of; null for other values.
const ResidualValue* IdentityOf(V value);
Outcome CompareIdentities(Interp& in, const ResidualValue* a, const ResidualValue* b);
Outcome Identity(Interp& in, V value);
Outcome Hash(Interp& in, V value);
// The key of a dict or set that is equal to `key`, or `key` itself where none is; TypeError where it has no hash.
Outcome KeyIn(Interp& in, V container, V key);
// The same; value null where none is.
Outcome FindKey(Interp& in, V container, V key);
Outcome AddToSet(Interp& in, SetValue* set, V item);
void SetDelete(Session& s, SetValue* set, V key);  // REQUIRES: it holds the key
void SetChanged(Session& s, SetValue* set);        // after a change of all there is
Outcome SetPop(Interp& in, SetValue* set);
// set.update(iterable), in the order in which it is done.
Outcome MergeIntoSet(Interp& in, SetValue* set, V iterable);
// What was done to the set, for its order: name and argument as in client_ext/capture/set_order.h.
void SetStep(SetValue* set, const char* name, Constant argument);
void SetStep(SetValue* set, const char* name, const SetValue* other);
// The items are in the order in which the set gives them; kBreak where that is not known.
Outcome InOrder(Interp& in, SetValue* set);
// Of a real set whose items were read in no order, their order is read: what is made of them may show it. Whether `items` are in order now.
bool ReadOrder(Session& s, SetValue* set);

// What the RuntimeError says that replaces an exception which ends iteration and leaves a generator's body; "": it is none.
std::string StopIterationText(Session& s, uint32_t code_flags, V exception);

// format % given, where `given` is not all constants.
Outcome FormatPercent(Interp& in, const std::string& format, V given);

// str(value), repr(value), format(value, spec): a str whose text is known.
Outcome Str(Interp& in, V value);
Outcome Repr(Interp& in, V value);
Outcome Format(Interp& in, V value, V spec);

// A value is a constant through and through: constants and tuples of them. Gives it, or false.
bool ToConstant(Session& s, V value, Constant* constant);
bool AreConstant(Session& s, const Args& args);

// An operation whose methods may be Python code of an operand's class: run synchronously, or, where that breaks inside, by `frames`, which
// pushes frames of their own.
Outcome SyncOrFrames(Interp& in, V left, V right, Tail tail, const std::function<Outcome()>& sync, const std::function<Outcome()>& frames);

struct MethodCall {
  V self;
  const char* name;
  V other;
};

// The first of these methods that does not give NotImplemented, as frames; TypeError(error) where all do.
Outcome FirstImplemented(Interp& in, const std::vector<MethodCall>& calls, std::string error, Tail tail);

// __bool__ or __len__, as a frame.
Outcome TruthInFrames(Interp& in, V value, Tail tail);

// A member of a code object that is part of the code's identity; null: another one.
V CodeMember(Session& s, const model::CodeImage& image, std::string_view name);

}  // namespace framegate::translator
