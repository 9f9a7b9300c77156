// Both bodies of a fact whose value is a word, from one function bool name(PyObject*, uint64_t*) noexcept. Private to facts/.
#pragma once

#include "client_ext/observe/facts.h"

#define FRAMEGATE_WORD_FACT(fact, reader)                                                       \
  template <>                                                                                   \
  bool ReadFact<model::Fact::fact>(PyObject * object, model::FactValue * value) {               \
    return reader(object, &value->word);                                                        \
  }                                                                                             \
  template <>                                                                                   \
  bool FactIs<model::Fact::fact>(PyObject * object, Operand operand, uint16_t*) noexcept {      \
    uint64_t word = 0;                                                                          \
    return reader(object, &word) && guards::WordMatches(model::Fact::fact, operand.word, word); \
  }
