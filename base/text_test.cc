#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace framegate {
namespace {

struct Inner {
  std::vector<int64_t> numbers;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("numbers", s.numbers);
  }
};

struct Outer {
  std::string name;
  double real = 0;
  std::vector<Inner> inner;
  std::optional<uint32_t> maybe;
  std::pair<std::string, bool> pair;
  Hash128 hash;

  template <typename V, typename S>
  static void VisitFields(V& v, S& s) {
    v("name", s.name);
    v("real", s.real);
    v("inner", s.inner);
    v("maybe", s.maybe);
    v("pair", s.pair);
    v("hash", s.hash);
  }
};

Outer Sample() {
  return {.name = "quote \" and \\ and \n and \xff",
          .real = -0.1,
          .inner = {{{1, -2, INT64_MIN}}, {}},
          .maybe = 7,
          .pair = {"p", true},
          .hash = HashBytes("x")};
}

TEST(TextTest, RejectsUnknownField) {
  Inner value;
  EXPECT_EQ(Parse("((number (1)))", &value).code(), absl::StatusCode::kInvalidArgument);
}

TEST(TextTest, RejectsTextLeftOver) {
  Inner value;
  EXPECT_THAT(std::string(Parse("((numbers (1))) x", &value).message()), testing::HasSubstr("left over"));
}

TEST(TextTest, RejectsDeepNesting) {
  Inner value;
  EXPECT_FALSE(Parse(std::string(1000, '('), &value).ok());
}

TEST(TextTest, RoundTripsThroughText) {
  Outer value;
  ASSERT_TRUE(Parse(Print(Sample()), &value).ok());
  EXPECT_EQ(Encode(value), Encode(Sample()));
}

TEST(FieldsTest, RoundTripsThroughBytes) {
  Outer value;
  ASSERT_TRUE(Decode(Encode(Sample()), &value).ok());
  EXPECT_EQ(Print(value), Print(Sample()));
}

TEST(FieldsTest, RejectsEveryTruncation) {
  std::string bytes = Encode(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    Outer value;
    EXPECT_EQ(Decode(std::string_view(bytes).substr(0, size), &value).code(), absl::StatusCode::kInvalidArgument) << size;
  }
}

TEST(FieldsTest, RejectsBytesLeftOver) {
  Outer value;
  EXPECT_FALSE(Decode(Encode(Sample()) + "x", &value).ok());
}

TEST(FieldsTest, RejectsCountLargerThanInput) {
  Inner value;
  EXPECT_FALSE(Decode("\xff\xff\xff\xff\x0f", &value).ok());
}

}  // namespace
}  // namespace framegate
