// An entry: one answer to "how does this frame (or the rest of these frames) run?". Address-free; what is sent, stored and linked.
// Also a unit (what is translated) and the configuration that is part of its key. Value types. Thread-compatible.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"
#include "model/code_image.h"
#include "model/graph_blob.h"
#include "model/subject.h"

namespace framegate::model {

#define FRAMEGATE_DECLARE_ENUM(Name)     \
  std::string_view EnumText(Name value); \
  bool EnumFromText(std::string_view text, Name* value)

enum class LinkKind : uint8_t {
#define FRAMEGATE_LINK(number, name, text, doc) name = number,
#include "model/links.def"
#undef FRAMEGATE_LINK
};
FRAMEGATE_DECLARE_ENUM(LinkKind);

enum class BreakKind : uint8_t {
#define FRAMEGATE_BREAK(number, name, text, doc) name = number,
#include "model/breaks.def"
#undef FRAMEGATE_BREAK
};
FRAMEGATE_DECLARE_ENUM(BreakKind);

enum class Resume : uint8_t {
#define FRAMEGATE_RESUME(number, name, text, doc) name = number,
#include "model/resumes.def"
#undef FRAMEGATE_RESUME
};
FRAMEGATE_DECLARE_ENUM(Resume);

enum class Helper : uint8_t {
#define FRAMEGATE_HELPER(number, name, text, arguments, doc) name = number,
#include "model/helpers.def"
#undef FRAMEGATE_HELPER
};
FRAMEGATE_DECLARE_ENUM(Helper);

// New code for the client's Python. Its parameters are the original's, in the same slots; further slots are plain locals; it has no cell
// and no free variables (cells are ordinary values in plain slots). co_consts are plain constants.
struct NewCode {
  CodeImage image;
  std::vector<uint32_t> origins;  // per code unit: the unit offset in the unit's outermost original code it stands for, or UINT32_MAX

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("image", s.image);
    v("origins", s.origins);
  }
};

struct LinkSlot {
  LinkKind kind = LinkKind::kHelper;
  uint32_t local = 0;  // localsplus slot of the new code
  uint32_t index = 0;
  std::string name;
  CodeId code;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("kind", s.kind);
    v("local", s.local);
    v("index", s.index);
    v("name", s.name);
    v("code", s.code);
  }
};

// A frame that waits at a break. Offsets are in code units of the original code.
struct PendingFrame {
  CodeId code;
  Resume resume = Resume::kInnermost;
  uint32_t offset = 0;        // of the instruction it stands at (a KW_NAMES or EXTENDED_ARG prefix included)
  uint32_t next = 0;          // of the instruction after it
  uint32_t jump = 0;          // of the other successor, where there is one
  bool jump_if = false;       // BreakKind::kTruth, Resume::kTruth: the truth value on which `jump` is taken
  bool keep_on_jump = false;  // JUMP_IF_*_OR_POP: the operand stays on the stack where the jump is taken
  uint32_t slots = 0;
  uint32_t depth = 0;   // cells on the stack, operands of a BreakKind::kInstruction included
  uint32_t pops = 0;    // innermost only: how many cells the instruction takes
  uint32_t pushes = 0;  // innermost only: how many it leaves

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("code", s.code);
    v("resume", s.resume);
    v("offset", s.offset);
    v("next", s.next);
    v("jump", s.jump);
    v("jump_if", s.jump_if);
    v("keep_on_jump", s.keep_on_jump);
    v("slots", s.slots);
    v("depth", s.depth);
    v("pops", s.pops);
    v("pushes", s.pushes);
  }
};

struct BreakPlan {
  BreakKind kind = BreakKind::kInstruction;
  Reason reason = Reason::kNoReason;
  std::string detail;  // what exactly: the callable, attribute, opcode
  std::string filename;
  int32_t line = 0;                  // absolute at translation time
  bool traced = false;               // kRaise: the traceback has the innermost frame already
  std::vector<PendingFrame> frames;  // outermost first

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("kind", s.kind);
    v("reason", s.reason);
    v("detail", s.detail);
    v("filename", s.filename);
    v("line", s.line);
    v("traced", s.traced);
    v("frames", s.frames);
  }
};

// A guard in words, for filters, misses and explain: which check instructions it became and what it expects.
struct GuardNote {
  std::string kind;        // name in guards/ir/guard_kinds.def
  std::string torch_kind;  // torch's guard type name
  SubjectId subject = kNoSubject;
  std::string expected;  // repr
  uint32_t first = 0;    // check instructions [first, last)
  uint32_t last = 0;
  int32_t line = 0;  // of the user's code that made it

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("kind", s.kind);
    v("torch_kind", s.torch_kind);
    v("subject", s.subject);
    v("expected", s.expected);
    v("first", s.first);
    v("last", s.last);
    v("line", s.line);
  }
};

