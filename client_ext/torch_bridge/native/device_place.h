// A device as one number, for comparing. Pure functions.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace framegate::client {

// Never negative.
inline int32_t PlaceOf(c10::Device device) noexcept {
  return static_cast<int32_t>(device.type()) << 8 | static_cast<uint8_t>(device.index());
}

inline c10::Device DeviceAt(int32_t place) {
  return {static_cast<c10::DeviceType>(place >> 8), static_cast<c10::DeviceIndex>(static_cast<int8_t>(place & 0xff))};
}

}  // namespace framegate::client
