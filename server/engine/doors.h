// The layers below, as the daemon uses them: a table of functions, so that tests put others in
// their place. The real ones are in engine/real_doors.cc. All must be thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "server/cache/cache.h"
#include "translator/translate.h"

namespace framegate::server {

using CodeImages = std::vector<std::shared_ptr<const model::CodeImage>>;

struct Doors {
  // translator::Translate, which keeps `images` for later requests; finds out request.version by
  // itself.
  std::function<absl::StatusOr<model::Entry>(translator::Request request, const CodeImages& images, translator::Asker& asker)> translate;
  // An image that translate has kept; null where it has not.
  std::function<std::shared_ptr<const model::CodeImage>(const model::CodeId&)> code;
  ProgramReader programs;
};

Doors RealDoors();

}  // namespace framegate::server
