#include "client_ext/dispatch/code_extra.h"

#include "client_ext/region/region.h"

namespace framegate::client {

bool CodeExtra::Init() {
  index_ = pycompat::RequestExtraIndex(Free);
  return index_ >= 0;
}

// Made where there is none; null where memory is short.
CodeExtra* CodeExtra::Of(PyCodeObject* code) {
  auto* extra = static_cast<CodeExtra*>(pycompat::ExtraOf(code, index_));
  if (extra != nullptr)
    return extra;
  extra = new CodeExtra(code);
  if (pycompat::SetExtra(code, index_, extra))
    return extra;
  delete extra;
  return nullptr;
}

Site* CodeExtra::AddSite(PyCodeObject* code, Region* region) {
  CodeExtra* extra = Of(code);
  if (extra == nullptr)
    return nullptr;
  auto site = std::make_shared<Site>();
  site->region = region;
  extra->sites_.emplace_back(region, site.get());
  return (region->roots[code] = std::move(site)).get();
}

void CodeExtra::RemoveSite(PyCodeObject* code, const Region* region) {
  std::erase_if(Of(code)->sites_, [region](const auto& each) { return each.first == region; });
}

PyCodeObject* CodeExtra::Patched(PyCodeObject* code, uint32_t offset, std::string_view instructions) {
  CodeExtra* extra = Of(code);
  if (extra == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  pycompat::Ref& copy = extra->patched_[offset];
  if (!copy) {
    const uint32_t place = offset == UINT32_MAX ? 0 : offset;
    copy = pycompat::Ref::Steal(reinterpret_cast<PyObject*>(pycompat::NewPatchedCode(code, place, instructions, 1)));
  }
  return reinterpret_cast<PyCodeObject*>(copy.get());
}

// The code object dies. Its sites' owners drop them; what that frees may run Python code, so nothing here is used after.
void CodeExtra::Free(void* pointer) {
  const std::unique_ptr<CodeExtra> extra(static_cast<CodeExtra*>(pointer));
  if (extra == nullptr)
    return;
  std::vector<std::shared_ptr<Site>> dead;
  for (const auto& [region, site] : extra->sites_) {
    const auto found = region->roots.find(extra->code_);
    found->second->region = nullptr;
    dead.push_back(std::move(found->second));
    region->roots.erase(found);
  }
}

}  // namespace framegate::client
