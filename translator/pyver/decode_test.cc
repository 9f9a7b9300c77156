#include "translator/pyver/decode.h"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "translator/pyver/real_code.h"

namespace framegate::translator {
namespace {

using model::CodeImage;
using model::PyVersion;

constexpr char kFiles[] = "contextlib.py test/test_patma.py test/test_except_star.py test/test_coroutines.py asyncio/base_events.py typing.py";

class RealCodeTest : public testing::TestWithParam<PyVersion> {};

TEST_P(RealCodeTest, Decodes) {
  auto images = RealCode(GetParam(), kFiles);
  if (images.empty())
    GTEST_SKIP() << "no CPython " << EnumText(GetParam());
  for (const auto& image : images) {
    absl::StatusOr<DecodedCode> code = Decode(image);
    ASSERT_TRUE(code.ok()) << code.status();
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, RealCodeTest, testing::Values(PyVersion::k311, PyVersion::k312, PyVersion::k313),
                         [](const auto& row) { return StrCat("v3", static_cast<int>(row.param)); });

}  // namespace
}  // namespace framegate::translator
