// Writes new code, instruction by instruction, for one CPython version: encodings, caches, stack size, origins. The code begins with RESUME
// and has no jumps and no source positions (the client makes them from the origins). What it can emit is what the client's verifier allows.
// One owner, one thread.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "model/entry.h"
#include "translator/pyver/decode.h"

namespace framegate::translator {

class Assembler {
 public:
  explicit Assembler(model::PyVersion version);

  // The unit offset in the outermost original code that the following instructions stand for.
  void SetOrigin(uint32_t unit_offset);

  uint32_t origin() const { return origin_; }

  void LoadFast(uint32_t slot);
  void StoreFast(uint32_t slot);
  void DeleteFast(uint32_t slot);  // the slot is known to be full
  void LoadConst(const model::Constant& constant);
  void LoadGlobal(std::string name);
  void LoadAttr(std::string name);
  void PopTop();
  void Copy(uint32_t depth);
  void Swap(uint32_t depth);

  void BuildTuple(uint32_t count);
  void BuildList(uint32_t count);
  void BuildSet(uint32_t count);
  void BuildMap(uint32_t pairs);
  void BuildSlice(uint32_t parts);
  void UnpackSequence(uint32_t count);

  void BinaryOp(int32_t nb_number);
  void UnaryOp(char op);       // '-', '~', '!' (not)
  void CompareOp(int32_t op);  // 0 < 1 <= 2 == 3 != 4 > 5 >=
  void IsOp(bool invert);
  void ContainsOp(bool invert);
  void BinarySubscr();
  // What makes type variables and type aliases; by the numbers of translator/pyver/intrinsics.def. REQUIRES: 3.12 or later.
  void Intrinsic(uint8_t operands, uint32_t number);

  // A call: Begin*, arguments, Call. The placement of NULL is the version's affair.
  void BeginCall(uint32_t callable_slot);  // callable in a fast local
  void BeginCallGlobal(std::string name);  // callable in globals
  void BeginMethod(std::string name);      // receiver on top of the stack
  void Call(uint32_t arguments);
  void CallKw(uint32_t arguments, std::vector<std::string> keywords);  // the last keywords.size() arguments

  void Return();

  struct Frame {
    std::string name, qualname, filename;
    int32_t firstlineno = 0;
    uint32_t argcount = 0, posonlyargcount = 0, kwonlyargcount = 0, flags = 0;
    std::vector<std::string> localsplusnames;  // all plain locals
  };

  // ResourceExhausted where the code needs more units, constants, names, slots or stack than the client accepts; Internal where what was
  // emitted takes more from the stack than it put there or does not end with Return.
  absl::StatusOr<model::NewCode> Finish(const Frame& frame) &&;

 private:
  struct Line {
    uint8_t opcode;
    uint32_t oparg;
    uint32_t origin;
  };

  // A raw instruction with the meaning of `instruction`; `pops` and `pushes` are its stack effect.
  void Emit(std::string_view name, Instruction instruction, uint32_t pops, uint32_t pushes);
  void Emit(std::string_view name, uint32_t arg, uint32_t pops, uint32_t pushes);
  void EmitCall(uint32_t arguments);
  uint32_t ConstIndex(const model::Constant& constant);
  uint32_t NameIndex(std::string name);
  absl::Status CheckLimits(const Frame& frame) const;

  model::PyVersion version_;
  uint32_t origin_ = UINT32_MAX;
  uint64_t depth_ = 0;
  uint64_t max_depth_ = 0;
  bool underflow_ = false;
  std::vector<Line> lines_;
  std::vector<model::Constant> consts_;
  std::vector<std::string> names_;
  absl::flat_hash_map<std::string, uint32_t> const_index_;  // by encoding
  absl::flat_hash_map<std::string, uint32_t> name_index_;
};

}  // namespace framegate::translator
