#include "client_ext/capture/answer.h"

#include "base/strings.h"
#include "client_ext/capture/code.h"
#include "client_ext/capture/observer.h"
#include "client_ext/capture/oracle.h"
#include "client_ext/capture/pure_calls.h"
#include "client_ext/observe/py_probe.h"

namespace framegate::client {

namespace {

using model::AnswerItem;
using model::Question;
using model::QuestionKind;

// What is met on the way is described with its contents, and with theirs.
constexpr int kAnswerDepth = 2;

// A function makes the dict of its annotations when somebody asks for it first, which new code then does: it is made before what a check
// sees.
void MakeAnnotations(PyObject* object) {
  if (!PyFunction_Check(object))
    return;
  auto* function = reinterpret_cast<PyFunctionObject*>(object);
  if (PyFunction_GetAnnotations(object) == nullptr && !PyErr_Occurred())
    function->func_annotations = PyDict_New();
  PyErr_Clear();
}

class Answering {
 public:
  explicit Answering(HandleTable& handles) : handles_(handles), observer_(handles) {}

  absl::StatusOr<model::Answers> Run(const model::Questions& questions, std::vector<PyCodeObject*>* code) {
    model::Answers answers;
    for (const Question& question : questions.items) {
      ASSIGN_OR_RETURN(AnswerItem item, Answer(question));
      answers.items.push_back(std::move(item));
    }
    answers.records = observer_.Drain();
    if (code != nullptr)
      *code = observer_.code();
    return answers;
  }

 private:
  absl::StatusOr<AnswerItem> Answer(const Question& question) {
    switch (question.kind) {
      case QuestionKind::kStep:
        return TakeStepOf(question);
      case QuestionKind::kFact: {
        ASSIGN_OR_RETURN(PyObject * object, Find(question.object));
        return AnswerItem{.fact = ReadFact(question.fact, object)};
      }
      case QuestionKind::kRoot:
        return AnswerItem{.target = observer_.Visit(FindRoot(question.step, question.index, question.key, nullptr, 0), kAnswerDepth)};
      case QuestionKind::kExpand: {
        ASSIGN_OR_RETURN(PyObject * object, Find(question.object));
        return AnswerItem{.target = observer_.Visit(object, kArgumentDepth)};
      }
      case QuestionKind::kCode:
        return SendCode(question);
      case QuestionKind::kCall:
        if (question.object != model::kAbsent)
          RETURN_IF_ERROR(Find(question.object).status());
        return CallPure(question, handles_, observer_);
      case QuestionKind::kMeta:
        return AskOracle(question, handles_);
    }
    return absl::InvalidArgumentError("an unknown kind of question");
  }

  absl::StatusOr<PyObject*> Find(model::Handle handle) const {
    PyObject* object = handles_.Find(handle);
    if (object == nullptr)
      return absl::InvalidArgumentError(StrCat("a question names handle ", handle, ", of ", handles_.size()));
    return object;
  }

  absl::StatusOr<AnswerItem> TakeStepOf(const Question& question) {
    ASSIGN_OR_RETURN(PyObject * object, Find(question.object));
    PyObject* target = nullptr;
    if (question.step == model::Step::kFuncAnnotations)
      MakeAnnotations(object);
    TakeKeyedStep(question.step, question.index, question.key, object, &target);
    return AnswerItem{.target = observer_.Visit(target, kAnswerDepth)};
  }

  absl::StatusOr<AnswerItem> SendCode(const Question& question) {
    AnswerItem item;
    if (question.object != model::kAbsent) {
      ASSIGN_OR_RETURN(PyObject * function, Find(question.object));
      observer_.Visit(function, kArgumentDepth);
    }
    PyCodeObject* code = FindCode(question.code);
    if (code == nullptr)
      return item;
    if (auto image = ImageOf(code); image.ok())
      item.code = {*image};
    return item;
  }

  HandleTable& handles_;
  Observer observer_;
};

}  // namespace

absl::StatusOr<model::Answers> AnswerQuestions(const model::Questions& questions, HandleTable& handles, std::vector<PyCodeObject*>* code) {
  return Answering(handles).Run(questions, code);
}

}  // namespace framegate::client
