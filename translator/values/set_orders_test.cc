#include "translator/values/set_orders.h"

#include <set>

#include "gtest/gtest.h"

namespace framegate::translator {
namespace {

using model::Constant;

class SetOrdersTest : public testing::Test {
 protected:
  void SetUp() override {
    for (size_t i = 0; i < 3; ++i)
      set_.history.push_back(Constant::Tuple({Constant::Str("add"), Constant::Int(static_cast<int64_t>(i))}));
  }

  // One translation that loops over the set; the iterations of `changing` change something. The order it saw.
  Values Loop(const std::set<const Value*>& changing) {
    Values elements = {&a_, &b_, &c_};
    EXPECT_TRUE(orders_.Assume(&set_, &elements));
    orders_.NoteUse(&set_);
    iterators_.push_back(std::make_unique<IteratorValue>());
    IteratorValue* iterator = iterators_.back().get();
    iterator->source = &set_;
    iterator->items = elements;
    SetOrders::Loop* loop = orders_.LoopOf(iterator);
    for (V element : elements) {
      if (changing.contains(element))
        loop->changing.push_back(loop->rounds);
      ++loop->rounds;
    }
    orders_.NoteEnd(iterator);
    return elements;
  }

  SetOrders orders_;
  SetValue set_;
  ConstantValue a_, b_, c_;
  std::vector<std::unique_ptr<IteratorValue>> iterators_;
};

TEST_F(SetOrdersTest, TwoDirectionsWhereOneIterationChangesSomething) {
  EXPECT_EQ(Loop({&b_}), (Values{&a_, &b_, &c_}));
  ASSERT_TRUE(orders_.CanTryAll());
  ASSERT_TRUE(orders_.Next());
  EXPECT_EQ(Loop({&b_}), (Values{&c_, &b_, &a_}));
  EXPECT_TRUE(orders_.IsAsBefore());
  EXPECT_FALSE(orders_.Next());
}

TEST_F(SetOrdersTest, AnotherElementInTheOtherDirectionIsAFailure) {
  Loop({&a_});
  ASSERT_TRUE(orders_.CanTryAll());
  ASSERT_TRUE(orders_.Next());
  Loop({&c_});
  EXPECT_FALSE(orders_.IsAsBefore());
}

TEST_F(SetOrdersTest, AllPermutationsOtherwise) {
  std::set<Values> seen = {Loop({&a_, &b_})};
  ASSERT_TRUE(orders_.CanTryAll());
  while (orders_.Next()) {
    seen.insert(Loop({&a_, &b_}));
    EXPECT_TRUE(orders_.IsAsBefore());
  }
  EXPECT_EQ(seen.size(), 6u);
}

TEST_F(SetOrdersTest, AUseBesideTheLoopCounts) {
  Loop({});
  orders_.NoteUse(&set_);
  ASSERT_TRUE(orders_.CanTryAll());
  size_t count = 1;
  while (orders_.Next()) {
    Loop({});
    ++count;
  }
  EXPECT_EQ(count, 6u);
}

TEST_F(SetOrdersTest, PoppedOrManyAreNotTried) {
  set_.history.push_back(Constant::Tuple({Constant::Str("pop")}));
  Values elements = {&a_, &b_};
  EXPECT_FALSE(orders_.Assume(&set_, &elements));
  EXPECT_FALSE(orders_.CanTryAll());
  SetOrders others;
  SetValue four;
  Values more = {&a_, &b_, &c_, &set_};
  EXPECT_TRUE(others.Assume(&four, &more));
  others.NoteUse(&four);
  EXPECT_FALSE(others.CanTryAll());
}

}  // namespace
}  // namespace framegate::translator
