// The passes from a guard set to a program, in the order lower.cc runs them. Each keeps the meaning: what passes before passes after.
// Thread-safe: pure functions.
#pragma once

#include <vector>

#include "base/status.h"
#include "guards/ir/guard_set.h"
#include "guards/program/program.h"

namespace framegate::guards {

// Drops guards that another one before them repeats.
void Dedupe(GuardSet* set);

// Where every two of some subjects are guarded to be distinct, one guard says so of them all: as many checks as subjects, not as pairs.
void Group(GuardSet* set);

// Drops guards that follow from others.
void Imply(GuardSet* set);

// A run of guards that may become one slice: all follow from the type at `type`.
struct CheckRun {
  model::SubjectId type = model::kNoSubject;  // kNoSubject: not a slice
  std::vector<size_t> guards;
};

// All guards in the order of their checks: what fails most and costs least first, then along the tree of subjects.
std::vector<CheckRun> Order(const GuardSet& set);

// The subject that is a type whose slice may hold this subject's step, or kNoSubject.
model::SubjectId SliceTypeOf(const std::vector<model::SubjectNode>& subjects, model::SubjectId subject);

// Renames object registers so that one is used again once nothing reads it any more.
void AllocateRegisters(Program* program);

}  // namespace framegate::guards
