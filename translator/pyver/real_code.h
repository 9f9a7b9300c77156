// Code objects that real compilers made, for tests and benchmarks: tools/dump_code.py is run under the interpreter that tools/find-python
// finds. Uses FRAMEGATE_SOURCE_DIR.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "model/code_image.h"

namespace framegate::translator {

using RealImages = std::vector<std::shared_ptr<const model::CodeImage>>;

// Records of tools/dump_code.py.
inline absl::StatusOr<RealImages> ReadDump(std::string_view bytes) {
  RealImages images;
  while (bytes.size() >= 4) {
    uint32_t size = 0;
    std::memcpy(&size, bytes.data(), 4);
    auto image = std::make_shared<model::CodeImage>();
    RETURN_IF_ERROR(framegate::Decode(bytes.substr(4, size), image.get()));
    images.push_back(std::move(image));
    bytes.remove_prefix(std::min<size_t>(bytes.size(), size_t{4} + size));
  }
  return images;
}

// Code objects of these files of the standard library. NotFound where there is no such interpreter.
inline absl::StatusOr<RealImages> RealCode(model::PyVersion version, std::string_view files) {
  std::string path = StrCat(std::filesystem::temp_directory_path().string(), "/framegate_code.", EnumText(version), ".", getpid());
  std::string python = StrCat("\"$(", FRAMEGATE_SOURCE_DIR, "/tools/find-python ", EnumText(version), ")\"");
  std::string command = StrCat(python, " ", FRAMEGATE_SOURCE_DIR, "/tools/dump_code.py ", path, " ", files, " 2>/dev/null");
  if (std::system(command.c_str()) != 0)
    return absl::NotFoundError(StrCat("no CPython ", EnumText(version)));
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  std::remove(path.c_str());
  return ReadDump(bytes);
}

}  // namespace framegate::translator
