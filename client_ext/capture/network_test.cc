// Modules and tensors. Skipped where the interpreter has no torch (PYTHONPATH may name an environment that has).

#include "client_ext/observe/live_objects.h"

#include "client_ext/capture/observe_unit.h"
#include "client_ext/observe/check_program.h"
#include "client_ext/observe/facts.h"
#include "client_ext/observe/steps.h"
#include "client_ext/torch_bridge/table.h"
#include "guards/program/builder.h"
#include "guards/program/summary_probe.h"

namespace framegate::client {
namespace {

using model::Constant;
using model::Fact;
using model::Step;

constexpr char kNetwork[] = R"(
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(12)])
        self.norm, self.gain = torch.nn.LayerNorm(4), 2
    def forward(self, x):
        for layer in self.layers: x = torch.relu(layer(x))
        return self.norm(x) * self.gain
x, y = Net(), torch.ones(2, 4)
f, h, k = Net.forward, None, None
)";

bool HaveTorch() {
  static const bool have = [] {
    const auto torch = pycompat::Ref::Steal(PyImport_ImportModule("torch"));
    PyErr_Clear();
    return torch && LoadTorch() != nullptr;
  }();
  return have;
}

class NetworkTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HaveTorch())
      GTEST_SKIP() << "no torch";
    objects_ = std::make_unique<LiveObjects>(kNetwork);
    unit_.frames = objects_->Frames();
  }

  // Checks all facts that the objects have now, of every fact and step that a summary holds: the largest program there can be.
  std::unique_ptr<CheckProgram> ProgramOf(const model::Summary& summary) {
    guards::ProgramBuilder builder;
    std::map<model::Handle, uint16_t> registers;
    std::map<model::Handle, std::vector<const model::ObjectRecord*>> records;
    for (const model::ObjectRecord& record : summary.records)
      records[record.handle].push_back(&record);
    std::vector<std::pair<model::Handle, uint16_t>> work;
    for (const model::Root& root : summary.roots) {
      work.emplace_back(root.target, builder.NewObject());
      EXPECT_TRUE(builder.AddStep({.step = root.step, .index = root.index}, false, 0, work.back().second, 0).ok());
    }
    for (size_t i = 0; i < work.size(); ++i) {
      if (!registers.emplace(work[i].first, work[i].second).second)
        continue;
      for (const model::ObjectRecord* record : records[work[i].first])
        AddRecord(*record, work[i].second, builder, &work);
      const model::FactValue name = ReadFact(Fact::kTypeName, reinterpret_cast<PyObject*>(Py_TYPE(handles_.Find(work[i].first))));
      builder.AddImm(guards::CheckOp::kCheckType, 0, work[i].second,
                     builder.Type(name.constant.items[0].text + ":" + name.constant.items[1].text), 0);
    }
    auto linked = CheckProgram::Link(guards::EncodeProgram(builder.Finish()), nullptr);
    EXPECT_TRUE(linked.ok()) << linked.status();
    return linked.ok() ? *std::move(linked) : nullptr;
  }

  guards::Verdict Evaluate(const CheckProgram& program) {
    unit_.frames = objects_->Frames();
    const guards::Verdict verdict = program.Evaluate(unit_.frames.data(), 1, nullptr);
    EXPECT_FALSE(PyErr_Occurred());
    return verdict;
  }

  std::unique_ptr<LiveObjects> objects_;
  LiveUnit unit_;
  HandleTable handles_;

 private:
  static void AddRecord(const model::ObjectRecord& record, uint16_t object, guards::ProgramBuilder& builder,
                        std::vector<std::pair<model::Handle, uint16_t>>* work) {
    for (const model::FactValue& fact : record.facts) {
      EXPECT_TRUE(fact.fact == Fact::kAmbient || builder.AddFact(fact, object, 0).ok());
    }
    for (const model::Edge& edge : record.edges) {
      const uint16_t to = builder.NewObject();
      EXPECT_TRUE(builder.AddStep({.step = edge.step, .parent = 0, .index = edge.index, .key = edge.key}, true, object, to, 0).ok());
      builder.Add(edge.target == model::kAbsent ? guards::CheckOp::kCheckAbsent : guards::CheckOp::kCheckPresent, to, 0, 0, 0);
      if (edge.target != model::kAbsent)
        work->emplace_back(edge.target, to);
    }
  }
};

