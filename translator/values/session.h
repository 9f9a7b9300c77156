// One translation: its values, what it knows, what it relied on, what it will emit. The only way to read a fact of a real object is through
// here, and that records the guard. One thread; dropped whole when the translation ends.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "guards/ir/guard_set.h"
#include "translator/effects/effect.h"
#include "translator/graph/graph.h"
#include "translator/graph/meta/size.h"
#include "translator/values/mirror.h"
#include "translator/values/set_orders.h"
#include "translator/values/value.h"

namespace framegate::translator {

// Why a segment ends or original code runs.
struct Refusal {
  model::Reason reason = model::Reason::kNoReason;
  std::string detail;
};

// By COMPARE_OP's number.
bool Compared(int32_t comparison, const Size& a, const Size& b);

class Session {
 public:
  // All outlive the session. `orders` may be null: what depends on the order of a set's hashes holds in the client's process alone.
  Session(const Request& request, CodeStore& codes, Mirror& mirror, SetOrders* orders);

  // --- making values; never null ---
  template <typename T>
  T* New() {
    auto owner = std::make_unique<T>();
    T* value = owner.get();
    arena_.push_back(std::move(owner));
    return value;
  }

  V Const(Constant constant);

  V None() { return none_; }

  V Bool(bool value) { return value ? true_ : false_; }

  V Int(int64_t value) { return Const(Constant::Int(value)); }

  V Str(std::string value) { return Const(Constant::Str(std::move(value))); }

  SequenceValue* Tuple(Values items);
  SequenceValue* List(Values items);
  MappingValue* Dict();
  // A real object, lazily; the same handle gives the same value. Null where handle is kAbsent.
  V Real(Handle handle, SubjectId subject);
  // What module:qualified.name is in the client; null where it is not loaded.
  V Symbol(const std::string& symbol);
  // A builtin or library type by symbol. REQUIRES: it exists (builtins).
  TypeValue* TypeOfSymbol(const std::string& symbol);

  // --- reading; each records its guard ---
  // The value with its kind known: anything but LazyValue and SymbolValue, which is fixed. Guards the type, and the value of constants.
  V Resolve(V value);
  // The same, but a symbol stays one.
  V Look(V value);
  // Of a number that may be symbolic.
  V Number(const Size& size);
  // An int as a size; false where it is none.
  bool AsSize(V value, Size* size);
  // Symbols anywhere in a sequence or slice, or among a tensor's sizes.
  bool HoldsSymbol(V value, int depth = 0);
  // `before` + or - `step`, an int, where `before` is one that nobody has needed yet, as `obj.count += 1` has it; null: not such a count.
  V Count(V before, bool adds, V step);
  // All those are fixed.
  void Fix(V value, int depth = 0);
  // Exact type; guards it. Null where the type cannot be modelled.
  TypeValue* TypeOf(V value);
  // What the MRO holds under a name, unbound, real or set in the frame; null where nothing does.
  // `instance`: whose own attribute of that name will be looked at next, if anybody's.
  V TypeAttr(TypeValue* type, std::string_view name, V instance = nullptr);
  const std::vector<TypeValue*>& MroOf(TypeValue* type);
  bool IsSubclass(TypeValue* type, std::string_view symbol);
  bool IsSubclassOf(TypeValue* type, TypeValue* base);
  // The instance dict's value under a name; null where absent. Not for types.
  V InstanceAttr(V object, std::string_view name);
  // The same where it hides whatever the class has under the name: of the class, no more is guarded than that this is no data descriptor.
  // Null where it does not.
  V HidingAttr(V object, TypeValue* type, std::string_view name);
  // Whether it would, were it there; guards nothing.
  bool IsHidden(TypeValue* type, std::string_view name);
  // The class as it is has no data descriptor under the name. True guards that and no more.
  bool LacksDataDescriptor(TypeValue* type, std::string_view name);
  // All names of the instance dict, in order; false where they cannot be known.
  bool InstanceNames(V object, std::vector<std::string>* names);
  // All names of the type's own dict, in order; false where they cannot be known.
  bool TypeNames(TypeValue* type, std::vector<std::string>* names);
  void SetInstanceAttr(V object, std::string_view name, V value);  // value null deletes
  // What an instance of a subclass of int, float, complex, str or bytes has for its base, as a constant; null where it is none.
  V Payload(V value);
  void SetTypeAttr(TypeValue* type, std::string_view name, V value);  // value null deletes
  // Whether the name, set as an attribute, would reach a data descriptor of the type that is not its storage.
  bool NeedsInstanceDict(V object, std::string_view name);
  V CellContents(CellValue* cell);
  // Child of a real value by a step: guards presence or absence when read.
  V StepFrom(V value, model::Step step, uint32_t index = 0, const Constant& key = {});

