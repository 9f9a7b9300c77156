// What client and daemon agree on beside the messages of framegate/v1: versions, method names,
// limits and when a beat is missed. Constants; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace framegate::wire {

// Versions of the transport contract. Raised when a method's meaning changes, never for a new
// field.
inline constexpr uint32_t kProtoMin = 1;
inline constexpr uint32_t kProtoMax = 1;

// gRPC paths.
inline constexpr char kHello[] = "/framegate.v1.Framegate/Hello";
inline constexpr char kLookup[] = "/framegate.v1.Framegate/Lookup";
inline constexpr char kTranslate[] = "/framegate.v1.Framegate/Translate";

// Most entries in one LookupReply, and how many candidates a key may have before facts are wanted.
inline constexpr size_t kMaxCandidates = 4;

// Defaults of the message limits; HelloReply.limits tells what the daemon really takes.
inline constexpr uint64_t kMaxRequestBytes = 8 << 20;
inline constexpr uint64_t kMaxReplyBytes = 16 << 20;

// A Translate stream that waits gets a beat this often; after the second one that does not come the
// daemon is at fault.
inline constexpr int kBeatMs = 50;
inline constexpr int kFaultMs = 2 * kBeatMs + 20;

// Bytes a starting daemon writes to the descriptor of --ready-fd; anything else is an error text.
// Then it closes the descriptor.
inline constexpr char kReady[] = "ready\n";  // it accepts connections
inline constexpr char kBusy[] = "busy\n";    // another daemon holds this socket: connect to that one

}  // namespace framegate::wire
