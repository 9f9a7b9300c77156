#include "server/cache/stored_entry.h"

#include "base/strings.h"

namespace framegate::server {
namespace {

std::string Describe(const model::Entry& entry) {
  std::string text;
  if (entry.original)
    text = StrCat("original: ", EnumText(entry.reason));
  else if (entry.graph)
    text = StrCat("graph of ", entry.graph->nodes.size(), " nodes");
  else
    text = "no graph";
  for (const model::BreakPlan& plan : entry.plans)
    text += StrCat(", break: ", EnumText(plan.reason));
  return text;
}

EntryPtr Make(const model::Entry& entry, std::string bytes, std::string unit, int64_t created_ms) {
  auto stored = std::make_shared<StoredEntry>();
  stored->content = HashBytes(bytes);
  stored->bytes = std::move(bytes);
  stored->program = entry.program;
  stored->unit = std::move(unit);
  stored->summary = Describe(entry);
  stored->created_ms = created_ms;
  stored->used_ms = created_ms;
  return stored;
}

}  // namespace

std::string_view BytesOf(const Hash128& hash) {
  return {reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()};
}

Hash128 HashFromBytes(std::string_view bytes) {
  Hash128 hash;
  if (bytes.size() == hash.bytes.size())
    memcpy(hash.bytes.data(), bytes.data(), bytes.size());
  return hash;
}

CacheKey KeyOfMaterial(const model::KeyMaterial& material) {
  return {model::KeyOf(material), Encode(material)};
}

EntryPtr MakeStored(const model::Entry& entry, std::string unit, int64_t now_ms) {
  return Make(entry, Encode(entry), std::move(unit), now_ms);
}

absl::StatusOr<EntryPtr> StoredFromBytes(std::string bytes, std::string unit, int64_t created_ms) {
  model::Entry entry;
  RETURN_IF_ERROR(Decode(bytes, &entry));
  return Make(entry, std::move(bytes), std::move(unit), created_ms);
}

}  // namespace framegate::server
