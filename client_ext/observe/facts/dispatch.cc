#include "client_ext/observe/facts.h"

namespace framegate::client {

model::FactValue ReadFact(model::Fact fact, PyObject* object) {
  model::FactValue value{.fact = fact, .known = false};
  switch (fact) {
#define FRAMEGATE_FACT(number, name, text, shape, doc)         \
  case model::Fact::name:                                      \
    value.known = ReadFact<model::Fact::name>(object, &value); \
    break;
#include "model/facts.def"
#undef FRAMEGATE_FACT
  }
  if (!value.known)
    value = {.fact = fact, .known = false};
  return value;
}

PyObject* AmbientObject() {
  static PyObject* const object = PyUnicode_FromString("the ambient state");
  return object;
}

}  // namespace framegate::client