  V StepFrom(V value, model::Step step, std::string_view name) { return StepFrom(value, step, 0, Constant::Str(std::string(name))); }

  const model::FactValue& ReadFact(V value, model::Fact fact);  // with a guard
  const model::FactValue& PeekFact(V value, model::Fact fact);  // without one
  // All items of a real mapping are made known (keys guarded). False: some key is not a constant or cannot be modelled.
  bool Complete(MappingValue* mapping);
  V MappingGet(MappingValue* mapping, V key);  // null: absent. REQUIRES: HashKey(key) is not ""
  void MappingSet(MappingValue* mapping, V key, V value);
  bool MappingDelete(MappingValue* mapping, V key);
  // A text that is equal for keys that are the same dict key by value; "" where that cannot be said without running code.
  std::string HashKey(V key);
  // Equality with other keys is for Python code to say (__eq__ or __hash__ of its own), here or in a part of it.
  bool HashesItself(V key);
  // The exception that the thread handled when the unit began; null where none.
  V HandledBefore();
  Constant AmbientPart(model::AmbientPart part);            // as in force at this point of the frame
  Constant initial_ambient(model::AmbientPart part) const;  // as it was when the unit began
  void SetAmbient(model::AmbientPart part, Constant value);

  // --- tensors ---
  // Metadata, from guards, rules or the oracle; null where nobody can say.
  const model::TensorFacts* FactsOf(TensorValue* tensor);

  // A subclass of Tensor whose instances are tensors like others; what is computed from them is of the subclass.
  bool IsPlainSubclass(TypeValue* type);

  // --- relying ---
  SubjectId SubjectOf(V value);  // kNoSubject for made ones
  void AddGuard(guards::Guard guard);
  void GuardSame(SubjectId a, SubjectId b);
  // Also by what is compared only where it is read (guards::TensorPart): of this tensor, or of all that have been read so far.
  void RelyOnParts(TensorValue* tensor, uint32_t parts);
  void RelyOnParts(uint32_t parts);
  // A Python function is what its symbol says, not only its code. For those that are not interpreted.
  void RelyOnSymbol(FunctionValue* function);
  // By which classes are registered with abstract ones, in the client's process alone. False: nobody can say.
  bool RelyOnRegistrations();
  // By hashes of texts and the addresses of objects, in the client's process alone.
  bool RelyOnHashes();
  // By the order in which this process's hashes put the elements of a set with this history: assumed (SetOrders), or as RelyOnHashes does.
  bool RelyOnOrder(const SetValue* set, Values* elements);
  // Whether a real class can be found by its symbol.
  bool IsNamed(TypeValue* type);
  // REQUIRES: both are named.
  void RelyOnAbcAnswer(TypeValue* type, TypeValue* base, bool answer);
  // Guards what was read of types, which is known only in the end. Before guards() and subjects() are taken.
  void GuardTypes();
  void GuardIdentities();

  // --- changing ---
  // Journals the value's state once per epoch. Before any change of mutable state.
  void Touch(V value);
  // A real list that nobody has read, under its first path; null where somebody has, or it is none. Guards the type.
  LazyValue* UnreadList(V value);
  // The same for what is known of a real value, which itself stays as it is.
  void Journal(V value);
  void AddEffect(Effect effect);

  // Grows with every change, real or made: the same number means that nothing has changed.
  uint64_t changes() const { return changes_ + graph_.nodes().size(); }

  // The same, and of what is known of values.
  uint64_t writes() const { return changes() + journaled_; }

  // A real object, perhaps not looked at yet, that the frame has changed.
  bool IsChanged(V value) const;

  struct Mark {
    size_t journal, effects, nodes;
    uint32_t epoch;
    Constant ambient;
  };

