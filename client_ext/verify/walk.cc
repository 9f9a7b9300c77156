#include "client_ext/verify/walk.h"

#include <algorithm>
#include <array>

#include "absl/container/flat_hash_set.h"
#include "base/strings.h"

namespace framegate::client {

namespace {

using model::Constant;
using model::ConstantKind;
using model::PyVersion;

constexpr int kVersions = 3;
constexpr int kMaxPrefixes = 3;
constexpr uint64_t kMaxPushes = uint64_t{1} << 24;  // unpacking and building again and again would take the square of the code's size

struct Cell {
  enum Kind : uint8_t { kNull, kObject, kCallable, kMethodPart };  // a method load makes two parts that only a call may take

  Kind kind = kNull;
  bool truth = false;     // the result of TO_BOOL
  int32_t keywords = -1;  // a constant tuple of this many different names

  // What intrinsics take without looking: a constant str; a tuple or None; a tuple of those two and something else.
  enum Part : uint8_t { kAny, kText, kTuple, kAlias };

  Part part = kAny;

  bool object() const { return kind == kObject || kind == kCallable; }
};

constexpr Cell kObject{Cell::kObject};

// How many different names a constant tuple holds; -1 where it is none.
int32_t Keywords(const Constant& constant) {
  absl::flat_hash_set<std::string> names;
  for (const Constant& item : constant.items)
    if (!item.is_str() || !names.insert(item.text).second)
      return -1;
  return constant.kind == ConstantKind::kTuple && !names.empty() ? static_cast<int32_t>(names.size()) : -1;
}

// Walks the code once. Check* apply one instruction; they return null or what is wrong.
class Interpreter {
 public:
  Interpreter(const model::CodeImage& image, const ExpectedCode& expected)
      : image_(image), expected_(expected), version_(static_cast<size_t>(expected.version) - static_cast<size_t>(PyVersion::k311)) {
    for (const Constant& constant : image.consts) {
      keywords_.push_back(Keywords(constant));
      parts_.push_back(constant.is_str()                                             ? Cell::kText
                       : constant.kind == ConstantKind::kTuple || constant.is_none() ? Cell::kTuple
                                                                                     : Cell::kAny);
    }
    slots_.resize(image.nlocalsplus());
    for (size_t i = 0; i < expected.slots.size(); ++i)
      slots_[i].kind = expected.slots[i] == SlotContent::kEmpty    ? Cell::kNull
                       : expected.slots[i] == SlotContent::kObject ? Cell::kObject
                                                                   : Cell::kCallable;
  }

  absl::Status Run() {
    while (unit_ < image_.units()) {
      uint32_t first = unit_;
      if (const char* wrong = Step())
        return absl::InvalidArgumentError(StrCat("bytecode: ", wrong, " at unit ", first));
    }
    return returned_ ? absl::OkStatus() : absl::InvalidArgumentError("bytecode: runs past its end");
  }

 private:
  using Check = const char* (Interpreter::*)(uint32_t);

  struct Allowed {
    Check check = nullptr;
    uint32_t below = 0;
    uint8_t caches = 0;
  };

  struct Row {
    Allowed allowed;
    std::array<int16_t, kVersions> numbers;
    std::array<uint8_t, kVersions> caches;
  };

  using Table = std::array<Allowed, 256>;

