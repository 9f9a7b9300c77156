#include "client_ext/region/region.h"

#include <new>
#include <unordered_set>

#include "client_ext/dispatch/code_extra.h"
#include "client_ext/region/describe.h"
#include "structmember.h"

namespace framegate::client {

PyTypeObject* region_type = nullptr;

namespace {

using pycompat::Ref;

// More continuations than a program has breaks: some of its code is made anew all the time.
constexpr size_t kMaxContinuations = 4096;

std::unordered_set<Region*>& Regions() {
  static auto* regions = new std::unordered_set<Region*>;
  return *regions;
}

Region* Self(PyObject* object) {
  return reinterpret_cast<Region*>(object);
}

PyObject* New(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"options", nullptr};
  PyObject* options = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:Region", const_cast<char**>(names), &options))
    return nullptr;
  PyObject* object = type->tp_alloc(type, 0);
  if (object == nullptr)
    return nullptr;
  Region* region = Self(object);
  new (&region->options) RegionOptions;
  new (&region->roots) decltype(region->roots);
  new (&region->continuations) decltype(region->continuations);
  Regions().insert(region);
  if (!ParseRegionOptions(options, &region->options)) {
    Py_DECREF(object);
    return nullptr;
  }
  return object;
}

int VisitSite(const Site& site, visitproc visit, void* arg) {
  for (const auto& entry : site.entries)
    for (const LinkedObject& link : entry->links)
      Py_VISIT(link.object.get());
  return 0;
}

int Traverse(PyObject* object, visitproc visit, void* arg) {
  Region* self = Self(object);
  Py_VISIT(Py_TYPE(object));
  for (const Ref* member : {&self->options.dict, &self->options.backend, &self->options.guard_filter, &self->options.on_limit})
    Py_VISIT(member->get());
  for (const auto* sites : {&self->roots})
    for (const auto& [code, site] : *sites)
      if (const int stop = VisitSite(*site, visit, arg))
        return stop;
  for (const auto& [unit, site] : self->continuations)
    if (const int stop = VisitSite(*site, visit, arg))
      return stop;
  return 0;
}

int Clear(PyObject* object) {
  ResetRegion(Self(object));
  RegionOptions& options = Self(object)->options;
  for (Ref* member : {&options.dict, &options.backend, &options.guard_filter, &options.on_limit})
    member->reset();
  return 0;
}

void Dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  Region* self = Self(object);
  PyObject_GC_UnTrack(object);
  if (self->weakrefs != nullptr)
    PyObject_ClearWeakRefs(object);
  Clear(object);
  Regions().erase(self);
  std::destroy_at(&self->continuations);
  std::destroy_at(&self->roots);
  std::destroy_at(&self->options);
  type->tp_free(object);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

PyObject* Name(PyObject* object, void*) {
  return PyUnicode_FromString(Self(object)->options.name.c_str());
}

PyObject* OptionsDict(PyObject* object, void*) {
  PyObject* dict = Self(object)->options.dict.get();
  return dict == nullptr ? PyDict_New() : PyDict_Copy(dict);
}

PyObject* Reset(PyObject* object, PyObject*) {
  ResetRegion(Self(object));
  Py_RETURN_NONE;
}

PyObject* Entries(PyObject* object, PyObject*) {
  return DescribeEntries(*Self(object));
}

PyObject* Printed(PyObject* object, PyObject* id) {
  return PyUnicode_Check(id) ? PrintEntry(*Self(object), id) : PyErr_Format(PyExc_TypeError, "a compile id is a str");
}

PyMethodDef methods[] = {
    {"entries", Entries, METH_NOARGS, nullptr}, {"printed", Printed, METH_O, nullptr}, {"reset", Reset, METH_NOARGS, nullptr}, {}};
PyGetSetDef attributes[] = {{"name", Name, nullptr, nullptr, nullptr}, {"options", OptionsDict, nullptr, nullptr, nullptr}, {}};
PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(Region, weakrefs), READONLY, nullptr}, {}};

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(New)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
                       {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(Clear)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, attributes},
                       {Py_tp_members, members},
                       {0, nullptr}};
PyType_Spec spec = {"framegate._framegate.Region", sizeof(Region), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

}  // namespace

bool InitRegionType(PyObject* module) {
  region_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return region_type != nullptr && PyModule_AddType(module, region_type) == 0;
}

void ResetRegion(Region* region) {
  // Dropping a site may run Python code, so the maps are emptied first.
  auto roots = std::exchange(region->roots, {});
  auto continuations = std::exchange(region->continuations, {});
  for (auto& [code, site] : roots) {
    CodeExtra::RemoveSite(code, region);
    site->region = nullptr;
  }
  for (auto& [unit, site] : continuations)
    site->region = nullptr;
}

void ResetAllRegions() {
  std::vector<Ref> alive;
  for (Region* region : Regions())
    alive.push_back(Ref::Share(AsObject(region)));
  for (const Ref& region : alive)
    ResetRegion(Self(region.get()));
}

std::shared_ptr<Site> ContinuationSite(Region* region, const model::Unit& unit) {
  std::string key = Encode(unit);
  if (const auto found = region->continuations.find(key); found != region->continuations.end())
    return found->second;
  decltype(region->continuations) dropped;
  if (region->continuations.size() >= kMaxContinuations)
    std::swap(dropped, region->continuations);
  for (auto& [other, site] : dropped)
    site->region = nullptr;
  auto site = std::make_shared<Site>();
  site->region = region;
  site->unit = unit;
  region->continuations.emplace(std::move(key), site);
  return site;
}

model::Config ConfigOf(const Site& site) {
  const ProcessOptions& options = Options();
  model::Config config;
  config.dynamic = site.region->options.dynamic;
  if (config.dynamic == "auto")
    config.dynamic_subjects = site.dynamic_subjects;
  config.install_free_tensors = options.install_free_tensors;
  config.guard_nn_modules = options.guard_nn_modules;
  config.graphless = options.graphless != "never";
  config.instruction_budget = options.instruction_budget;
  config.inline_depth = options.inline_depth;
  return config;
}

uint32_t RecompileLimit(const Region& region) {
  return region.options.recompile_limit.value_or(Options().recompile_limit);
}

}  // namespace framegate::client
