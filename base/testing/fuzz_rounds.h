// How long a fuzz test goes on, and its random numbers. Tests only.
//     FRAMEGATE_FUZZ_SECONDS    of each fuzz test; 25 where it is not set, as in CI
//     FRAMEGATE_FUZZ_ROUNDS     instead: how many rounds
//     FRAMEGATE_FUZZ_SEED       other rounds than those of seed 1
#pragma once

#include <cstdint>
#include <cstdlib>

#include <chrono>

namespace framegate {

// SplitMix64 (Steele, Lea, Flood, 2014): small, fast, and the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // In [0, bound). REQUIRES: bound > 0.
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>((Next() >> 32) * bound >> 32); }

  bool OneIn(uint32_t count) { return Below(count) == 0; }

 private:
  uint64_t state_;
};

class FuzzRounds {
 public:
  FuzzRounds()
      : most_(Setting("FRAMEGATE_FUZZ_ROUNDS", 0)), end_(Clock::now() + std::chrono::seconds(Setting("FRAMEGATE_FUZZ_SECONDS", 25))) {}

  static uint64_t Seed() { return Setting("FRAMEGATE_FUZZ_SEED", 1); }

  // Counts a round; false where there have been enough.
  bool Next() {
    constexpr uint64_t kBetweenLooks = 256;
    if (most_ > 0 ? rounds_ == most_ : rounds_ % kBetweenLooks == 0 && Clock::now() >= end_)
      return false;
    ++rounds_;
    return true;
  }

  uint64_t rounds() const { return rounds_; }

 private:
  using Clock = std::chrono::steady_clock;

  static uint64_t Setting(const char* name, uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
  }

  const uint64_t most_;
  const Clock::time_point end_;
  uint64_t rounds_ = 0;
};

}  // namespace framegate
