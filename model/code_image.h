// A code object by value. Instructions are de-specialised, inline caches are zero. Immutable once shared. Thread-compatible.
#pragma once

#include <string>
#include <vector>

#include "base/fields.h"
#include "base/hash.h"
#include "model/constant.h"

namespace framegate::model {

using CodeId = Hash128;

struct CodeImage {
  PyVersion version = PyVersion::k311;
  std::string name;
  std::string qualname;
  uint32_t argcount = 0;  // positional, positional-only ones included
  uint32_t posonlyargcount = 0;
  uint32_t kwonlyargcount = 0;
  uint32_t flags = 0;  // CO_*
  uint32_t stacksize = 0;
  std::string code;  // co_code: two bytes a unit
  std::vector<Constant> consts;
  std::vector<std::string> names;
  std::vector<std::string> localsplusnames;
  std::string localspluskinds;  // one byte a slot: CO_FAST_LOCAL 0x20, CO_FAST_CELL 0x40, CO_FAST_FREE 0x80, CO_FAST_HIDDEN 0x10
  std::string exceptiontable;
  // Not part of the identity: where it was written.
  std::string filename;
  int32_t firstlineno = 0;
  std::string linetable;

  size_t units() const { return code.size() / 2; }

  size_t nlocalsplus() const { return localsplusnames.size(); }

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    VisitIdentity(v, s);
    v("filename", s.filename);
    v("firstlineno", s.firstlineno);
    v("linetable", s.linetable);
  }

  // The fields that the code id hashes.
  template <typename V, typename S>
  static void VisitIdentity(V& v, S& s) {
    v("version", s.version);
    v("name", s.name);
    v("qualname", s.qualname);
    v("argcount", s.argcount);
    v("posonlyargcount", s.posonlyargcount);
    v("kwonlyargcount", s.kwonlyargcount);
    v("flags", s.flags);
    v("stacksize", s.stacksize);
    v("code", s.code);
    v("consts", s.consts);
    v("names", s.names);
    v("localsplusnames", s.localsplusnames);
    v("localspluskinds", s.localspluskinds);
    v("exceptiontable", s.exceptiontable);
  }
};

bool operator==(const CodeImage& a, const CodeImage& b);

// Hash of the identity fields; nested code objects count by their own identity.
CodeId IdOf(const CodeImage& image);

}  // namespace framegate::model
