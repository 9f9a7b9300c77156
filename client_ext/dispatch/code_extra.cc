#include "client_ext/dispatch/code_extra.h"

#include <opcode.h>

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

PyCodeObject* CodeExtra::Patched(PyCodeObject* code, Patch patch, uint32_t offset, uint8_t count, std::string_view instructions) {
  CodeExtra* extra = Of(code);
  if (extra == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  pycompat::Ref& copy = extra->patched_[uint64_t{offset} << 16 | uint64_t{count} << 8 | static_cast<uint64_t>(patch)];
  constexpr int kMoreStack = 2;  // what the instructions may need beyond what the code has
  if (!copy)
    copy = pycompat::Ref::Steal(reinterpret_cast<PyObject*>(pycompat::NewPatchedCode(code, offset, instructions, kMoreStack)));
  return reinterpret_cast<PyCodeObject*>(copy.get());
}

PyCodeObject* CodeExtra::WithoutHandlers(PyCodeObject* code) {
  return Patched(code, Patch::kNone, 0, 0, {});
}

PyCodeObject* CodeExtra::StoppingAt(PyCodeObject* code, uint32_t offset, uint32_t count) {
  const auto operand = static_cast<uint8_t>(count);
  const char stop[] = {static_cast<char>(BUILD_TUPLE), static_cast<char>(operand), static_cast<char>(RETURN_VALUE), 0};
  return Patched(code, Patch::kStop, offset, operand, {stop, sizeof stop});
}

PyCodeObject* CodeExtra::CallingAt(PyCodeObject* code, uint32_t offset) {
  char call[2 * (2 + INLINE_CACHE_ENTRIES_CALL)] = {static_cast<char>(CALL)};
  call[sizeof call - 2] = static_cast<char>(RETURN_VALUE);
  return Patched(code, Patch::kCall, offset, 0, {call, sizeof call});
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
