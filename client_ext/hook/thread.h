// What the client keeps per thread. Read on every hooked call, so it is plain data in static thread-local storage. GIL held.
#pragma once

#include <cstdint>

namespace framegate::client {

struct Region;
struct Entering;

// What a call does where no installed entry fits. columns: name, text
#define FRAMEGATE_STANCES(STANCE)                 \
  STANCE(kDefault, "default")                     \
  STANCE(kForceEager, "force_eager")              \
  STANCE(kEagerOnRecompile, "eager_on_recompile") \
  STANCE(kFailOnRecompile, "fail_on_recompile")   \
  STANCE(kEagerThenCompile, "eager_then_compile")

enum class Stance : uint8_t {
#define FRAMEGATE_STANCE(name, text) name,
  FRAMEGATE_STANCES(FRAMEGATE_STANCE)
#undef FRAMEGATE_STANCE
};

struct Thread {
  Region* live = nullptr;              // borrowed: whoever made it live holds it; null: no frame is looked at
  const Entering* entering = nullptr;  // what the next frame, a stub's, is turned into (drive/enter.h)
  bool direct = false;                 // the next frame is the one that the region's callable asked for
  const void* failed = nullptr;        // the entry whose graph has just raised and which runs again as written
  uint64_t entries_run = 0;            // new code that was entered
  bool skip_guard_eval = false;
  Stance stance = Stance::kDefault;
};

extern constinit thread_local Thread this_thread __attribute__((tls_model("initial-exec")));

}  // namespace framegate::client
