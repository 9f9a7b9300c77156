#include "client_ext/observe/py_probe.h"

#include "client_ext/observe/check_program.h"
#include "client_ext/observe/push/memos.h"

#include "base/strings.h"
#include "guards/program/seen.h"
#include "guards/program/verify.h"

namespace framegate::client {

namespace {

// Registers of the one evaluation that the GIL allows.
guards::Scratch<PyProbe>& Registers() {
  static guards::Scratch<PyProbe> registers;
  return registers;
}

std::string TypeText(PyObject* object) {
  std::string module, qualname;
  NameOfType(Py_TYPE(object), &module, &qualname);
  return guards::TypeRepr(StrCat(module, ":", qualname));
}

// Of live objects, for guards::Seen.
struct LiveTeller {
  std::string Absent(const guards::Instruction&) const { return "absent"; }

  std::string Fact(model::Fact fact, PyObject* object) const {
    const model::FactValue value = ReadFact(fact, object);
    if (value.known)
      return guards::Repr(value);
    model::Constant constant;  // of another kind than the fact is about: say what it is
    return FromPython(object, &constant) && constant.code.empty() ? model::Repr(constant) : StrCat("an object of type ", TypeText(object));
  }

  std::string Type(PyObject* object) const { return TypeText(object); }

  std::string Ambient(uint8_t part) const {
    const model::Constant ambient = Torch() == nullptr ? model::Constant() : Torch()->read_ambient();
    return part < ambient.items.size() ? model::Repr(ambient.items[part]) : "not known";
  }
};

}  // namespace

CheckProgram::CheckProgram() = default;
CheckProgram::~CheckProgram() = default;

absl::StatusOr<std::unique_ptr<CheckProgram>> CheckProgram::Link(std::string_view bytes, const HandleTable* handles) {
  std::unique_ptr<CheckProgram> made(new CheckProgram);
  ASSIGN_OR_RETURN(made->program_, guards::DecodeProgram(bytes));
  RETURN_IF_ERROR(guards::Verify(made->program_).ToStatus());
  ASSIGN_OR_RETURN(auto linked, guards::Linked<PyProbe>::Link(made->program_, PyProbe::Pool(handles)));
  made->linked_ = std::make_unique<guards::Linked<PyProbe>>(std::move(linked));
  Registers().Reserve(*made->linked_);
  made->memos_ = std::make_unique<Memos>(*made->linked_);
  return made;
}

guards::Verdict CheckProgram::Evaluate(const LiveFrame* frames, size_t frame_count, PyObject** kept) const noexcept {
  PyProbe probe(frames, frame_count);
  return guards::Evaluate(*linked_, probe, Registers(), kept);
}

bool CheckProgram::Passes(const LiveFrame* frames, size_t frame_count, PyObject** kept) const noexcept {
  return memos_->Pass(frames, frame_count, Registers(), kept);
}

const std::vector<uint32_t>& CheckProgram::keep_slots() const {
  return linked_->keep_slots();
}

CheckProgram::Miss CheckProgram::Explain(uint32_t instruction, const LiveFrame* frames, size_t frame_count) const {
  const guards::Instruction& failed = program_.instructions[instruction];
  const bool is_ambient = failed.op == static_cast<uint8_t>(guards::CheckOp::kCheckAmbient);
  Miss miss{.subject = program_.subjects[instruction], .expected = guards::Expectation(program_, instruction), .actual = "as expected"};
  if (is_ambient)
    miss.ambient = model::EnumText(static_cast<model::AmbientPart>(failed.sub));
  std::vector<PyObject*> kept(keep_slots().size());
  // Evaluated once more: the registers then hold what the failing instruction looked at.
  const guards::Verdict verdict = Evaluate(frames, frame_count, kept.data());
  if (verdict.pass || verdict.instruction != instruction)
    return miss;
  miss.actual = guards::Seen(failed, Registers(), LiveTeller());
  return miss;
}

}  // namespace framegate::client
