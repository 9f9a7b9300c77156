#include "client_ext/torch_bridge/native/names.h"

#include <torch/csrc/Dtype.h>
#include <torch/csrc/DynamicTypes.h>
#include <torch/csrc/Layout.h>
#include <torch/csrc/MemoryFormat.h>
#include <torch/csrc/utils/tensor_memoryformats.h>

#include "base/strings.h"

namespace framegate::client {

namespace {

// Layouts and memory formats have no count of their own; numbers after the last are ignored.
constexpr int kMostLayouts = 16;
constexpr int kMostFormats = 8;

// Looks an enumerator up by its text; each call walks the few there are, when a program is linked.
template <typename Enum>
std::optional<Enum> Find(std::string_view text, int count) {
  for (int i = 0; i < count; ++i)
    if (TextOf(static_cast<Enum>(i)) == text)
      return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace

std::string TextOf(c10::ScalarType dtype) {
  try {
    const THPDtype* object = torch::getTHPDtype(dtype);
    return object ? StrCat("torch.", std::string_view(object->name)) : std::string();
  } catch (const std::exception&) {  // one that Python does not know
    return {};
  }
}

std::string TextOf(c10::Layout layout) {
  if (layout >= c10::Layout::NumOptions)
    return {};
  try {
    const THPLayout* object = torch::getTHPLayout(layout);
    return object ? object->name : std::string();
  } catch (const std::exception&) {
    return {};
  }
}

std::string TextOf(c10::Device device) {
  return device.str();
}

std::string TextOf(c10::MemoryFormat format) {
  if (format >= c10::MemoryFormat::NumOptions)
    return {};
  const auto* object = reinterpret_cast<THPMemoryFormat*>(torch::utils::getTHPMemoryFormat(format));
  return object ? object->name : std::string();
}

std::optional<c10::ScalarType> DtypeOf(std::string_view text) {
  return Find<c10::ScalarType>(text, static_cast<int>(c10::ScalarType::NumOptions));
}

std::optional<c10::Layout> LayoutOf(std::string_view text) {
  return Find<c10::Layout>(text, kMostLayouts);
}

std::optional<c10::MemoryFormat> MemoryFormatOf(std::string_view text) {
  return Find<c10::MemoryFormat>(text, kMostFormats);
}

std::optional<c10::Device> DeviceOf(std::string_view text) {
  try {
    return c10::Device(std::string(text));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace framegate::client