  // Every Snapshot is ended by one Rollback or Release.
  Mark Snapshot();
  void Rollback(const Mark& mark);
  void Release(const Mark& mark);

  // --- the rest ---
  // Every value there is, in the order they were made.
  void ForEach(const std::function<void(V)>& visit) const {
    for (const auto& value : arena_)
      visit(value.get());
  }

  // `function`: a real one that has it, if any; what it will look at comes with its code.
  std::shared_ptr<const DecodedCode> CodeOf(const model::CodeId& id, Handle function = model::kAbsent);

  // Whether that needs no question.
  bool HasCode(const model::CodeId& id) const { return decoded_.contains(id) || codes_.Find(id) != nullptr; }

  bool failed() const { return !mirror_.status().ok() || !status_.ok(); }

  absl::Status status() const { return status_.ok() ? mirror_.status() : status_; }

  void Fail(absl::Status status) {
    if (status_.ok())
      status_ = std::move(status);
  }

  const Request& request() const { return request_; }

  Mirror& mirror() { return mirror_; }

  // Null where no order is to be assumed.
  SetOrders* orders() { return orders_; }

  Graph& graph() { return graph_; }

  model::SubjectTable& subjects() { return subjects_; }

  const std::vector<guards::Guard>& guards() const { return guards_; }

  const std::vector<Effect>& effects() const { return effects_; }

  std::vector<Effect>& mutable_effects() { return effects_; }

  Constant& ambient() { return ambient_; }  // as in force at this point of the frame

  Terms& terms() { return terms_; }

  // Strides of inputs that are terms: to be guarded.
  struct StrideTerm {
    SubjectId subject;
    uint32_t dimension, term;
  };

  const std::vector<StrideTerm>& stride_terms() const { return stride_terms_; }

  // Of sizes that the user has marked as dynamic, one that was fixed: its dimension; nullopt: none.
  std::optional<uint32_t> FixedMark() const;

  // Sizes and ints of the unit that are symbols, in the order they were met.
  const std::vector<uint32_t>& base_terms() const { return base_terms_; }

  bool Is311() const { return request_.version == model::PyVersion::k311; }

  bool Is313() const { return request_.version == model::PyVersion::k313; }

  bool has_torch() { return !ambient_.items.empty(); }

  // The first node that may raise on its data, and how many effects the program had before it.
  uint32_t first_raiser = UINT32_MAX;
  size_t early_effects = 0;
  uint32_t late_raiser = UINT32_MAX;    // one that comes after further effects
  uint32_t raiser_offset = UINT32_MAX;  // unit offset of the outermost frame's instruction there
  // The first node that may raise where the program has a handler: if the graph fails, the unit runs again as written.
  uint32_t first_handled = UINT32_MAX;

  bool retries() const { return first_handled != UINT32_MAX; }

  // The same of a finished unit, with a handler or without: eager raises what it raises, where it raises it.
  bool RunsAgain() const;

  // Where a manager whose exit does nothing but put the ambient state back was entered: what it puts back.
  absl::flat_hash_map<V, Constant> entered;
  absl::flat_hash_map<V, V> state_nodes;  // and, where its exit takes it, the node that entered it

  void KeepEffects() { kept_effects_ = effects_.size(); }  // what is there is not written over by what comes

  // Functorch and forward-mode levels that the graph has entered here, and whether a transform that leaves them is running.
  int64_t function_levels = 0, dual_levels = 0;
  bool in_transform = false;

  SequenceValue* function_modes = nullptr;  // of __torch_function__, entered in the frame and not left: the innermost last

  bool changed_frozen = false;                  // the translation is void
  bool dropped_real = false;                    // something real may have lost a reference to something else
  bool has_callbacks = false;                   // a real object's end, were it in this frame, would call Python code of it
  absl::flat_hash_map<V, V> references;         // weakref.ref() of an object without a callback, of which there is one
  absl::flat_hash_map<V, Values> cached_calls;  // the function and arguments that give it again
  absl::flat_hash_map<std::string, V> cached;   // what cached functions gave, by function and arguments

