// Code objects that real compilers made, for tests: tools/dump_code.py is run under each interpreter that tools/find-python finds.
// REQUIRES (tests only): FRAMEGATE_SOURCE_DIR.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/strings.h"
#include "model/code_image.h"

namespace framegate::translator {

inline std::string ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Records of tools/dump_code.py.
inline std::vector<std::shared_ptr<const model::CodeImage>> ReadDump(std::string_view bytes) {
  std::vector<std::shared_ptr<const model::CodeImage>> images;
  while (bytes.size() >= 4) {
    uint32_t size = 0;
    std::memcpy(&size, bytes.data(), 4);
    auto image = std::make_shared<model::CodeImage>();
    absl::Status status = framegate::Decode(bytes.substr(4, size), image.get());
    if (!status.ok()) {
      ADD_FAILURE() << status;
      break;
    }
    images.push_back(std::move(image));
    bytes.remove_prefix(std::min<size_t>(bytes.size(), 4 + size));
  }
  return images;
}

// Empty where there is no such interpreter.
inline std::vector<std::shared_ptr<const model::CodeImage>> RealCode(model::PyVersion version, std::string_view files) {
  std::string path = StrCat(testing::TempDir(), "/framegate_code_", static_cast<int>(version), ".", getpid());
  std::string python = StrCat("\"$(", FRAMEGATE_SOURCE_DIR, "/tools/find-python ", EnumText(version), ")\"");
  std::string command = StrCat(python, " ", FRAMEGATE_SOURCE_DIR, "/tools/dump_code.py ", path, " ", files, " 2>/dev/null");
  std::vector<std::shared_ptr<const model::CodeImage>> images;
  if (std::system(command.c_str()) == 0)
    images = ReadDump(ReadWholeFile(path));
  std::remove(path.c_str());
  return images;
}

}  // namespace framegate::translator
