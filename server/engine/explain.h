// Units and misses in words. Thread-safe: pure functions.
#pragma once

#include <string>

#include "guards/program/program.h"
#include "model/entry.h"
#include "server/stats/report.h"

namespace framegate::server {

// Qualified name of the outermost frame's code, with "+offset" for a continuation; its id where `root` is null.
std::string NameOf(const model::Unit& unit, const model::CodeImage* root);

// `root` gives names to slots; null: they have numbers.
MissReport ReportOf(const model::Entry& entry, std::string name, const guards::Failure& failure, const model::CodeImage* root);

}  // namespace framegate::server
