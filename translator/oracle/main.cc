// framegate_bytecode_oracle round-trip < records, or: framegate_bytecode_oracle programs 3.12
#include <cstdio>
#include <cstring>
#include <string>

#include "translator/oracle/oracle.h"

int main(int argc, char** argv) {
  using namespace framegate;
  absl::Status status = absl::InvalidArgumentError("usage: framegate_bytecode_oracle round-trip | programs VERSION");
  model::PyVersion version;
  if (argc == 2 && std::strcmp(argv[1], "round-trip") == 0)
    status = translator::oracle::RoundTrip();
  else if (argc == 3 && std::strcmp(argv[1], "programs") == 0 && model::EnumFromText(argv[2], &version))
    status = translator::oracle::Programs(version);
  if (!status.ok())
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return status.ok() ? 0 : 1;
}
