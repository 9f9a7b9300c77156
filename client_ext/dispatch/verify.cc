#include "client_ext/dispatch/verify.h"

#include "base/strings.h"
#include "client_ext/pycompat/version.h"
#include "client_ext/verify/bytecode.h"

namespace framegate::client {

namespace {

// Slots of all frames in a row, each frame's stack cells after its slots; or a root's arguments.
void ExpectSlots(const LiveUnit& live, bool continuation, ExpectedCode* expected) {
  if (continuation) {
    for (const LiveFrame& frame : live.frames) {
      for (uint32_t i = 0; i < frame.slot_count; ++i)
        expected->slots.push_back(frame.slots[i] == nullptr ? SlotContent::kEmpty : SlotContent::kObject);
      for (uint32_t i = 0; i < frame.depth; ++i)
        expected->slots.push_back(frame.stack[i] == nullptr ? SlotContent::kEmpty : SlotContent::kObject);
    }
    return;
  }
  const PyCodeObject* code = live.frames.front().code;
  expected->argcount = static_cast<uint32_t>(code->co_argcount);
  expected->posonlyargcount = static_cast<uint32_t>(code->co_posonlyargcount);
  expected->kwonlyargcount = static_cast<uint32_t>(code->co_kwonlyargcount);
  expected->star_flags = static_cast<uint32_t>(code->co_flags) & (CO_VARARGS | CO_VARKEYWORDS);
  const uint32_t arguments =
      expected->argcount + expected->kwonlyargcount + ((code->co_flags & CO_VARARGS) != 0) + ((code->co_flags & CO_VARKEYWORDS) != 0);
  expected->slots.assign(arguments, SlotContent::kObject);
}

absl::Status ExpectKept(const model::Entry& entry, const std::vector<uint32_t>& kept, ExpectedCode* expected) {
  for (uint32_t slot : kept) {
    if (slot >= entry.code.image.nlocalsplus())
      return absl::InvalidArgumentError("an object is kept for a slot that is not there");
    if (slot >= expected->slots.size())
      expected->slots.resize(slot + 1, SlotContent::kEmpty);
    if (expected->slots[slot] != SlotContent::kEmpty)
      return absl::InvalidArgumentError("an object is kept for a slot that is full");
    expected->slots[slot] = SlotContent::kObject;
  }
  return absl::OkStatus();
}

absl::Status VerifyBodies(const model::Entry& entry, const std::vector<model::GraphBlob>& graphs) {
  for (const model::GraphBlob& graph : graphs) {
    if (graph.body >= entry.bodies.size())
      return absl::InvalidArgumentError("a graph has no code");
    RETURN_IF_ERROR(VerifyCode(entry.bodies[graph.body], ExpectForward(entry, graph, pycompat::kVersion)));
    RETURN_IF_ERROR(VerifyBodies(entry, graph.graphs));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyEntry(const model::Entry& entry, const std::vector<uint32_t>& kept, const LiveUnit& live, bool continuation) {
  ExpectedCode expected;
  expected.version = pycompat::kVersion;
  expected.origin_units = static_cast<uint32_t>(Py_SIZE(live.frames.front().code));
  ExpectSlots(live, continuation, &expected);
  RETURN_IF_ERROR(ExpectKept(entry, kept, &expected));
  RETURN_IF_ERROR(ExpectLinks(entry.links, &expected));
  RETURN_IF_ERROR(VerifyCode(entry.code, expected));
  if (!entry.graph)
    return absl::OkStatus();
  RETURN_IF_ERROR(model::VerifyGraph(*entry.graph));
  RETURN_IF_ERROR(VerifyBodies(entry, entry.graph->graphs));
  return VerifyCode(entry.forward, ExpectForward(entry, *entry.graph, pycompat::kVersion));
}

}  // namespace framegate::client
