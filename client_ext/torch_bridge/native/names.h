// torch's enumerators and the text they have in model::Constant and TensorFacts: torch.float32, cuda:0, torch.strided, torch.channels_last.
// GIL held. Unknown text gives none.
#pragma once

#include <Python.h>

#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/ScalarType.h>

#include <optional>
#include <string>
#include <string_view>

namespace framegate::client {

std::string TextOf(c10::ScalarType dtype);
std::string TextOf(c10::Layout layout);
std::string TextOf(c10::Device device);
std::string TextOf(c10::MemoryFormat format);

std::optional<c10::ScalarType> DtypeOf(std::string_view text);
std::optional<c10::Layout> LayoutOf(std::string_view text);
std::optional<c10::Device> DeviceOf(std::string_view text);
std::optional<c10::MemoryFormat> MemoryFormatOf(std::string_view text);

}  // namespace framegate::client
