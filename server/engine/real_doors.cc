#include "base/strings.h"
#include "guards/passes/lower.h"
#include "guards/program/read_set.h"
#include "server/engine/doors.h"

namespace framegate::server {
namespace {

// The code of the unit's outermost frame: sent along, known from before, or asked for.
absl::StatusOr<std::shared_ptr<const model::CodeImage>> RootOf(const model::Unit& unit, translator::CodeStore& codes,
                                                               translator::Asker& asker) {
  if (unit.frames.empty())
    return absl::InvalidArgumentError("a unit without frames");
  const model::CodeId& id = unit.frames[0].code;
  if (auto image = codes.Find(id))
    return image;
  ASSIGN_OR_RETURN(model::Answers answers, asker.Ask({.items = {{.kind = model::QuestionKind::kCode, .code = id}}}));
  if (answers.items[0].code.size() != 1 || model::IdOf(*answers.items[0].code[0]) != id)
    return absl::InvalidArgumentError(StrCat("the client does not have the code ", id.Hex(), " of its own unit"));
  codes.Add(answers.items[0].code[0]);
  return answers.items[0].code[0];
}

}  // namespace

Doors RealDoors() {
  auto codes = std::make_shared<translator::CodeStore>();
  Doors doors;
  doors.translate = [codes](translator::Request request, const CodeImages& images,
                            translator::Asker& asker) -> absl::StatusOr<model::Entry> {
    for (const auto& image : images)
      codes->Add(image);
    ASSIGN_OR_RETURN(auto root, RootOf(request.unit, *codes, asker));
    request.version = root->version;
    return translator::Translate(request, *codes, asker);
  };
  doors.code = [codes](const model::CodeId& id) { return codes->Find(id); };
  doors.programs.judge = [](const model::Summary& facts) { return guards::SummaryJudge(facts); };
  doors.programs.read_set = [](std::string_view program) -> absl::StatusOr<guards::ReadSet> {
    ASSIGN_OR_RETURN(guards::Program decoded, guards::DecodeProgram(program));
    return guards::ReadSetOf(decoded);
  };
  doors.programs.explain = [](const model::Summary& facts, std::string_view program) {
    return guards::SummaryJudge(facts).Explain(program);
  };
  return doors;
}

}  // namespace framegate::server