struct ForwardTarget {
  std::string global;  // the name the forward's code uses
  std::string symbol;  // module:qualified.name

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("global", s.global);
    v("symbol", s.symbol);
  }
};

// The name under which a forward's code, and that of bodies, finds a body.
inline std::string NameOfBody(uint32_t number) {
  return "body" + std::to_string(number);
}

struct Entry {
  bool original = false;              // run the original under these guards
  Reason reason = Reason::kNoReason;  // of `original`
  std::string detail;
  bool local = false;  // relies on something that belongs to one process: never stored
  std::vector<SubjectNode> subjects;
  std::vector<GuardNote> guards;
  std::string program;  // a check program (guards/program)
  NewCode code;
  std::vector<LinkSlot> links;
  std::optional<GraphBlob> graph;
  NewCode forward;              // takes the graph's flat inputs, returns its output tuple; present with `graph`
  std::vector<NewCode> bodies;  // of functions that nodes are given (GraphBlob::graphs)
  std::vector<ForwardTarget> targets;
  std::vector<BreakPlan> plans;   // empty: the entry runs to the end
  bool retries = false;           // where the graph raises, the unit runs as written: nothing was done that would be done twice
  bool draws = false;             // ... but for random numbers
  std::vector<uint32_t> written;  // ... and for inputs of the graph that it writes to: they are put back before
  uint64_t instructions = 0;      // interpreted symbolically

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("original", s.original);
    v("reason", s.reason);
    v("detail", s.detail);
    v("local", s.local);
    v("subjects", s.subjects);
    v("guards", s.guards);
    v("program", s.program);
    v("code", s.code);
    v("links", s.links);
    v("graph", s.graph);
    v("forward", s.forward);
    v("bodies", s.bodies);
    v("targets", s.targets);
    v("plans", s.plans);
    v("retries", s.retries);
    v("draws", s.draws);
    v("written", s.written);
    v("instructions", s.instructions);
  }
};

// One pending frame of a unit.
struct UnitFrame {
  CodeId code;
  uint32_t offset = 0;                 // where it goes on, in code units; 0 for a frame from its start
  Resume resume = Resume::kInnermost;  // outer frames: how they take the value of the frame above
  uint32_t next = 0;                   // outer frames: where they go on then
  uint32_t jump = 0;
  bool jump_if = false;
  bool keep_on_jump = false;
  uint32_t depth = 0;  // cells on the value stack
  std::string nulls;   // one byte per slot, then per stack cell: 1 where empty

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("code", s.code);
    v("offset", s.offset);
    v("resume", s.resume);
    v("next", s.next);
    v("jump", s.jump);
    v("jump_if", s.jump_if);
    v("keep_on_jump", s.keep_on_jump);
    v("depth", s.depth);
    v("nulls", s.nulls);
  }
};

// What is translated: a root frame from its start, or the rest of a chain of pending frames (outermost first).
struct Unit {
  bool continuation = false;
  std::vector<UnitFrame> frames;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("continuation", s.continuation);
    v("frames", s.frames);
  }
};

// Settings that decide what an entry is. Part of the key.
struct Config {
  std::string dynamic = "auto";               // auto | true | false
  std::vector<std::string> dynamic_subjects;  // what changed before, sorted: path of a number, path#dimension of a size
  bool install_free_tensors = false;
  bool guard_nn_modules = true;
  bool graphless = true;  // make an entry where there is no graph
  uint32_t instruction_budget = 1'000'000;
  uint32_t inline_depth = 200;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("dynamic", s.dynamic);
    v("dynamic_subjects", s.dynamic_subjects);
    v("install_free_tensors", s.install_free_tensors);
    v("guard_nn_modules", s.guard_nn_modules);
    v("graphless", s.graphless);
    v("instruction_budget", s.instruction_budget);
    v("inline_depth", s.inline_depth);
  }
};

// What decides under which key an entry is stored.
struct KeyMaterial {
  Hash128 schema;  // SchemaHash() of the build
  Unit unit;
  Config config;
  // Type of what is in the outermost frame's first slot, module:qualname: code such as a base class's __call__ runs for every model there
  // is, and an entry is hardly ever for two of them. "" where there is none.
  std::string receiver;
  std::string python;  // implementation, version, magic number, flags that change semantics
  std::string torch;   // version and build, "" without torch

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("schema", s.schema);
    v("unit", s.unit);
    v("config", s.config);
    v("receiver", s.receiver);
    v("python", s.python);
    v("torch", s.torch);
  }
};

Hash128 KeyOf(const KeyMaterial& material);

// Changes whenever a table row, a field of a noun or the translator's version changes.
Hash128 SchemaHash();

}  // namespace framegate::model
