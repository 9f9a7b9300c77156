// What the assembler writes, the client's verifier accepts. Here and not beside one of them, because neither may know the other.
#include <gtest/gtest.h>

#include "client_ext/verify/bytecode.h"
#include "translator/oracle/oracle.h"

namespace framegate {
namespace {

TEST(AssembledTest, TheVerifierAcceptsEveryProgram) {
  for (model::PyVersion version : {model::PyVersion::k311, model::PyVersion::k312, model::PyVersion::k313}) {
    absl::StatusOr<std::vector<model::NewCode>> codes = translator::oracle::AssembledPrograms(version);
    ASSERT_TRUE(codes.ok()) << codes.status();
    for (const model::NewCode& code : *codes) {
      client::ExpectedCode expected;
      expected.version = version;
      expected.argcount = code.image.argcount;
      expected.slots.assign(code.image.argcount, client::SlotContent::kCallable);
      expected.origin_units = 1;
      expected.globals = {"len"};
      expected.attributes = {"imag", "split"};
      EXPECT_TRUE(client::VerifyCode(code, expected).ok())
          << EnumText(version) << " " << code.image.name << ": " << client::VerifyCode(code, expected);
    }
  }
}

}  // namespace
}  // namespace framegate
