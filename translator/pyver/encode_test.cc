#include "translator/pyver/encode.h"

#include <random>

#include <gtest/gtest.h>

#include "translator/pyver/real_code.h"

namespace framegate::translator {
namespace {

using model::CodeImage;
using model::PyVersion;

constexpr char kFiles[] =
    "contextlib.py typing.py asyncio/base_events.py test/test_patma.py test/test_except_star.py test/test_coroutines.py";

class RealCodeTest : public testing::TestWithParam<PyVersion> {
 protected:
  void SetUp() override {
    absl::StatusOr<RealImages> images = RealCode(GetParam(), kFiles);
    if (absl::IsNotFound(images.status()))
      GTEST_SKIP() << images.status();
    ASSERT_TRUE(images.ok()) << images.status();
    images_ = *std::move(images);
  }

  RealImages images_;
};

TEST_P(RealCodeTest, ComesBackAsItWas) {
  for (const auto& image : images_) {
    absl::StatusOr<DecodedCode> code = Decode(image);
    ASSERT_TRUE(code.ok()) << code.status();
    absl::StatusOr<CodeImage> again = EncodeCode(*code);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->code, image->code) << image->qualname;
    EXPECT_EQ(again->exceptiontable, image->exceptiontable) << image->qualname;
  }
}

bool SameHandler(const Handler& a, const Handler& b) {
  return a.target == b.target && a.depth == b.depth && a.lasti == b.lasti;
}

bool SameRun(const SpanRun& a, const SpanRun& b) {
  return a.first == b.first && a.span == b.span;
}

// What is accepted, however odd, must not lose anything either.
void ExpectLossless(const DecodedCode& code) {
  absl::StatusOr<CodeImage> again = EncodeCode(code);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->code, code.image->code);
  absl::StatusOr<DecodedCode> second = Decode(std::make_shared<CodeImage>(*again));
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_TRUE(std::equal(code.handlers.begin(), code.handlers.end(), second->handlers.begin(), second->handlers.end(), SameHandler));
  EXPECT_TRUE(std::equal(code.spans.begin(), code.spans.end(), second->spans.begin(), second->spans.end(), SameRun));
}

void Mutate(std::string* bytes, std::mt19937& random) {
  if (bytes->empty())
    return;
  size_t at = random() % bytes->size();
  switch (random() % 4) {
    case 0:
      (*bytes)[at] = static_cast<char>(random());
      break;
    case 1:
      (*bytes)[at] = static_cast<char>((*bytes)[at] ^ 1 << random() % 8);
      break;
    case 2:
      bytes->erase(at, 1 + random() % 4);
      break;
    case 3:
      bytes->insert(at, 1 + random() % 4, static_cast<char>(random()));
      break;
  }
}

TEST_P(RealCodeTest, AnyBytesAreRefusedOrKept) {
  std::mt19937 random(20240611);
  size_t accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    CodeImage image = *images_[random() % images_.size()];
    std::string* targets[] = {&image.code, &image.code, &image.exceptiontable, &image.linetable, &image.localspluskinds};
    for (uint32_t count = 1 + random() % 3; count > 0; --count)
      Mutate(targets[random() % std::size(targets)], random);
    if (random() % 8 == 0)
      image.names.resize(image.names.size() / 2);
    if (random() % 8 == 0)
      image.consts.resize(image.consts.size() / 2);
    if (random() % 8 == 0)
      image.version = static_cast<PyVersion>(11 + random() % 3);
    absl::StatusOr<DecodedCode> code = Decode(std::make_shared<CodeImage>(std::move(image)));
    if (!code.ok())
      continue;
    ++accepted;
    ExpectLossless(*code);
    if (HasFailure())
      return;
  }
  EXPECT_GT(accepted, 100u);
}

INSTANTIATE_TEST_SUITE_P(Versions, RealCodeTest, testing::Values(PyVersion::k311, PyVersion::k312, PyVersion::k313),
                         [](const auto& row) { return StrCat("v3", static_cast<int>(row.param)); });

}  // namespace
}  // namespace framegate::translator
