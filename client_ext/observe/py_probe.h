// The probe that evaluates on live objects. Its pool is what a program's constants, types and checks became in this process.
// GIL held. Evaluation runs no Python code, allocates no Python object, keeps no reference.
#pragma once

#include "client_ext/pycompat/observe_type.h"

#include <memory>
#include <string>
#include <vector>

#include "client_ext/capture/handles.h"
#include "client_ext/observe/constants.h"
#include "client_ext/observe/facts.h"
#include "client_ext/observe/live_unit.h"
#include "client_ext/observe/names.h"
#include "client_ext/observe/steps.h"
#include "client_ext/observe/symbols.h"
#include "client_ext/pycompat/exceptions.h"
#include "client_ext/torch_bridge/table.h"
#include "guards/program/link.h"

namespace framegate::client {

// A type by name, pinned to the pointer met last. A version tag tells a type that went away from another one at its address; types that
// are not made at run time do not go away.
struct TypeSlot {
  std::string name;
  PyTypeObject* type = nullptr;
  uint32_t version = 0;
  bool is_static = false;

  // The slow way: compares names, and pins the type where they are equal.
  bool Pin(PyTypeObject* candidate) noexcept;

  bool Matches(PyTypeObject* candidate) noexcept {
    if (candidate == type && (is_static || (version != 0 && candidate->tp_version_tag == version)))
      return true;
    return Pin(candidate);
  }
};

class PyProbe {
 public:
  using Object = PyObject*;
  using Instruction = guards::LinkedInstruction<PyProbe>;

  class Pool {
   public:
    explicit Pool(const HandleTable* handles) : handles_(handles) {}

    ~Pool();
    Pool(Pool&&) = default;
    Pool& operator=(Pool&&) = delete;

    absl::StatusOr<Operand> Key(model::Step step, const model::Constant& key);
    absl::StatusOr<Operand> Expected(model::Fact fact, const model::Constant& value);
    absl::StatusOr<Operand> Ambient(const std::vector<std::pair<uint8_t, model::Constant>>& parts);
    absl::StatusOr<Operand> Type(const std::string& name);
    absl::StatusOr<Operand> Tensor(const guards::TensorCheck& check);
    absl::StatusOr<Operand> Hash(const Hash128& hash);
    absl::StatusOr<Operand> Object(uint64_t handle);

   private:
    absl::StatusOr<Operand> Link(const model::Constant& value, bool as_object);

    const HandleTable* handles_;
    std::vector<std::unique_ptr<LinkedConstant>> constants_;
    std::vector<std::unique_ptr<TypeSlot>> types_;
    std::vector<std::unique_ptr<Hash128>> hashes_;
    std::vector<TensorPattern*> tensor_patterns_;
    std::vector<AmbientPattern*> ambient_patterns_;
    std::vector<pycompat::Ref> objects_;  // weak references to them where they can be had
  };

  PyProbe(const LiveFrame* frames, size_t count) : frames_(frames), count_(count) {}

  const LiveFrame& frame() const { return *frames_; }

  template <model::Step S>
  bool Take(Object from, const Instruction& i, Object* to) noexcept {
    if constexpr (model::IsRoot(S))
      return TakeRoot<S>(i.operand, to);
    else
      return TakeStep<S>(from, i.operand, &i.hint, to);
  }

  template <model::Fact F>
  bool Is(Object object, const Instruction& i) noexcept {
    return FactIs<F>(object, i.operand, &i.hint);
  }

  bool Lacks(model::Fact fact, Object object) noexcept { return !ReadFact(fact, object).known; }

  bool TypeIs(Object object, const Instruction& i) noexcept {
    return static_cast<TypeSlot*>(const_cast<void*>(i.operand.pointer))->Matches(Py_TYPE(object));
  }

  bool SubclassOf(Object type, const Instruction& i) noexcept;
  bool IsObject(Object object, const Instruction& i) noexcept;

