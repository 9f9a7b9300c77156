#include "client_ext/capture/observe_unit.h"

#include <map>

#include "client_ext/capture/observer.h"
#include "client_ext/observe/py_probe.h"
#include "client_ext/observe/symbols.h"
#include "client_ext/torch_bridge/table.h"

namespace framegate::client {

namespace {

using model::Fact;
using model::Step;
using model::Summary;

class UnitObserver {
 public:
  UnitObserver(const LiveUnit& unit, HandleTable& handles) : unit_(unit), handles_(handles), observer_(handles) {}

  Summary Run(std::vector<PyCodeObject*>* code) {
    for (const LiveFrame& frame : unit_.frames)
      observer_.UseNames(frame.code);
    for (uint32_t i = 0; i < unit_.frames.size(); ++i)
      AddFrame(i, unit_.frames[i]);
    AddRoot(Step::kAmbient, 0, AmbientObject(), 0);
    PyObject* handled = FindRoot(Step::kHandled, 0, {}, nullptr, 0);
    summary_.roots.push_back({.step = Step::kHandled, .target = observer_.Visit(handled, kArgumentDepth)});
    AddKnownSymbols();
    summary_.records = observer_.Drain();
    if (code != nullptr)
      *code = observer_.code();
    return std::move(summary_);
  }

 private:
  void AddRoot(Step step, uint32_t index, PyObject* object, int depth) {
    if (object != nullptr)
      summary_.roots.push_back({.step = step, .index = index, .target = observer_.Visit(object, depth)});
  }

  void AddKnownSymbols() {
    static constexpr const char* kSymbols[] = {
#define FRAMEGATE_KNOWN_SYMBOL(symbol) symbol,
#include "client_ext/capture/known_symbols.def"
#undef FRAMEGATE_KNOWN_SYMBOL
    };
    for (const char* symbol : kSymbols) {
      PyObject* object = FindSymbol(symbol);
      if (object == nullptr)
        continue;
      model::Root root{.step = Step::kSymbol, .key = model::Constant::Str(symbol)};
      if (PyType_Check(object)) {
        observer_.Mention(reinterpret_cast<PyTypeObject*>(object));
        root.target = handles_.Add(object);
      } else {
        root.target = observer_.Visit(object, 0);
      }
      summary_.roots.push_back(std::move(root));
    }
  }

  void AddFrame(uint32_t number, const LiveFrame& frame) {
    for (uint32_t slot = 0; slot < frame.slot_count; ++slot)
      AddRoot(Step::kSlot, model::PairIndex(number, slot), frame.slots[slot], kArgumentDepth);
    for (uint32_t cell = 0; cell < frame.depth; ++cell)
      AddRoot(Step::kStack, model::PairIndex(number, cell), frame.stack[cell], kArgumentDepth);
    AddRoot(Step::kFunction, number, frame.function, kArgumentDepth);
    AddRoot(Step::kGlobals, number, frame.globals, 0);
    AddRoot(Step::kBuiltins, number, frame.builtins, 0);
    observer_.VisitGlobals(frame.code, frame.globals, frame.builtins, kArgumentDepth - 1);
  }

  const LiveUnit& unit_;
  HandleTable& handles_;
  Observer observer_;
  Summary summary_;
};

// Just the subjects and facts of a read-set.
class ReadSetObserver {
 public:
  ReadSetObserver(const guards::ReadSet& read_set, const LiveUnit& unit, HandleTable& handles)
      : read_set_(read_set), unit_(unit), handles_(handles) {}

  Summary Run() {
    std::vector<PyObject*> found(read_set_.subjects.size(), nullptr);
    for (size_t i = 0; i < read_set_.subjects.size(); ++i)
      found[i] = Follow(read_set_.subjects[i], found);
    for (const auto& [subject, fact] : read_set_.facts)
      if (subject < found.size() && found[subject] != nullptr)
        AddFact(found[subject], fact);
    for (auto& [handle, record] : records_)
      summary_.records.push_back(std::move(record));
    return std::move(summary_);
  }

 private:
  PyObject* Follow(const model::SubjectNode& node, const std::vector<PyObject*>& found) {
    if (model::IsRoot(node.step)) {
      PyObject* object = FindRoot(node.step, node.index, node.key, unit_.frames.data(), unit_.frames.size());
      summary_.roots.push_back({.step = node.step, .index = node.index, .key = node.key, .target = handles_.Add(object)});
      return object;
    }
    PyObject *from = node.parent < found.size() ? found[node.parent] : nullptr, *to = nullptr;
    if (from == nullptr || !TakeKeyedStep(node.step, node.index, node.key, from, &to))
      return nullptr;
    AddEdge(from, node.step, node.index, node.key, to);
    return to;
  }

  void AddEdge(PyObject* from, Step step, uint32_t index, const model::Constant& key, PyObject* to) {
    Record(from).edges.push_back({.step = step, .index = index, .key = key, .target = handles_.Add(to)});
  }

  void AddFact(PyObject* object, Fact fact) {
    Record(object).facts.push_back(ReadFact(fact, object));
    if (fact != Fact::kMroLength || !PyType_Check(object))
      return;
    // Who asks for the MRO's length wants its names.
    PyObject* base = nullptr;
    for (uint32_t place = 0; TakeStep(Step::kMro, object, Operand(uint64_t{place}), &base) && base != nullptr; ++place) {
      AddEdge(object, Step::kMro, place, {}, base);
      Record(base).facts.push_back(ReadFact(Fact::kTypeName, base));
    }
  }

  model::ObjectRecord& Record(PyObject* object) {
    const model::Handle handle = handles_.Add(object);
    model::ObjectRecord& record = records_[handle];
    record.handle = handle;
    return record;
  }

  const guards::ReadSet& read_set_;
  const LiveUnit& unit_;
  HandleTable& handles_;
  Summary summary_;
  std::map<model::Handle, model::ObjectRecord> records_;
};

}  // namespace

Summary ObserveUnit(const LiveUnit& unit, HandleTable& handles, std::vector<PyCodeObject*>* code) {
  LoadTorch();
  return UnitObserver(unit, handles).Run(code);
}

Summary ObserveReadSet(const guards::ReadSet& read_set, const LiveUnit& unit, HandleTable& handles) {
  LoadTorch();
  return ReadSetObserver(read_set, unit, handles).Run();
}

}  // namespace framegate::client
