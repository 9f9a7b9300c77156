// Describes objects in records, as deep as the expansion policy says (observer.cc). Owned by one call; the handle table remembers how deep
// each object has been described before. GIL held; runs no Python code.
#pragma once

#include "client_ext/pycompat/python.h"

#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "client_ext/capture/handles.h"
#include "client_ext/observe/facts.h"
#include "model/summary.h"

namespace framegate::client {

// Levels of containers and objects below an argument that are described with their contents.
inline constexpr int kArgumentDepth = 3;

class Observer {
 public:
  explicit Observer(HandleTable& handles) : handles_(handles) {}

  // Gives the object a handle; it is described by Drain to `depth` levels, unless it has been already.
  model::Handle Visit(PyObject* object, int depth);
  // Attributes by the names that a code object and those nested in it use are described where they are met.
  void UseNames(PyCodeObject* code);
  // The globals and builtins that a code uses, as items of these dicts.
  void VisitGlobals(PyCodeObject* code, PyObject* globals, PyObject* builtins, int depth);

  // Types that the translator knows by name: what they are, not what they have.
  void Mention(PyTypeObject* type);

  // What is likely to be interpreted: code of the frames and of functions met.
  const std::vector<PyCodeObject*>& code() const { return code_; }

  // Describes what was visited, and what that leads to.
  std::vector<model::ObjectRecord> Drain();

 private:
  struct Work {
    PyObject* object;
    int depth;
  };

  void Describe(PyObject* object, int depth, model::ObjectRecord* record);
  void DescribeContainer(PyObject* object, int depth, model::ObjectRecord* record);
  void DescribeDict(PyObject* dict, int depth, model::ObjectRecord* record);
  void DescribeType(PyTypeObject* type, int depth, model::ObjectRecord* record);
  void DescribeFunction(PyObject* function, int depth, model::ObjectRecord* record);
  void DescribeModule(PyObject* module, model::ObjectRecord* record);
  void DescribeInstance(PyObject* object, int depth, model::ObjectRecord* record);
  void DescribeNetwork(PyObject* module, int depth, model::ObjectRecord* record);
  void DescribeParts(PyObject* object, int depth, model::ObjectRecord* record);

  void AddFact(model::Fact fact, PyObject* object, model::ObjectRecord* record);
  // Adds the edge; the target is visited to `depth`.
  void AddStep(model::Step step, uint32_t index, PyObject* from, int depth, model::ObjectRecord* record);
  void AddEdge(model::Step step, model::Constant key, PyObject* target, int depth, model::ObjectRecord* record);
  void AddMembersNamed(const std::vector<PyObject*>& names, PyObject* module, int levels);
  void AddMembers(PyObject* object, int depth, model::ObjectRecord* record);
  void AddAbsentAttributes(PyObject* object, model::ObjectRecord* record);
  void AddAbsentMembers(PyObject* module, model::ObjectRecord* record);
  void AddCode(PyCodeObject* code);
  // Of types that any code may name methods of: those that the code met so far names.
  void AddUsedMethods();
  const std::vector<PyObject*>& AttributesUsedOf(PyTypeObject* type);
  void AddTypeAttr(PyTypeObject* type, PyObject* name, bool if_absent, model::ObjectRecord* record);
  void AddMethodNames(PyObject* value, std::vector<PyObject*>* names);
  const std::vector<PyObject*>& NamesOf(PyCodeObject* code);

  HandleTable& handles_;
  std::deque<Work> work_;
  std::vector<PyObject*> names_;  // borrowed from code objects that live as long as this
  absl::flat_hash_set<PyObject*> known_names_;
  absl::flat_hash_map<PyCodeObject*, std::vector<PyObject*>> names_of_code_;
  absl::flat_hash_map<PyTypeObject*, std::vector<PyObject*>> attributes_used_;
  absl::flat_hash_set<std::pair<PyCodeObject*, PyObject*>> globals_done_;
  std::vector<PyCodeObject*> code_;
  absl::flat_hash_set<PyCodeObject*> code_known_;
  std::vector<PyTypeObject*> value_types_;
  absl::flat_hash_set<std::pair<PyTypeObject*, PyObject*>> methods_told_, absences_told_;
  absl::flat_hash_set<PyTypeObject*> mentioned_;
  std::vector<model::ObjectRecord> extra_;  // edges of dicts that are not described as a whole
  size_t records_ = 0;
};

}  // namespace framegate::client
