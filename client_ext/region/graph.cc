#include "client_ext/region/graph.h"

#include <iterator>
#include <new>
#include <utility>

#include "client_ext/capture/code.h"
#include "client_ext/link/forward.h"
#include "client_ext/link/symbols.h"
#include "client_ext/pycompat/ref.h"
#include "structmember.h"

namespace framegate::client {

namespace {

using model::GraphArg;
using model::GraphNode;
using pycompat::Ref;

PyTypeObject* graph_type = nullptr;
PyTypeObject* node_ref_type = nullptr;

struct NodeRef {
  PyObject_HEAD Py_ssize_t index;
};

struct Graph {
  PyObject_HEAD std::shared_ptr<const model::Entry> entry;
  std::string compile_id;
  std::vector<std::vector<std::string>> slot_names;
  PyObject* forward;  // made on first use
  std::vector<Condition> conditions;
  bool closed;  // to conditions
};

Graph* Self(PyObject* object) {
  return reinterpret_cast<Graph*>(object);
}

const model::GraphBlob& BlobOf(PyObject* object) {
  return *Self(object)->entry->graph;
}

PyObject* Text(const std::string& text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

long long Index(uint32_t index) {
  return index == UINT32_MAX ? -1 : static_cast<long long>(index);
}

PyObject* NewNodeRef(Py_ssize_t index) {
  PyObject* object = node_ref_type->tp_alloc(node_ref_type, 0);
  if (object != nullptr)
    reinterpret_cast<NodeRef*>(object)->index = index;
  return object;
}

PyObject* Argument(const GraphArg& arg);

PyObject* Sequence(const std::vector<GraphArg>& items, bool list) {
  const auto size = static_cast<Py_ssize_t>(items.size());
  Ref made = Ref::Steal(list ? PyList_New(size) : PyTuple_New(size));
  for (Py_ssize_t i = 0; made && i < size; ++i) {
    PyObject* item = Argument(items[static_cast<size_t>(i)]);
    if (item == nullptr)
      return nullptr;
    if (list)
      PyList_SET_ITEM(made.get(), i, item);
    else
      PyTuple_SET_ITEM(made.get(), i, item);
  }
  return made.release();
}

PyObject* Mapping(const GraphArg& arg) {
  Ref dict = Ref::Steal(PyDict_New());
  for (size_t i = 0; dict && i < arg.items.size() && i < arg.keys.size(); ++i) {
    const Ref key = Ref::Steal(ToPython(arg.keys[i]));
    const Ref value = key ? Ref::Steal(Argument(arg.items[i])) : Ref();
    if (!value || PyDict_SetItem(dict.get(), key.get(), value.get()) != 0)
      return nullptr;
  }
  return dict.release();
}

PyObject* Slice(const GraphArg& arg) {
  const Ref parts = Ref::Steal(Sequence(arg.items, false));
  if (!parts || PyTuple_GET_SIZE(parts.get()) != 3)
    return nullptr;
  return PySlice_New(PyTuple_GET_ITEM(parts.get(), 0), PyTuple_GET_ITEM(parts.get(), 1), PyTuple_GET_ITEM(parts.get(), 2));
}

PyObject* Argument(const GraphArg& arg) {
  switch (arg.kind) {
    case model::ArgKind::kNode:
      return NewNodeRef(static_cast<Py_ssize_t>(arg.node));
    case model::ArgKind::kConstant:
      return ToPython(arg.constant);
    case model::ArgKind::kTuple:
      return Sequence(arg.items, false);
    case model::ArgKind::kList:
      return Sequence(arg.items, true);
    case model::ArgKind::kDict:
      return Mapping(arg);
    case model::ArgKind::kSlice:
      return Slice(arg);
    case model::ArgKind::kSymbol:
      return NewSymbolReference(arg.symbol);
    case model::ArgKind::kGraph:  // numbered from -1 down
      return NewNodeRef(-1 - static_cast<Py_ssize_t>(arg.node));
  }
  return nullptr;
}

PyObject* Target(const GraphNode& node) {
  return node.op == model::NodeOp::kCallFunction ? NewSymbolReference(node.target) : Text(node.target);
}

PyObject* NodeTuple(const GraphNode& node) {
  const Ref target = Ref::Steal(Target(node));
  const Ref args = target ? Ref::Steal(Sequence(node.args, false)) : Ref();
  const Ref kwargs = args ? Ref::Steal(PyDict_New()) : Ref();
  if (!kwargs)
    return nullptr;
  for (const auto& [name, arg] : node.kwargs) {
    const Ref value = Ref::Steal(Argument(arg));
    if (!value || PyDict_SetItemString(kwargs.get(), name.c_str(), value.get()) != 0)
      return nullptr;
  }
  const std::string op(EnumText(node.op));
  return Py_BuildValue("(s N O O O L L)", op.c_str(), Text(node.name), target.get(), args.get(), kwargs.get(), Index(node.position),
                       Index(node.module_stack));
}

// A list of what `make` gives for each element.
template <typename T, typename F>
PyObject* ListOf(const std::vector<T>& elements, F make) {
  Ref list = Ref::Steal(PyList_New(0));
  for (const T& element : elements) {
    const Ref item = list ? Ref::Steal(make(element)) : Ref();
    if (!item || PyList_Append(list.get(), item.get()) != 0)
      return nullptr;
  }
  return list.release();
}

PyObject* Nodes(PyObject* object, PyObject*) {
  return ListOf(BlobOf(object).nodes, NodeTuple);
}

PyObject* Positions(PyObject* object, PyObject*) {
  return ListOf(BlobOf(object).positions, [](const model::Position& position) {
    return Py_BuildValue("(L N N i)", Index(position.caller), Text(position.filename), Text(position.function), position.line);
  });
}

PyObject* ModuleStacks(PyObject* object, PyObject*) {
  return ListOf(BlobOf(object).module_stacks, [](const model::ModuleScope& scope) {
    return Py_BuildValue("(L N N)", Index(scope.parent), Text(scope.path), Text(scope.type));
  });
}

PyObject* Placeholders(PyObject* object, PyObject*) {
  const Graph* self = Self(object);
  const model::GraphBlob& blob = BlobOf(object);
  Ref list = Ref::Steal(PyList_New(0));
  for (size_t i = 0; list && i < blob.inputs.size() && i < blob.nodes.size(); ++i) {
    const std::string path =
        blob.inputs[i] == model::kNoSubject ? "" : model::SubjectPath(self->entry->subjects, blob.inputs[i], self->slot_names);
    const uint32_t size = i < blob.sizes.size() && blob.sizes[i] != model::kNumber ? blob.sizes[i] : model::kWhole;
    const Ref item = Ref::Steal(Py_BuildValue("(N N N L)", Text(blob.nodes[i].name), Text(blob.nodes[i].target), Text(path), Index(size)));
    if (!item || PyList_Append(list.get(), item.get()) != 0)
      return nullptr;
  }
  return list.release();
}

// One of `inputs` inputs that is a size or an int, a number, or an operation on words before it.
bool ReadWord(PyObject* object, size_t inputs, size_t before, ConditionWord* word) {
  const char* name = nullptr;
  long long left = 0, right = 0;
  if (!PyTuple_Check(object) || !PyArg_ParseTuple(object, "sLL", &name, &left, &right))
    return false;
  const auto within = [](long long place, size_t end) { return place >= 0 && static_cast<size_t>(place) < end; };
  bool valid = false;
  if (std::string_view(name) == "word") {
    word->value = left;
    return true;
  }
  if (std::string_view(name) == "input") {
    word->op = guards::CheckOp::kWordSize;
    valid = within(left, inputs);
  } else {
    valid = EnumFromText(name, &word->op) && guards::ShapeOf(word->op) == guards::OperandShape::kWWW && within(left, before) &&
            within(right, before);
  }
  word->left = static_cast<uint32_t>(left);
  word->right = static_cast<uint32_t>(right);
  if (!valid)
    PyErr_Format(PyExc_ValueError, "%s is no such word", name);
  return valid;
}

bool ReadCondition(PyObject* object, size_t inputs, Condition* condition) {
  constexpr Py_ssize_t kMostWords = 1000;
  if (!PyList_Check(object) || PyList_GET_SIZE(object) == 0 || PyList_GET_SIZE(object) > kMostWords) {
    PyErr_SetString(PyExc_ValueError, "a condition is a list of words, and not too many");
    return false;
  }
  condition->resize(static_cast<size_t>(PyList_GET_SIZE(object)));
  for (size_t i = 0; i < condition->size(); ++i)
    if (!ReadWord(PyList_GET_ITEM(object, static_cast<Py_ssize_t>(i)), inputs, i, &(*condition)[i]))
      return false;
  return true;
}

PyObject* Require(PyObject* object, PyObject* conditions) {
  Graph* self = Self(object);
  if (self->closed)
    Py_RETURN_FALSE;
  const Ref list = Ref::Steal(PySequence_Fast(conditions, "conditions are a list"));
  std::vector<Condition> read(list ? static_cast<size_t>(PySequence_Fast_GET_SIZE(list.get())) : 0);
  for (size_t i = 0; i < read.size(); ++i)
    if (!ReadCondition(PySequence_Fast_GET_ITEM(list.get(), static_cast<Py_ssize_t>(i)), BlobOf(object).sizes.size(), &read[i]))
      return nullptr;
  if (!list)
    return nullptr;
  std::move(read.begin(), read.end(), std::back_inserter(self->conditions));
  Py_RETURN_TRUE;
}

PyObject* Forward(PyObject* object, void*) {
  Graph* self = Self(object);
  if (self->forward == nullptr)
    self->forward = NewForward(*self->entry);
  return Py_XNewRef(self->forward);
}

// (nodes, function, bodies of its own) of each function that nodes are given.
PyObject* BodiesOf(const std::vector<model::GraphBlob>& graphs, PyObject* globals) {
  return ListOf(graphs, [globals](const model::GraphBlob& graph) -> PyObject* {
    const Ref nodes = Ref::Steal(ListOf(graph.nodes, NodeTuple));
    const Ref inner = nodes ? Ref::Steal(BodiesOf(graph.graphs, globals)) : Ref();
    PyObject* function = inner ? PyDict_GetItemString(globals, model::NameOfBody(graph.body).c_str()) : nullptr;
    return function == nullptr ? nullptr : PyTuple_Pack(3, nodes.get(), function, inner.get());
  });
}

PyObject* Bodies(PyObject* object, PyObject*) {
  const Ref forward = Ref::Steal(Forward(object, nullptr));
  return forward ? BodiesOf(BlobOf(object).graphs, PyFunction_GetGlobals(forward.get())) : nullptr;
}

PyObject* CompileId(PyObject* object, void*) {
  return Text("[" + Self(object)->compile_id + "_0]");
}

int Traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(Self(object)->forward);
  return 0;
}

int Clear(PyObject* object) {
  Py_CLEAR(Self(object)->forward);
  return 0;
}

void Dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Clear(object);
  Graph* self = Self(object);
  std::destroy_at(&self->entry);
  std::destroy_at(&self->compile_id);
  std::destroy_at(&self->slot_names);
  std::destroy_at(&self->conditions);
  type->tp_free(object);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

void DeallocRef(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

PyMethodDef methods[] = {{"nodes", Nodes, METH_NOARGS, nullptr},
                         {"placeholders", Placeholders, METH_NOARGS, nullptr},
                         {"positions", Positions, METH_NOARGS, nullptr},
                         {"module_stacks", ModuleStacks, METH_NOARGS, nullptr},
                         {"bodies", Bodies, METH_NOARGS, nullptr},
                         {"require", Require, METH_O, nullptr},
                         {}};
PyGetSetDef attributes[] = {{"forward", Forward, nullptr, nullptr, nullptr}, {"compile_id", CompileId, nullptr, nullptr, nullptr}, {}};
PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
                       {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(Clear)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, attributes},
                       {0, nullptr}};
PyType_Spec spec = {"framegate._framegate.Graph", sizeof(Graph), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

PyMemberDef ref_members[] = {{"index", T_PYSSIZET, offsetof(NodeRef, index), READONLY, nullptr}, {}};
PyType_Slot ref_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(DeallocRef)}, {Py_tp_members, ref_members}, {0, nullptr}};
PyType_Spec ref_spec = {"framegate._framegate.NodeRef", sizeof(NodeRef), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        ref_slots};

}  // namespace

bool InitGraphTypes(PyObject* module) {
  graph_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  node_ref_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&ref_spec));
  return graph_type != nullptr && node_ref_type != nullptr && PyModule_AddType(module, graph_type) == 0 &&
         PyModule_AddType(module, node_ref_type) == 0 && InitGraphCallType();
}

PyObject* NewGraph(std::shared_ptr<const model::Entry> entry, std::string compile_id, std::vector<std::vector<std::string>> slot_names) {
  PyObject* object = graph_type->tp_alloc(graph_type, 0);
  if (object == nullptr)
    return nullptr;
  Graph* self = Self(object);
  new (&self->entry) std::shared_ptr<const model::Entry>(std::move(entry));
  new (&self->compile_id) std::string(std::move(compile_id));
  new (&self->slot_names) std::vector<std::vector<std::string>>(std::move(slot_names));
  new (&self->conditions) std::vector<Condition>;
  return object;
}

std::vector<Condition> TakeConditions(PyObject* graph) {
  Self(graph)->closed = true;
  return std::exchange(Self(graph)->conditions, {});
}

}  // namespace framegate::client
