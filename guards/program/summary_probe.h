// The probe that evaluates on a summary instead of live objects. What the summary does not hold fails the check.
// Borrows the summary. Thread-compatible.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "guards/program/link.h"
#include "model/edge_index.h"
#include "model/summary.h"

namespace framegate::guards {

// The records of a summary, by handle.
class SummaryIndex {
 public:
  struct Node {
    model::Handle handle = model::kAbsent;
    std::vector<const model::FactValue*> facts;
    model::EdgeIndex edges;
  };

  explicit SummaryIndex(const model::Summary& summary);

  // False where the summary does not say. `from` is null for roots.
  bool Find(const Node* from, model::Step step, uint32_t index, const model::Constant& key, const Node** to) const;
  // Null where the summary does not say.
  static const model::FactValue* FindFact(const Node* node, model::Fact fact);

 private:
  // What the type's attribute under the name, and that one's type, tell of the step kDataDescriptor.
  bool FindDataDescriptor(const Node* type, const model::Constant& name, const Node** to) const;

  // Also of those that no record describes; they are nodes by then.
  absl::node_hash_map<model::Handle, Node> nodes_;
  Node roots_;
};

class SummaryProbe {
 public:
  using Object = const SummaryIndex::Node*;

  // What operands point to: copies of the program's pools.
  class Pool {
   public:
    absl::StatusOr<Operand> Key(model::Step step, const model::Constant& key) { return Own(key, step); }

    absl::StatusOr<Operand> Expected(model::Fact fact, const model::Constant& value) { return Own(value, fact); }

    absl::StatusOr<Operand> Ambient(const std::vector<std::pair<uint8_t, model::Constant>>& parts) { return Own(parts); }

    absl::StatusOr<Operand> Type(const std::string& name) { return Own(name); }

    absl::StatusOr<Operand> Tensor(const TensorCheck& check) { return Own(check); }

    absl::StatusOr<Operand> Hash(const Hash128& hash) { return Own(hash); }

    absl::StatusOr<Operand> Object(uint64_t handle) { return Operand(handle); }

   private:
    template <typename T, typename... Ignored>
    Operand Own(const T& value, Ignored...) {
      owned_.push_back(std::make_shared<T>(value));
      return Operand(owned_.back().get());
    }

    std::vector<std::shared_ptr<const void>> owned_;
  };

  using Instruction = LinkedInstruction<SummaryProbe>;

  explicit SummaryProbe(const SummaryIndex& index) : index_(index) {}

  template <model::Step S>
  bool Take(Object from, const Instruction& i, Object* to) noexcept {
    return TakeStep(S, from, i, to);
  }

  template <model::Fact F>
  bool Is(Object object, const Instruction& i) noexcept {
    return FactIs(F, object, i);
  }

  bool Lacks(model::Fact fact, Object object) noexcept;
  bool TypeIs(Object object, const Instruction& i) noexcept;
  bool SubclassOf(Object type, const Instruction& i) noexcept;

  bool IsObject(Object object, const Instruction& i) noexcept { return object->handle == i.operand.word; }

  int FailingAmbient(const Instruction& i) noexcept;

  uint64_t TypeVersion(Object) noexcept { return 0; }

  bool Size(Object tensor, uint32_t dimension, int64_t* out) noexcept;
  bool Stride(Object tensor, uint32_t dimension, int64_t* out) noexcept;
  bool StorageOffset(Object tensor, int64_t* out) noexcept;
  bool IntValue(Object object, int64_t* out) noexcept;
  bool WordFact(model::Fact fact, Object object, int64_t* out) noexcept;

 private:
  bool TakeStep(model::Step step, Object from, const Instruction& i, Object* to) noexcept;
  bool FactIs(model::Fact fact, Object object, const Instruction& i) noexcept;
  bool NameIs(Object type, const std::string& name) noexcept;

  const SummaryIndex& index_;
};

}  // namespace framegate::guards
