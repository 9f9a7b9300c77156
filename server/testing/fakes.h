// What the daemon's tests use in place of the layers below: check programs that are a text, units
// that are a name, folders that go away.
//   program ""        passes always
//   program "12 34"   passes on a summary that has records of the handles 12 and 34
#pragma once

#include <stdlib.h>

#include <string>

#include "base/strings.h"
#include "server/cache/cache.h"
#include "server/engine/doors.h"

namespace framegate::server {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    char name[] = "/tmp/fg-test-XXXXXX";
    path_ = mkdtemp(name);
  }

  ~TemporaryFolder() { (void)!system(StrCat("rm -rf ", path_).c_str()); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::vector<model::Handle> HandlesOf(std::string_view program) {
  std::vector<model::Handle> handles;
  for (std::string_view rest = program; !rest.empty();) {
    size_t space = rest.find(' ');
    model::Handle handle = 0;
    ParseInteger(rest.substr(0, space), &handle);
    handles.push_back(handle);
    rest = space == std::string_view::npos ? "" : rest.substr(space + 1);
  }
  return handles;
}

inline std::shared_ptr<const model::CodeImage> NoCode(const model::CodeId&) {
  return nullptr;
}

inline ProgramReader FakePrograms() {
  ProgramReader reader;
  reader.judge = [](const model::Summary& facts) {
    return [&facts](std::string_view program) -> absl::StatusOr<bool> {
      for (model::Handle handle : HandlesOf(program)) {
        bool found = false;
        for (const model::ObjectRecord& record : facts.records)
          found = found || record.handle == handle;
        if (!found)
          return false;
      }
      return true;
    };
  };
  reader.read_set = [](std::string_view program) -> absl::StatusOr<guards::ReadSet> {
    guards::ReadSet read_set;
    for (model::Handle handle : HandlesOf(program))
      read_set.subjects.push_back({.step = model::Step::kSlot, .index = handle});
    return read_set;
  };
  reader.explain = [judge = reader.judge](const model::Summary& facts, std::string_view program) -> ProgramReader::Explained {
    ASSIGN_OR_RETURN(const bool passes, judge(facts)(program));
    return passes ? std::nullopt : std::optional(guards::Failure{.expected = std::string(program), .seen = "something else"});
  };
  return reader;
}

inline model::KeyMaterial MaterialOf(std::string name) {
  model::KeyMaterial material;
  material.schema = model::SchemaHash();
  material.unit.frames.push_back({.code = HashBytes(name)});
  material.python = "cpython 3.11";
  return material;
}

inline CacheKey KeyNamed(std::string name) {
  return KeyOfMaterial(MaterialOf(std::move(name)));
}

// `detail` makes entries differ that have one program.
inline model::Entry EntryOf(std::string program, std::string detail = "") {
  model::Entry entry;
  entry.program = std::move(program);
  entry.detail = std::move(detail);
  return entry;
}

inline EntryPtr StoredOf(std::string program, std::string detail = "") {
  return MakeStored(EntryOf(std::move(program), std::move(detail)), "unit", 1);
}

inline model::Summary SummaryOf(std::vector<model::Handle> handles) {
  model::Summary summary;
  for (model::Handle handle : handles)
    summary.records.push_back({.handle = handle});
  return summary;
}

}  // namespace framegate::server