  int FailingAmbient(const Instruction& i) noexcept {
    return Torch() == nullptr ? 0 : Torch()->failing_ambient(static_cast<AmbientPattern*>(const_cast<void*>(i.operand.pointer)));
  }

  // With the flags that change without a new version.
  uint64_t TypeVersion(Object object) noexcept {
    if (!PyType_Check(object))
      return 0;
    const auto* type = reinterpret_cast<PyTypeObject*>(object);
    const uint64_t version = pycompat::VersionTag(type);
    constexpr unsigned long kLoose = Py_TPFLAGS_SEQUENCE | Py_TPFLAGS_MAPPING | Py_TPFLAGS_IS_ABSTRACT;
    return version == 0 ? 0 : version | uint64_t{type->tp_flags & kLoose} << 32;
  }

  bool Size(Object tensor, uint32_t dimension, int64_t* out) noexcept {
    return Torch() != nullptr && Torch()->tensor_size(tensor, dimension, out);
  }

  bool Stride(Object tensor, uint32_t dimension, int64_t* out) noexcept {
    return Torch() != nullptr && Torch()->tensor_stride(tensor, dimension, out);
  }

  bool StorageOffset(Object tensor, int64_t* out) noexcept { return Torch() != nullptr && Torch()->tensor_offset(tensor, out); }

  bool IntValue(Object object, int64_t* out) noexcept;
  bool WordFact(model::Fact fact, Object object, int64_t* out) noexcept;

 private:
  template <model::Step S>
  bool TakeRoot(Operand operand, Object* to) noexcept;

  const LiveFrame* frames_;
  size_t count_;
};

// A root of a unit by value of the step, for what is not evaluation; null where there is none.
PyObject* FindRoot(model::Step step, uint32_t index, const model::Constant& key, const LiveFrame* frames, size_t count);

template <>
inline bool PyProbe::TakeRoot<model::Step::kSlot>(Operand operand, Object* to) noexcept {
  const uint32_t pair = static_cast<uint32_t>(operand.word), frame = model::FrameOf(pair), slot = model::IndexOf(pair);
  if (frame < count_ && slot < frames_[frame].slot_count)
    *to = frames_[frame].slots[slot];
  return true;
}

template <>
inline bool PyProbe::TakeRoot<model::Step::kStack>(Operand operand, Object* to) noexcept {
  const uint32_t pair = static_cast<uint32_t>(operand.word), frame = model::FrameOf(pair), cell = model::IndexOf(pair);
  if (frame < count_ && cell < frames_[frame].depth)
    *to = frames_[frame].stack[cell];
  return true;
}

template <>
inline bool PyProbe::TakeRoot<model::Step::kFunction>(Operand operand, Object* to) noexcept {
  if (operand.word < count_)
    *to = frames_[operand.word].function;
  return true;
}

template <>
inline bool PyProbe::TakeRoot<model::Step::kGlobals>(Operand operand, Object* to) noexcept {
  if (operand.word < count_)
    *to = frames_[operand.word].globals;
  return true;
}

template <>
inline bool PyProbe::TakeRoot<model::Step::kBuiltins>(Operand operand, Object* to) noexcept {
  if (operand.word < count_)
    *to = frames_[operand.word].builtins;
  return true;
}

template <>
inline bool PyProbe::TakeRoot<model::Step::kSysModule>(Operand operand, Object* to) noexcept {
  *to = FindModule(KeyOf(operand).value.text);
  return true;
}

template <>
inline bool PyProbe::TakeRoot<model::Step::kAmbient>(Operand, Object* to) noexcept {
  *to = AmbientObject();
  return true;
}

template <>
inline bool PyProbe::TakeRoot<model::Step::kHandled>(Operand, Object* to) noexcept {
  *to = pycompat::HandledAnywhere(PyThreadState_Get());
  return true;
}

template <>
inline bool PyProbe::TakeRoot<model::Step::kSymbol>(Operand operand, Object* to) noexcept {
  *to = FindSymbol(KeyOf(operand).value.text);
  return true;
}

}  // namespace framegate::client
