#include "base/strings.h"
#include "proto/wire/contract.h"
#include "server/service/service.h"

namespace framegate::server {

Service::Unary* Service::Lookup(Context* context, const Bytes* in, Bytes* out) {
  return Respond<v1::LookupRequest, v1::LookupReply>(
      context, in, out, [this](const v1::LookupRequest& request, v1::LookupReply* reply) -> absl::Status {
        ASSIGN_OR_RETURN(model::KeyMaterial material, DecodeKey(request.key_material(), stats_));
        model::Summary facts;
        if (absl::Status status = Decode(request.facts(), &facts); request.has_facts() && !status.ok()) {
          stats_->Add(Metric::kMalformed);
          return absl::InvalidArgumentError(StrCat("facts: ", std::string(status.message())));
        }
        CacheKey key = KeyOfMaterial(material);
        Found found = cache_->Find(key, request.has_facts() ? &facts : nullptr, 0, wire::kMaxCandidates);
        // Too many to choose from without facts; or with facts that may have been too few, since
        // entries have come since they were asked for.
        bool wants_facts = request.has_facts() ? found.entries.empty() && found.candidates > 0 : found.candidates > wire::kMaxCandidates;
        if (wants_facts)
          reply->set_read_set(cache_->ReadSetOf(key));
        // Room for the rest of the message; the best entries come first.
        uint64_t room = settings_.reply_bytes - std::min<uint64_t>(settings_.reply_bytes, reply->read_set().size() + 1024);
        for (const EntryPtr& entry : found.entries) {
          if (entry->bytes.size() + 16 > room)
            break;
          room -= entry->bytes.size() + 16;
          reply->add_entries(entry->bytes);
        }
        reply->set_candidates(static_cast<uint32_t>(found.candidates));
        reply->set_horizon(found.horizon);
        stats_->Add(Metric::kLookups);
        stats_->Add(Metric::kLookupHits, reply->entries_size() > 0 ? 1 : 0);
        stats_->Add(Metric::kEntriesSent, static_cast<uint64_t>(reply->entries_size()));
        return absl::OkStatus();
      });
}

}  // namespace framegate::server