TEST_F(NetworkTest, IsDescribedWhole) {
  const model::Summary summary = ObserveUnit(unit_, handles_);
  size_t tensors = 0, networks = 0;
  for (const model::ObjectRecord& record : summary.records)
    for (const model::FactValue& fact : record.facts) {
      tensors += fact.fact == Fact::kTensor && fact.known;
      networks += fact.fact == Fact::kHooksEmpty && fact.known && fact.word == 1;
    }
  EXPECT_EQ(tensors, 12u * 2 + 2 + 1);
  EXPECT_EQ(networks, 12u + 3);
  EXPECT_LT(summary.records.size(), 1500u);
  EXPECT_LT(Encode(summary).size(), 150'000u);
}

TEST_F(NetworkTest, EveryChangeIsSeen) {
  auto program = ProgramOf(ObserveUnit(unit_, handles_));
  ASSERT_NE(program, nullptr);
  const auto explain = [&](guards::Verdict verdict) {
    const CheckProgram::Miss miss = program->Explain(verdict.instruction, unit_.frames.data(), 1);
    return std::to_string(verdict.instruction) + ": " + miss.expected + " / " + miss.actual;
  };
  static constexpr const char* kChanges[][2] = {
      {"x.gain = 3", "x.gain = 2"},
      {"x.train(False)", "x.train(True)"},
      {"x.layers[11].requires_grad_(False)", "x.layers[11].requires_grad_(True)"},
      {"x.layers[5].weight.data = torch.ones(3, 3)", "x.layers[5].weight.data = torch.ones(4, 4)"},
      {"h = x.layers[3].register_forward_hook(lambda *a: None)", "h.remove()"},
      {"h = torch.nn.modules.module.register_module_forward_hook(lambda *a: None)", "h.remove()"},
      {"x.layers[2].weight = None", "x.layers[2].weight = torch.nn.Parameter(torch.ones(4, 4))"},
      {"x.layers[4].forward = len", "del x.layers[4].forward"},
      {"x.register_buffer('b', torch.ones(1))", "del x.b"},
      {"y = y.double()", "y = y.float()"},
      {"y = torch.ones(3, 4)", "y = torch.ones(2, 4)"},
      {"y = torch.ones(4, 2).t()", "y = torch.ones(2, 4)"},
      {"k = torch.nn.Linear.forward; torch.nn.Linear.forward = lambda s, x: x", "torch.nn.Linear.forward = k"},
      {"x.layers[7].__class__ = torch.nn.Identity", "x.layers[7].__class__ = torch.nn.Linear"}};
  const guards::Verdict first = Evaluate(*program);
  ASSERT_TRUE(first.pass) << explain(first);
  for (const auto& [change, restore] : kChanges) {
    objects_->Run(change);
    EXPECT_FALSE(Evaluate(*program).pass) << change;
    objects_->Run(restore);
    const guards::Verdict again = Evaluate(*program);
    EXPECT_TRUE(again.pass) << restore << ": " << explain(again);
  }
}

TEST_F(NetworkTest, GradientsAreFoundWhereTheyAre) {
  objects_->Run("w = x.layers[0].weight\nx(y).sum().backward()\ng = w.grad");
  PyObject* grad = nullptr;
  EXPECT_TRUE(TakeStep(Step::kTensorGrad, (*objects_)["w"], Operand(), &grad));
  EXPECT_EQ(grad, (*objects_)["g"]);
  EXPECT_TRUE(TakeStep(Step::kTensorGrad, (*objects_)["y"], Operand(), &grad));
  EXPECT_EQ(grad, nullptr);
}

TEST_F(NetworkTest, SymbolsOfOperators) {
  objects_->Run(R"(
import torch.nn.functional as F
want = {torch.add: 'torch:add', F.linear: 'torch._C._nn:linear', torch.relu: 'torch:relu', F.relu: 'torch.nn.functional:relu',
        torch.Tensor.add: 'torch._C:TensorBase.add', torch.nn.Linear: 'torch.nn.modules.linear:Linear', torch: 'torch:', F: 'torch.nn.functional:',
        torch.Tensor: 'torch:Tensor', torch._C._linalg.linalg_inv: 'torch._C._linalg:linalg_inv', torch.fft.fft: 'torch._C._fft:fft_fft'})");
  PyObject *object = nullptr, *name = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next((*objects_)["want"], &at, &object, &name);) {
    const model::FactValue value = ReadFact(Fact::kSymbolName, object);
    EXPECT_STREQ(value.constant.text.c_str(), PyUnicode_AsUTF8(name));
  }
}

TEST_F(NetworkTest, ConstantsOfTorch) {
  objects_->Run("c = [torch.float32, torch.device('cpu'), torch.strided, torch.contiguous_format, torch.Size([2, 3])]");
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE((*objects_)["c"]); ++i) {
    PyObject* object = PyList_GET_ITEM((*objects_)["c"], i);
    Constant constant;
    ASSERT_TRUE(FromPython(object, &constant)) << i;
    const auto made = pycompat::Ref::Steal(ToPython(constant));
    EXPECT_TRUE(made && SameConstant(made.get(), object)) << i;
  }
}

}  // namespace
}  // namespace framegate::client
