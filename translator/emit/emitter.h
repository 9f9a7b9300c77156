// Writes the entry of a finished segment: graph, forward, new code, links, plan, guards. One use, one thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "translator/emit/assembler.h"
#include "translator/emit/graph_writer.h"
#include "translator/ops/interp.h"

namespace framegate::translator {

class Emitter {
 public:
  Emitter(Session& session, Interp& interp);

  // How the segment ended.
  absl::StatusOr<model::Entry> Returned(V value);
  absl::StatusOr<model::Entry> Broke(model::BreakPlan plan, V exception);

  // Set where some value cannot be rebuilt; the statuses above are then FailedPrecondition.
  const std::string& problem() const { return problem_; }

 private:
  // What emission will load, before anything is emitted: graph outputs, cycles.
  void Scan(V value);
  void ScanParts(V value);
  void ScanState(const model::BreakPlan& plan, V exception);

  void CallGraph();
  // Lies in a slot of new code, whether it is kept or not.
  bool IsParameter(SubjectId subject) const;
  void LoadInput(SubjectId subject, uint32_t dimension);
  void LoadTerm(uint32_t number);
  void LoadSymbol(SymbolValue* symbol);
  size_t EarlyEffects() const;
  bool FindWritten(model::Entry* entry) const;
  void ReplayEffects(size_t end);
  void FinishEffects();
  void Load(V value);
  void LoadReal(V value);
  void LoadConstant(V value, const Constant& constant);
  void LoadSequence(SequenceValue* value);
  void LoadMapping(MappingValue* value);
  void LoadSet(SetValue* value);
  void LoadFunction(FunctionValue* value);
  void LoadMethod(MethodValue* value);
  void LoadObject(ObjectValue* value);
  void LoadTypeParameter(ObjectValue* value);
  void LoadTypeAlias(ObjectValue* value);
  void LoadEvaluator(V function, V result);
  void SetTraceback(ObjectValue* exception);
  void LoadAttribute(V object, const char* name, size_t next);
  void LoadTraceback(ObjectValue* value);
  void LoadCell(CellValue* value);
  void LoadIterator(IteratorValue* value);
  void LoadView(ViewValue* value);
  void LoadPartial(PartialValue* value);
  void LoadGenerator(GeneratorValue* value);
  bool LoadAsIterator(GeneratorValue* value);
  void LoadType(TypeValue* value);
  void LoadDeque(SequenceValue* value, TypeValue* type);
  void RestateGenerator(GeneratorValue* value);
  void LoadMade(V value);
  void LoadValue(V value);
  // Puts parts into what was made and remembered: at once, or, where a part leads back to it, once the value asked for is whole.
  void Fill(V value, std::function<void()> fill);
  void LoadItems(const Values& items);
  void Remember(V value);  // the top of the stack is the value: keep it in a local
  void SetAttributes(V value, const std::vector<std::pair<std::string, V>>& attributes);
  void LoadState(const model::BreakPlan& plan);

  uint32_t KeepLocal(SubjectId subject);
  uint32_t LinkLocal(model::LinkSlot link);
  uint32_t HelperLocal(model::Helper helper);
  uint32_t SymbolLocal(const std::string& symbol);
  uint32_t NewLocal(std::string name);
  void CallHelper(model::Helper helper, const std::function<void()>& arguments, uint32_t count);
  void Construct(const char* name, const std::function<void()>& arguments, uint32_t count);  // model/constructors.def

  void Problem(std::string what) {
    if (problem_.empty())
      problem_ = std::move(what);
  }

  absl::StatusOr<model::Entry> Finish(std::vector<model::BreakPlan> plans);
  bool GuardOwnDict(V object, V dict);
  absl::Status Guard(model::Entry* entry);

  Session& s_;
  Interp& in_;
  Assembler code_;
  GraphWriter graph_;
  std::vector<std::string> locals_;
  uint32_t parameters_ = 0;           // locals that hold arguments, slots and stack cells
  std::vector<uint32_t> frame_base_;  // continuation: first local of each frame
  std::vector<model::LinkSlot> links_;
  absl::flat_hash_map<std::string, uint32_t> link_locals_;
  absl::flat_hash_map<SubjectId, uint32_t> keeps_;
  absl::flat_hash_map<V, uint32_t> remembered_;
  absl::flat_hash_map<uint32_t, uint32_t> term_locals_;
  absl::flat_hash_map<V, int> state_;  // 1 being scanned, 2 scanned
  absl::flat_hash_set<V> cyclic_;
  size_t replayed_ = 0;                       // effects
  std::vector<V> path_;                       // being scanned
  std::vector<std::function<void()>> later_;  // parts of what was made that may lead back to it
  int depth_ = 0;
  std::vector<uint32_t> residuals_;  // per effect: local of its result
  uint32_t graph_outputs_ = 0;       // local of the first graph output
  std::string problem_;
  bool breaks_ = false;  // what is loaded goes on in the frame
};

}  // namespace framegate::translator
