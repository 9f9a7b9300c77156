#include "client_ext/observe/py_probe.h"

#include "client_ext/observe/abstract_classes.h"

#include "base/strings.h"

namespace framegate::client {

bool TypeSlot::Pin(PyTypeObject* candidate) noexcept {
  if (!TypeIsNamed(candidate, name))
    return false;
  type = candidate;
  is_static = (candidate->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0;
  version = is_static ? 0 : pycompat::AssuredVersionTag(candidate, GetNames().module);
  return true;
}

PyProbe::Pool::~Pool() {
  for (TensorPattern* pattern : tensor_patterns_)
    Torch()->free_tensor_pattern(pattern);
  for (AmbientPattern* pattern : ambient_patterns_)
    Torch()->free_ambient_pattern(pattern);
}

absl::StatusOr<Operand> PyProbe::Pool::Link(const model::Constant& value, bool as_object) {
  auto linked = std::make_unique<LinkedConstant>();
  linked->value = value;
  if (as_object) {
    linked->object = pycompat::Ref::Steal(ToPython(value));
    if (!linked->object) {
      PyErr_Clear();
      return absl::FailedPreconditionError(StrCat("check program: this process cannot make ", model::Repr(value)));
    }
    linked->hash = PyObject_Hash(linked->object.get());
    PyErr_Clear();
  }
  constants_.push_back(std::move(linked));
  return Operand(static_cast<const void*>(constants_.back().get()));
}

absl::StatusOr<Operand> PyProbe::Pool::Key(model::Step step, const model::Constant& key) {
  return Link(key, !model::IsRoot(step));
}

absl::StatusOr<Operand> PyProbe::Pool::Expected(model::Fact fact, const model::Constant& value) {
  if (fact == model::Fact::kAbcAnswers) {
    ASSIGN_OR_RETURN(Operand operand, Link(value, false));
    constants_.back()->registrations = RegistrationsWhere(value);
    return operand;
  }
  if (fact != model::Fact::kSymbolName)
    return Link(value, fact == model::Fact::kValue || fact == model::Fact::kDictKeys || fact == model::Fact::kInstanceKeys ||
                           fact == model::Fact::kTypeKeys || fact == model::Fact::kSetElements || fact == model::Fact::kSetMembers);
  if (!value.is_str())
    return absl::InvalidArgumentError("check program: a symbol is a str");
  ASSIGN_OR_RETURN(Operand operand, Link(value, false));
  constants_.back()->object = pycompat::Ref::Share(FindSymbol(value.text));
  return operand;
}

absl::StatusOr<Operand> PyProbe::Pool::Ambient(const std::vector<std::pair<uint8_t, model::Constant>>& parts) {
  const TorchTable* torch = LoadTorch();
  if (torch == nullptr)
    return absl::FailedPreconditionError("check program: torch's state is to be compared, and torch is not loaded");
  ambient_patterns_.push_back(torch->make_ambient_pattern(parts));
  return Operand(static_cast<const void*>(ambient_patterns_.back()));
}

absl::StatusOr<Operand> PyProbe::Pool::Type(const std::string& name) {
  for (const auto& slot : types_)
    if (slot->name == name)
      return Operand(static_cast<const void*>(slot.get()));
  types_.push_back(std::make_unique<TypeSlot>());
  types_.back()->name = name;
  return Operand(static_cast<const void*>(types_.back().get()));
}

absl::StatusOr<Operand> PyProbe::Pool::Tensor(const guards::TensorCheck& check) {
  const TorchTable* torch = LoadTorch();
  if (torch == nullptr)
    return absl::FailedPreconditionError("check program: a tensor is to be compared, and torch is not loaded");
  tensor_patterns_.push_back(torch->make_tensor_pattern(check));
  return Operand(static_cast<const void*>(tensor_patterns_.back()));
}

absl::StatusOr<Operand> PyProbe::Pool::Hash(const Hash128& hash) {
  hashes_.push_back(std::make_unique<Hash128>(hash));
  return Operand(static_cast<const void*>(hashes_.back().get()));
}

absl::StatusOr<Operand> PyProbe::Pool::Object(uint64_t handle) {
  PyObject* object = handles_ != nullptr && handle <= UINT32_MAX ? handles_->Find(static_cast<model::Handle>(handle)) : nullptr;
  if (object == nullptr)
    return absl::FailedPreconditionError(StrCat("check program: no object has handle ", handle));
  // Weak, so that an entry keeps nothing alive; an object that cannot be referred to weakly is kept.
  PyObject* reference = PyWeakref_NewRef(object, nullptr);
  if (reference == nullptr)
    PyErr_Clear();
  objects_.push_back(reference != nullptr ? pycompat::Ref::Steal(reference) : pycompat::Ref::Share(object));
  return Operand(static_cast<const void*>(objects_.back().get()));
}

bool PyProbe::IsObject(Object object, const Instruction& i) noexcept {
  auto* expected = static_cast<PyObject*>(const_cast<void*>(i.operand.pointer));
  if (expected == object)
    return true;
  PyObject* target = nullptr;
  return PyWeakref_CheckRefExact(expected) && TakeStep<model::Step::kWeakrefTarget>(expected, Operand(), nullptr, &target) &&
         target == object;
}

bool PyProbe::SubclassOf(Object type, const Instruction& i) noexcept {
  PyObject* mro = PyType_Check(type) ? reinterpret_cast<PyTypeObject*>(type)->tp_mro : nullptr;
  if (mro == nullptr)
    return false;
  auto* slot = static_cast<TypeSlot*>(const_cast<void*>(i.operand.pointer));
  for (Py_ssize_t place = 0; place < PyTuple_GET_SIZE(mro); ++place)
    if (slot->Matches(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(mro, place))))
      return true;
  return false;
}

bool PyProbe::IntValue(Object object, int64_t* out) noexcept {
  int overflow = 0;
  if (!PyLong_CheckExact(object))
    return false;
  *out = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

bool PyProbe::WordFact(model::Fact fact, Object object, int64_t* out) noexcept {
  const model::FactValue value = ReadFact(fact, object);
  *out = static_cast<int64_t>(value.word);
  return value.known;
}

PyObject* FindRoot(model::Step step, uint32_t index, const model::Constant& key, const LiveFrame* frames, size_t count) {
  PyProbe probe(frames, count);
  LinkedConstant linked;
  linked.value = key;
  PyProbe::Instruction instruction;
  instruction.operand =
      model::OperandOf(step) == model::StepOperand::kKey ? Operand(static_cast<const void*>(&linked)) : Operand(uint64_t{index});
  PyObject* to = nullptr;
  switch (step) {
#define FRAMEGATE_STEP(number, name, text, shape, doc)          \
  case model::Step::name:                                       \
    if constexpr (model::IsRoot(model::Step::name))             \
      probe.Take<model::Step::name>(nullptr, instruction, &to); \
    break;
#include "model/steps.def"
#undef FRAMEGATE_STEP
  }
  return to;
}

}  // namespace framegate::client
