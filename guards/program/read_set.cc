#include "guards/program/read_set.h"

#include <algorithm>
#include <map>
#include <set>

#include "guards/program/summary_probe.h"

namespace framegate::guards {

namespace {

using model::Fact;
using model::Step;
using model::SubjectId;

class Collector {
 public:
  explicit Collector(const Program& program) : p_(program), subject_of_(program.objects, model::kNoSubject) {}

  ReadSet Run() {
    for (const Instruction& in : p_.instructions) {
      if (IsStepOp(in.op))
        AddStep(in);
      else if (IsFactOp(in.op))
        Read(subject_of_[in.a], FactOf(in.op));
      else
        AddOwn(in);
    }
    return {table_.nodes(), {facts_.begin(), facts_.end()}};
  }

 private:
  // What abstract classes answer is not observed; the subject must be there.
  void Read(SubjectId subject, Fact fact) { facts_.emplace(subject, fact == Fact::kAbcAnswers ? Fact::kAmbient : fact); }

  void AddStep(const Instruction& in) {
    const Step step = StepOf(in.op);
    const uint32_t operand = model::IsRoot(step) ? in.imm() : in.c;
    const bool has_key = model::OperandOf(step) == model::StepOperand::kKey;
    const uint32_t index = has_key ? 0 : operand;
    const model::Constant key = has_key ? p_.constants[operand] : model::Constant();
    subject_of_[in.a] = model::IsRoot(step) ? table_.Root(step, index, key) : table_.Child(subject_of_[in.b], step, index, key);
  }

  void AddOwn(const Instruction& in) {
    switch (static_cast<CheckOp>(in.op)) {
      case CheckOp::kCheckType:
        return Read(table_.Child(subject_of_[in.a], Step::kType), Fact::kTypeName);
      case CheckOp::kCheckSubclass:
        return Read(subject_of_[in.a], Fact::kMroLength);
      case CheckOp::kCheckAmbient:
        return Read(table_.Root(Step::kAmbient), Fact::kAmbient);
      case CheckOp::kWordSize:
      case CheckOp::kWordStride:
      case CheckOp::kWordOffset:
        return Read(subject_of_[in.b], Fact::kTensor);
      case CheckOp::kWordInt:
        return Read(subject_of_[in.b], Fact::kValue);
      case CheckOp::kWordFact:
        return Read(subject_of_[in.b], static_cast<Fact>(in.sub));
      case CheckOp::kNop:
      case CheckOp::kPass:
      case CheckOp::kCheckPresent:
      case CheckOp::kCheckAbsent:
      case CheckOp::kCheckSame:
      case CheckOp::kCheckDistinct:
      case CheckOp::kCheckObject:
      case CheckOp::kGroupBegin:
      case CheckOp::kGroupAdd:
      case CheckOp::kKeep:
      case CheckOp::kSlice:
      case CheckOp::kWordConst:
      case CheckOp::kWordAdd:
      case CheckOp::kWordSub:
      case CheckOp::kWordMul:
      case CheckOp::kWordFloorDiv:
      case CheckOp::kWordMod:
      case CheckOp::kWordMin:
      case CheckOp::kWordMax:
      case CheckOp::kWordEq:
      case CheckOp::kWordNe:
      case CheckOp::kWordLt:
      case CheckOp::kWordLe:
      case CheckOp::kWordAnd:
      case CheckOp::kWordOr:
      case CheckOp::kCheckTrue:
        return;
    }
  }

  const Program& p_;
  model::SubjectTable table_;
  std::vector<SubjectId> subject_of_;
  std::set<std::pair<SubjectId, Fact>> facts_;
};

// Adds the nodes of `from` to `table`; where each went.
std::vector<SubjectId> Copy(const std::vector<model::SubjectNode>& from, model::SubjectTable* table) {
  std::vector<SubjectId> places;
  for (const model::SubjectNode& node : from)
    places.push_back(node.parent == model::kNoSubject ? table->Root(node.step, node.index, node.key)
                                                      : table->Child(places[node.parent], node.step, node.index, node.key));
  return places;
}

// Copies what a read-set sees into a summary of its own.
class Sieve {
 public:
  explicit Sieve(const model::Summary& summary) : index_(summary) {}

  model::Summary Run(const ReadSet& read_set) {
    std::vector<const SummaryIndex::Node*> found(read_set.subjects.size(), nullptr);
    for (size_t i = 0; i < read_set.subjects.size(); ++i)
      found[i] = Follow(read_set.subjects[i], found);
    for (const auto& [subject, fact] : read_set.facts)
      if (subject < found.size() && found[subject] != nullptr)
        AddFact(found[subject], fact);
    for (auto& [handle, record] : records_)
      out_.records.push_back(std::move(record));
    return std::move(out_);
  }

 private:
  const SummaryIndex::Node* Follow(const model::SubjectNode& node, const std::vector<const SummaryIndex::Node*>& found) {
    const bool root = node.parent == model::kNoSubject;
    const SummaryIndex::Node* parent = root ? nullptr : found[node.parent];
    const SummaryIndex::Node* to = nullptr;
    if ((!root && parent == nullptr) || !index_.Find(parent, node.step, node.index, node.key, &to))
      return nullptr;
    const model::Handle target = to ? to->handle : model::kAbsent;
    if (root)
      out_.roots.push_back({.step = node.step, .index = node.index, .key = node.key, .target = target});
    else
      Record(parent).edges.push_back({.step = node.step, .index = node.index, .key = node.key, .target = target});
    return to;
  }

  void AddFact(const SummaryIndex::Node* node, Fact fact) {
    const model::FactValue* value = SummaryIndex::FindFact(node, fact);
    if (value == nullptr)
      return;
    Record(node).facts.push_back(*value);
    if (fact != Fact::kMroLength)
      return;
    // Who asks for the MRO's length wants its names.
    for (uint32_t place = 0; place < value->word; ++place) {
      const SummaryIndex::Node* base = Follow({.step = Step::kMro, .index = place}, node);
      if (base != nullptr)
        AddFact(base, Fact::kTypeName);
    }
  }

  const SummaryIndex::Node* Follow(const model::SubjectNode& step, const SummaryIndex::Node* from) {
    const SummaryIndex::Node* to = nullptr;
    if (index_.Find(from, step.step, step.index, step.key, &to) && to != nullptr)
      Record(from).edges.push_back({.step = step.step, .index = step.index, .target = to->handle});
    return to;
  }

  model::ObjectRecord& Record(const SummaryIndex::Node* node) {
    model::ObjectRecord& record = records_[node->handle];
    record.handle = node->handle;
    return record;
  }

  SummaryIndex index_;
  model::Summary out_;
  std::map<model::Handle, model::ObjectRecord> records_;
};

}  // namespace

ReadSet ReadSetOf(const Program& program) {
  return Collector(program).Run();
}

ReadSet Union(const ReadSet& a, const ReadSet& b) {
  model::SubjectTable table;
  std::set<std::pair<SubjectId, Fact>> facts;
  for (const ReadSet* set : {&a, &b}) {
    const std::vector<SubjectId> places = Copy(set->subjects, &table);
    for (const auto& [subject, fact] : set->facts)
      if (subject < places.size())
        facts.emplace(places[subject], fact);
  }
  return {table.nodes(), {facts.begin(), facts.end()}};
}

model::Summary Filter(const model::Summary& summary, const ReadSet& read_set) {
  return Sieve(summary).Run(read_set);
}

}  // namespace framegate::guards
