#include "client_ext/dispatch/subjects.h"

#include "client_ext/observe/check_program.h"
#include "guards/program/builder.h"

namespace framegate::client {

namespace {

using model::SubjectId;
using model::SubjectNode;

// Takes the steps to `id` into registers of their own; gives the last one.
absl::StatusOr<uint16_t> AddPath(const std::vector<SubjectNode>& subjects, SubjectId id, guards::ProgramBuilder* builder) {
  uint16_t from = 0;
  if (subjects[id].parent != model::kNoSubject) {
    ASSIGN_OR_RETURN(from, AddPath(subjects, subjects[id].parent, builder));
  }
  const uint16_t to = builder->NewObject();
  ASSIGN_OR_RETURN([[maybe_unused]] const uint32_t at, builder->AddStep(subjects[id], false, from, to, id));
  return to;
}

// Runs what the builder holds; false where it cannot be linked or does not pass.
bool Passes(guards::ProgramBuilder* builder, const LiveUnit& live, PyObject** kept) {
  const auto program = CheckProgram::Link(guards::EncodeProgram(builder->Finish()), nullptr);
  return program.ok() && (*program)->Evaluate(live.frames.data(), live.frames.size(), kept).pass;
}

}  // namespace

std::vector<std::vector<std::string>> SlotNames(const LiveUnit& live) {
  std::vector<std::vector<std::string>> names;
  for (const LiveFrame& frame : live.frames) {
    std::vector<std::string>& slots = names.emplace_back();
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(frame.code->co_localsplusnames); ++i) {
      const char* text = PyUnicode_AsUTF8(PyTuple_GET_ITEM(frame.code->co_localsplusnames, i));
      if (text == nullptr)
        PyErr_Clear();
      slots.emplace_back(text == nullptr ? "?" : text);
    }
  }
  return names;
}

PyObject* FindSubject(const std::vector<SubjectNode>& subjects, SubjectId id, const LiveUnit& live) {
  guards::ProgramBuilder builder;
  if (id >= subjects.size())
    return nullptr;
  const absl::StatusOr<uint16_t> object = AddPath(subjects, id, &builder);
  if (!object.ok())
    return nullptr;
  builder.AddImm(guards::CheckOp::kKeep, 0, *object, 0, id);
  PyObject* kept = nullptr;
  return Passes(&builder, live, &kept) ? kept : nullptr;
}

bool TensorPasses(const std::vector<SubjectNode>& subjects, SubjectId id, const guards::TensorCheck& check, const LiveUnit& live) {
  guards::ProgramBuilder builder;
  if (id >= subjects.size())
    return false;
  const absl::StatusOr<uint16_t> object = AddPath(subjects, id, &builder);
  if (!object.ok())
    return false;
  builder.AddTensor(check, *object, id);
  return Passes(&builder, live, nullptr);
}

}  // namespace framegate::client
