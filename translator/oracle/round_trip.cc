#include <cstdio>
#include <cstring>
#include <memory>

#include "base/strings.h"
#include "model/code_image.h"
#include "translator/oracle/oracle.h"
#include "translator/pyver/decode.h"
#include "translator/pyver/encode.h"

namespace framegate::translator::oracle {

namespace {

void WriteBytes(const std::string& bytes) {
  uint32_t size = static_cast<uint32_t>(bytes.size());
  std::fwrite(&size, sizeof size, 1, stdout);
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
}

absl::Status RoundTripOne(const std::string& record) {
  auto image = std::make_shared<model::CodeImage>();
  RETURN_IF_ERROR(framegate::Decode(record, image.get()));
  ASSIGN_OR_RETURN(DecodedCode code, translator::Decode(image));
  ASSIGN_OR_RETURN(model::CodeImage again, EncodeCode(code));
  WriteBytes(again.code);
  WriteBytes(again.exceptiontable);
  WriteBytes(again.linetable);
  return absl::OkStatus();
}

}  // namespace

absl::Status RoundTrip() {
  std::string record;
  uint32_t size = 0;
  for (size_t index = 0; std::fread(&size, sizeof size, 1, stdin) == 1; ++index) {
    record.resize(size);
    if (std::fread(record.data(), 1, size, stdin) != size)
      return absl::InvalidArgumentError("the input ends inside a record");
    if (absl::Status status = RoundTripOne(record); !status.ok())
      return absl::Status(status.code(), std::string(status.message()) + ", record " + std::to_string(index));
  }
  return absl::OkStatus();
}

}  // namespace framegate::translator::oracle