  Refusal refusal;                    // of the last operation that could not be modelled
  Refusal as_written;                 // of one that makes the translation void
  V raised = nullptr;                 // the exception of the last operation that raised
  int32_t line = 0;                   // of the user's code, for guards
  std::vector<V> mutated;             // real values that were changed
  std::vector<TensorValue*> tensors;  // all there are
  bool foreign_joined = false;        // a tensor that may share memory with inputs began to require gradients
  std::vector<V> met;          // real values whose kind was read, in that order: a changed one must not turn out to be another of these
  bool custom_keys = false;    // some key with equality of its own was met
  bool types_changed = false;  // some real type's attributes were changed

 private:
  bool RelyOnProcess(model::Fact fact);
  bool MayHoldObject(V object, std::string_view name) const;
  V RealTypeAttr(TypeValue* type, std::string_view name, V instance = nullptr);
  bool MayBeConstants(Handle type);
  V ResolveReal(LazyValue* lazy);
  void Absorb(LazyValue* lazy);
  V MakeReal(LazyValue* lazy, TypeValue* type);
  V MakeFunction(LazyValue* lazy);
  V MakeBoundBuiltin(LazyValue* lazy);
  V MakeSequence(LazyValue* lazy, TypeValue* type);
  V MakeMapping(LazyValue* lazy, TypeValue* type);
  V MakeSet(LazyValue* lazy, TypeValue* type);
  V MakeIterator(LazyValue* lazy, TypeValue* type);
  V MakeGenerator(LazyValue* lazy, TypeValue* type);
  V MakeTensor(LazyValue* lazy, TypeValue* type);
  // `is_read`: by this path; else only to find out what somebody may read.
  TypeValue* RealType(Handle handle, SubjectId subject, bool is_read = true);
  const std::vector<TypeValue*>& BasesOf(TypeValue* type);
  TypeValue* MethodType(MethodValue* method);
  TypeValue* ViewType(ViewValue* view);
  TypeValue* IteratorType(IteratorValue* iterator);
  bool HashesInC(TypeValue* type);
  bool HashesAsTuple(TypeValue* type);
  void MarkImmutable(SubjectId subject);
  std::string PathOf(SubjectId subject);
  bool IsDynamic(const std::string& path) const;
  bool IsArgument(SubjectId subject) const;
  std::vector<uint32_t> DynamicDims(SubjectId subject, const model::TensorFacts& facts);
  void MakeSymbolic(SubjectId subject, const std::vector<uint32_t>& dims, model::TensorFacts* facts);
  bool MayBeSymbol(SubjectId subject, const Constant& now);
  V MakeSymbol(LazyValue* lazy, const Constant& now);
  std::string IdentityKey(V key);
  TypeValue* ConstantType(const Constant& constant);
  bool NeedsGuards(SubjectId subject) const;

  const Request& request_;
  CodeStore& codes_;
  Mirror& mirror_;
  SetOrders* orders_;
  int snapshots_ = 0;
  uint64_t changes_ = 0;
  uint64_t journaled_ = 0;
  size_t kept_effects_ = 0;  // effects before this are not rewritten: a rollback may need them
  Graph graph_;
  model::SubjectTable subjects_;
  std::vector<guards::Guard> guards_;
  guards::GuardIndex guard_index_;
  std::vector<Effect> effects_;
  std::vector<std::pair<V, std::function<void()>>> journal_;
  uint32_t epoch_ = 1;
  std::deque<std::unique_ptr<Value>> arena_;
  std::vector<TypeValue*> real_types_;
  Values identity_keys_;  // real objects that were looked for by identity: no two of them may be one
  absl::flat_hash_set<V> identity_keys_known_;
  absl::flat_hash_map<Handle, V> by_handle_;
  absl::flat_hash_map<Handle, LazyValue*> unread_;  // lists that were added to
  absl::flat_hash_map<SubjectId, V> by_subject_;
  absl::flat_hash_map<std::string, V> type_attrs_;  // type handle and name
  absl::flat_hash_map<std::string, V> symbols_;
  absl::flat_hash_map<model::CodeId, std::shared_ptr<const DecodedCode>> decoded_;
  std::vector<bool> immutable_subject_;  // below a static type: cannot change
  Constant ambient_, initial_ambient_;
  Terms terms_;
  std::vector<StrideTerm> stride_terms_;
  std::vector<uint32_t> base_terms_;
  std::vector<uint32_t> marked_terms_;
  std::vector<std::vector<std::string>> slot_names_;
  absl::Status status_;
  V none_, true_, false_;
};

}  // namespace framegate::translator