  static const Table& TableOf(size_t version) {
    static constexpr Row kRows[] = {
#define FRAMEGATE_ALLOWED_OP(name, rule, below, n311, c311, n312, c312, n313, c313) \
  {{&Interpreter::Check##rule, below}, {n311, n312, n313}, {c311, c312, c313}},
#include "client_ext/verify/allowed_ops.def"
#undef FRAMEGATE_ALLOWED_OP
    };
    static constexpr std::array<Table, kVersions> kTables = [] {
      std::array<Table, kVersions> tables{};
      for (const Row& row : kRows)
        for (size_t i = 0; i < kVersions; ++i)
          if (row.numbers[i] >= 0)
            tables[i][static_cast<size_t>(row.numbers[i])] = {row.allowed.check, row.allowed.below, row.caches[i]};
      return tables;
    }();
    return kTables[version];
  }

  bool since313() const {
    return expected_.version == PyVersion::k313;
  }

  const char* Step() {
    if (returned_)
      return "code after the return";
    uint32_t oparg = 0;
    const Allowed* allowed = nullptr;
    for (int prefixes = 0;; ++prefixes) {
      if (unit_ >= image_.units())
        return "an instruction is cut off";
      allowed = &TableOf(version_)[static_cast<uint8_t>(image_.code[2 * unit_])];
      oparg = oparg << 8 | static_cast<uint8_t>(image_.code[2 * unit_ + 1]);
      if (allowed->check == nullptr)
        return "an instruction that is not allowed";
      if (allowed->check != &Interpreter::CheckPrefix)
        break;
      if (prefixes == kMaxPrefixes || oparg == 0)
        return "a prefix too many";
      ++unit_;
    }
    if (allowed->below != 0 && oparg >= allowed->below)
      return "an operand out of range";
    if ((unit_ == 0) != (allowed->check == &Interpreter::CheckResume))
      return "RESUME is the first instruction and no other";
    if (call_names_ >= 0 || call_arguments_ >= 0)
      if (allowed->check != &Interpreter::CheckCall && allowed->check != &Interpreter::CheckPrecall)
        return "KW_NAMES or PRECALL without a call";
    if (const char* wrong = (this->*allowed->check)(oparg))
      return wrong;
    ++unit_;
    return SkipCaches(allowed->caches);
  }

  const char* SkipCaches(uint32_t count) {
    for (; count > 0; --count, ++unit_)
      if (unit_ >= image_.units() || image_.code[2 * unit_] != 0 || image_.code[2 * unit_ + 1] != 0)
        return "a cache is cut off or not zero";
    return nullptr;
  }

  const char* Push(Cell cell) {
    if (++pushes_ > kMaxPushes)
      return "more work than any real code makes";
    if (stack_.size() >= image_.stacksize)
      return "the stack is deeper than declared";
    stack_.push_back(cell);
    return nullptr;
  }

  const char* Pop(uint32_t count) {
    if (count > stack_.size())
      return "the stack is empty";
    for (; count > 0; --count) {
      if (!stack_.back().object())
        return "NULL or part of a method is used as an object";
      stack_.pop_back();
    }
    return nullptr;
  }

  const char* Replace(uint32_t count, Cell result) {
    const char* wrong = Pop(count);
    return wrong ? wrong : Push(result);
  }

  const char* PushCallee(Cell first, Cell second) {
    const char* wrong = Push(first);
    return wrong ? wrong : Push(second);
  }

  const char* CheckPrefix(uint32_t) {
    return nullptr;
  }

  const char* CheckResume(uint32_t) {
    return nullptr;
  }

  const char* CheckPopTop(uint32_t) {
    return Pop(1);
  }

  // The cell at `depth` from the top (1 is the top), or null where that is no object.
  Cell* ObjectAt(uint32_t depth) {
    return depth >= 1 && depth <= stack_.size() && stack_[stack_.size() - depth].object() ? &stack_[stack_.size() - depth] : nullptr;
  }

  const char* CheckCopy(uint32_t depth) {
    Cell* cell = ObjectAt(depth);
    return cell ? Push(*cell) : "a stack cell that is no object";
  }

  const char* CheckSwap(uint32_t depth) {
    Cell* top = ObjectAt(1);
    Cell* other = ObjectAt(depth);
    if (depth < 2 || top == nullptr || other == nullptr)
      return "a stack cell that is no object";
    std::swap(*top, *other);
    return nullptr;
  }

  const char* CheckPushNull(uint32_t) {
    return Push({});
  }

  const char* CheckLoadFast(uint32_t slot) {
    if (slot >= slots_.size() || !slots_[slot].object())
      return "an empty slot is read";
    return Push(slots_[slot]);
  }

  const char* CheckStoreFast(uint32_t slot) {
    if (slot >= slots_.size())
      return "a slot out of range";
    if (ObjectAt(1) == nullptr)
      return "a stack cell that is no object";
    slots_[slot] = stack_.back();
    stack_.pop_back();
    return nullptr;
  }

  const char* CheckDeleteFast(uint32_t slot) {
    if (slot >= slots_.size() || !slots_[slot].object())
      return "an empty slot is deleted";
    slots_[slot] = {};
    return nullptr;
  }

  const char* CheckLoadConst(uint32_t index) {
    if (index >= image_.consts.size())
      return "a constant out of range";
    Cell cell = kObject;
    cell.keywords = keywords_[index];
    cell.part = parts_[index];
    return Push(cell);
  }

  const char* CheckLoadGlobal(uint32_t oparg) {
    if (oparg >> 1 >= image_.names.size() || !expected_.globals.contains(image_.names[oparg >> 1]))
      return "a global that is not allowed";
    Cell value{Cell::kCallable};
    if ((oparg & 1) == 0)
      return Push(value);
    return since313() ? PushCallee(value, {}) : PushCallee({}, value);
  }

  const char* LoadName(uint32_t name, bool method) {
    if (name >= image_.names.size() || !expected_.attributes.contains(image_.names[name]))
      return "an attribute that is not allowed";
    if (const char* wrong = Pop(1))
      return wrong;
    return method ? PushCallee({Cell::kMethodPart}, {Cell::kMethodPart}) : Push(kObject);
  }

  const char* CheckLoadAttr(uint32_t oparg) {
    return expected_.version == PyVersion::k311 ? LoadName(oparg, false) : LoadName(oparg >> 1, (oparg & 1) != 0);
  }

  const char* CheckLoadMethod(uint32_t oparg) {
    return LoadName(oparg, true);
  }

  const char* CheckBuild(uint32_t count) {
    return Replace(count, kObject);
  }

  const char* CheckBuildTuple(uint32_t count) {
    Cell made = kObject;
    Cell *name = ObjectAt(3), *parameters = ObjectAt(2);
    const bool alias = count == 3 && name != nullptr && parameters != nullptr && name->part == Cell::kText && IsTuple(*parameters);
    made.part = alias ? Cell::kAlias : Cell::kTuple;
    return Replace(count, made);
  }

  static bool IsTuple(const Cell& cell) {
    return cell.part == Cell::kTuple || cell.part == Cell::kAlias;
  }

  // TYPEVAR, PARAMSPEC and TYPEVARTUPLE of a name, TYPEALIAS of (name, type parameters or None, function).
  const char* CheckIntrinsic1(uint32_t number) {
    constexpr uint32_t kTypeVar = 7, kTypeVarTuple = 9, kTypeAlias = 11;
    const Cell* operand = ObjectAt(1);
    const bool named = number >= kTypeVar && number <= kTypeVarTuple && operand != nullptr && operand->part == Cell::kText;
    const bool alias = number == kTypeAlias && operand != nullptr && operand->part == Cell::kAlias;
    return named || alias ? Replace(1, kObject) : "an intrinsic that is not allowed";
  }

  // TYPEVAR_WITH_BOUND and TYPEVAR_WITH_CONSTRAINTS of a name, SET_TYPEPARAM_DEFAULT of anything.
  const char* CheckIntrinsic2(uint32_t number) {
    constexpr uint32_t kWithBound = 2, kWithConstraints = 3, kDefault = 5;
    const Cell* name = ObjectAt(2);
    const bool named = (number == kWithBound || number == kWithConstraints) && name != nullptr && name->part == Cell::kText;
    const bool sets = number == kDefault && since313();
    return named || sets ? Replace(2, kObject) : "an intrinsic that is not allowed";
  }

  const char* CheckBuildMap(uint32_t pairs) {
    return pairs > expected_.limits.rows ? "the stack is empty" : Replace(2 * pairs, kObject);
  }

  const char* CheckBuildSlice(uint32_t parts) {
    return parts < 2 ? "an operand out of range" : Replace(parts, kObject);
  }

  const char* CheckUnpack(uint32_t count) {
    if (const char* wrong = Pop(1))
      return wrong;
    for (; count > 0; --count)
      if (const char* wrong = Push(kObject))
        return wrong;
    return nullptr;
  }

  const char* CheckBinary(uint32_t) {
    return Replace(2, kObject);
  }

  const char* CheckUnary(uint32_t) {
    return Replace(1, kObject);
  }

  const char* CheckToBool(uint32_t) {
    return Replace(1, {Cell::kObject, /*truth=*/true});
  }

  const char* CheckNot(uint32_t) {
    if (since313() && (stack_.empty() || !stack_.back().truth))
      return "UNARY_NOT of what TO_BOOL did not make";
    return Replace(1, kObject);
  }

  // The operator and, from 3.12 on, the one hint that compilers write with it; 3.13's bool bit is never set.
  const char* CheckCompare(uint32_t oparg) {
    static constexpr uint8_t kHints[] = {2, 10, 8, 7, 4, 12};
    static constexpr std::array<int, kVersions> kShift = {0, 4, 5};
    int shift = kShift[version_];
    uint32_t op = oparg >> shift;
    if (op >= std::size(kHints) || (shift > 0 && oparg != (op << shift | kHints[op])))
      return "an operand out of range";
    return Replace(2, kObject);
  }

  const char* CheckKeywordNames(uint32_t index) {
    if (index >= keywords_.size() || keywords_[index] < 0)
      return "keywords that are no tuple of different names";
    call_names_ = keywords_[index];
    return nullptr;
  }

  const char* CheckPrecall(uint32_t arguments) {
    if (call_arguments_ >= 0)
      return "KW_NAMES or PRECALL without a call";
    call_arguments_ = arguments;
    return nullptr;
  }

  const char* CheckCall(uint32_t arguments) {
    if (call_arguments_ != (expected_.version == PyVersion::k311 ? int64_t{arguments} : -1))
      return "PRECALL and CALL differ";
    int64_t names = call_names_;
    call_names_ = call_arguments_ = -1;
    return TakeCall(arguments, names);
  }

  const char* CheckCallKeywords(uint32_t arguments) {
    int32_t names = stack_.empty() ? -1 : stack_.back().keywords;
    if (names < 0)
      return "keywords that are no tuple of different names";
    const char* wrong = Pop(1);
    return wrong ? wrong : TakeCall(arguments, names);
  }

  const char* TakeCall(uint32_t arguments, int64_t names) {
    if (names > int64_t{arguments})
      return "more keywords than arguments";
    if (const char* wrong = Pop(arguments))
      return wrong;
    if (stack_.size() < 2)
      return "the stack is empty";
    Cell second = stack_.back();
    stack_.pop_back();
    Cell first = stack_.back();
    stack_.pop_back();
    bool method = first.kind == Cell::kMethodPart && second.kind == Cell::kMethodPart;
    if (since313())
      std::swap(first, second);
    bool plain = first.kind == Cell::kNull && second.kind == Cell::kCallable;
    return method || plain ? Push(kObject) : "a call of what is not allowed to be called";
  }

  const char* CheckReturn(uint32_t) {
    returned_ = true;
    if (const char* wrong = Pop(1))
      return wrong;
    return stack_.empty() ? nullptr : "a return leaves something on the stack";
  }

  const model::CodeImage& image_;
  const ExpectedCode& expected_;
  const size_t version_;           // index into tables
  std::vector<int32_t> keywords_;  // per constant
  std::vector<Cell::Part> parts_;  // per constant
  std::vector<Cell> slots_;
  std::vector<Cell> stack_;
  uint32_t unit_ = 0;
  uint64_t pushes_ = 0;
  bool returned_ = false;
  int64_t call_names_ = -1;      // KW_NAMES was just before
  int64_t call_arguments_ = -1;  // PRECALL was just before
};

}  // namespace

absl::Status WalkCode(const model::CodeImage& image, const ExpectedCode& expected) {
  return Interpreter(image, expected).Run();
}

}  // namespace framegate::client
