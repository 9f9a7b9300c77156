#include "client_ext/torch_bridge/native/ambient.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

#include <memory>

#include "client_ext/torch_bridge/native/ambient_state.h"
#include "client_ext/torch_bridge/native/device_place.h"
#include "client_ext/torch_bridge/native/function_modes.h"
#include "client_ext/torch_bridge/native/names.h"

namespace framegate::client {

// The parts a program asks for. Several of one part are possible.
struct AmbientPattern {
  struct Mode {
    std::string name;
    PyTypeObject* pinned = nullptr;  // borrowed; compared only, and named anew when it differs
  };

  AmbientState expected;
  AmbientState mask;                // of all parts
  std::vector<AmbientState> masks;  // per part, in the order asked
  std::vector<Mode> modes;
  int modes_part = -1;  // which part asks for the modes
  int impossible = -1;  // the first part whose value no state of this torch has
};

namespace {

using model::AmbientPart;
using model::Constant;
using model::ConstantKind;

constexpr const char* kPrecisions[] = {"highest", "high", "medium"};

Constant DtypeAt(uint8_t place) {
  return Constant::Named(ConstantKind::kDtype, TextOf(static_cast<c10::ScalarType>(place)));
}

Constant ReadAutocastRows(const AmbientState& state) {
  std::vector<Constant> rows;
  for (size_t i = 0; i < kAutocastDevices; ++i)
    if (state.autocast[i] != kAutocastOff)
      rows.push_back(Constant::Tuple(
          {Constant::Str(c10::DeviceTypeName(at::autocast::_AUTOCAST_SUPPORTED_DEVICES[i], true)), DtypeAt(state.autocast[i])}));
  return Constant::Tuple(std::move(rows));
}

Constant ReadAutocastDtypes(const AmbientState& state) {
  std::vector<Constant> dtypes;
  for (uint8_t dtype : state.autocast_dtypes)
    dtypes.push_back(DtypeAt(dtype));
  return Constant::Tuple(std::move(dtypes));
}

Constant ReadMatmul(const AmbientState& state) {
  std::vector<Constant> parts = {Constant::Str(kPrecisions[state.precision % std::size(kPrecisions)])};
  for (uint8_t value : state.matmul_switches)
    parts.push_back(Constant::Bool(value != 0));
  return Constant::Tuple(std::move(parts));
}

Constant ReadModes(const AmbientState& state) {
  std::vector<Constant> names;
  for (PyTypeObject* type : FunctionModes())
    names.push_back(Constant::Str(NameOfType(type)));
  return Constant::Tuple({Constant::Int(state.function_state), Constant::Tuple(std::move(names))});
}

Constant ReadPart(AmbientPart part, const AmbientState& state) {
  switch (part) {
    case AmbientPart::kGradMode:
      return Constant::Bool(state.grad_mode);
    case AmbientPart::kInferenceMode:
      return Constant::Bool(state.inference_mode);
    case AmbientPart::kDefaultDtype:
      return DtypeAt(state.default_dtype);
    case AmbientPart::kDefaultDevice:
      return state.default_device < 0 ? Constant::None() : Constant::Named(ConstantKind::kDevice, TextOf(DeviceAt(state.default_device)));
    case AmbientPart::kAutocast:
      return ReadAutocastRows(state);
    case AmbientPart::kAutocastDtypes:
      return ReadAutocastDtypes(state);
    case AmbientPart::kAutocastCache:
      return Constant::Bool(state.autocast_cache);
    case AmbientPart::kDeterministic:
      return Constant::Tuple({Constant::Bool(state.deterministic), Constant::Bool(state.deterministic_warn_only)});
    case AmbientPart::kTorchFunction:
      return ReadModes(state);
    case AmbientPart::kThreads:
      return Constant::Int(state.threads);
    case AmbientPart::kMatmul:
      return ReadMatmul(state);
    case AmbientPart::kFunctorch:
      return Constant::Int(state.functorch);
    case AmbientPart::kDispatchModes:
      return Constant::Int(state.dispatch_modes);
    case AmbientPart::kSavedTensorHooks:
      return Constant::Int(state.saved_hooks);
    case AmbientPart::kForwardAd:
      return Constant::Int(state.forward_level);
  }
  return Constant::None();
}

// The inverse of ReadPart, field by field; false where the constant is none that ReadPart gives.

bool Take(const Constant& value, uint8_t* field) {
  *field = value.is_true();
  return value.is_bool();
}

bool Take(const Constant& value, int32_t* field) {
  *field = static_cast<int32_t>(value.integer);
  return value.is_int() && *field == value.integer;
}

bool TakeDtype(const Constant& value, uint8_t* field) {
  std::optional<c10::ScalarType> dtype = DtypeOf(value.text);
  *field = static_cast<uint8_t>(dtype.value_or(c10::ScalarType::Undefined));
  return value.kind == ConstantKind::kDtype && dtype.has_value();
}

bool TakeDevice(const Constant& value, int32_t* field) {
  std::optional<c10::Device> device = DeviceOf(value.text);
  *field = device && !value.is_none() ? PlaceOf(*device) : -1;
  return value.is_none() || (value.kind == ConstantKind::kDevice && device.has_value());
}

bool TakeAutocast(const Constant& value, AmbientState* state) {
  std::memset(state->autocast, kAutocastOff, sizeof state->autocast);
  for (const Constant& row : value.items) {
    size_t place = 0;
    while (row.items.size() == 2 && place < kAutocastDevices &&
           row.items[0].text != c10::DeviceTypeName(at::autocast::_AUTOCAST_SUPPORTED_DEVICES[place], true))
      ++place;
    if (row.items.size() != 2 || place == kAutocastDevices || state->autocast[place] != kAutocastOff ||
        !TakeDtype(row.items[1], &state->autocast[place]))
      return false;
  }
  return value.kind == ConstantKind::kTuple;
}

bool TakeAutocastDtypes(const Constant& value, AmbientState* state) {
  bool fine = value.items.size() == kAutocastDtypes;
  for (size_t place = 0; fine && place < kAutocastDtypes; ++place)
    fine = TakeDtype(value.items[place], &state->autocast_dtypes[place]);
  return fine;
}

bool TakeMatmul(const Constant& value, AmbientState* state) {
  if (value.items.size() != 1 + kMatmulSwitches)
    return false;
  while (state->precision < std::size(kPrecisions) && value.items[0].text != kPrecisions[state->precision])
    ++state->precision;
  bool fine = state->precision < std::size(kPrecisions);
  for (size_t i = 0; i < kMatmulSwitches; ++i)
    fine = Take(value.items[1 + i], &state->matmul_switches[i]) && fine;
  return fine;
}

bool TakeModes(const Constant& value, AmbientPattern* pattern) {
  if (value.items.size() != 2 || !value.items[0].is_int() || value.items[0].integer < 0 || value.items[0].integer > 2)
    return false;
  pattern->expected.function_state = static_cast<uint8_t>(value.items[0].integer);
  pattern->expected.function_modes = static_cast<int32_t>(value.items[1].items.size());
  pattern->modes.clear();
  for (const Constant& name : value.items[1].items)
    pattern->modes.push_back({.name = name.text});
  return true;
}

bool TakePart(AmbientPart part, const Constant& value, AmbientPattern* pattern) {
  AmbientState& state = pattern->expected;
  switch (part) {
    case AmbientPart::kGradMode:
      return Take(value, &state.grad_mode);
    case AmbientPart::kInferenceMode:
      return Take(value, &state.inference_mode);
    case AmbientPart::kDefaultDtype:
      return TakeDtype(value, &state.default_dtype);
    case AmbientPart::kDefaultDevice:
      return TakeDevice(value, &state.default_device);
    case AmbientPart::kAutocast:
      return TakeAutocast(value, &state);
    case AmbientPart::kAutocastDtypes:
      return TakeAutocastDtypes(value, &state);
    case AmbientPart::kAutocastCache:
      return Take(value, &state.autocast_cache);
    case AmbientPart::kDeterministic:
      return value.items.size() == 2 && Take(value.items[0], &state.deterministic) && Take(value.items[1], &state.deterministic_warn_only);
    case AmbientPart::kTorchFunction:
      return TakeModes(value, pattern);
    case AmbientPart::kThreads:
      return Take(value, &state.threads);
    case AmbientPart::kMatmul:
      return TakeMatmul(value, &state);
    case AmbientPart::kFunctorch:
      return Take(value, &state.functorch);
    case AmbientPart::kDispatchModes:
      return Take(value, &state.dispatch_modes);
    case AmbientPart::kSavedTensorHooks:
      return Take(value, &state.saved_hooks);
    case AmbientPart::kForwardAd:
      return Take(value, &state.forward_level);
  }
  return false;
}

// A mode's type counts by name; the pointer that had it last is tried first.
bool ModesMatch(AmbientPattern* pattern) noexcept {
  for (size_t i = 0; i < pattern->modes.size(); ++i) {
    AmbientPattern::Mode& mode = pattern->modes[i];
    PyTypeObject* type = FunctionMode(i);
    if (type == nullptr || (type != mode.pinned && !IsNamed(type, mode.name)))
      return false;
    mode.pinned = type;
  }
  return true;
}

int FirstDifference(const AmbientPattern& pattern, const AmbientState& state) noexcept {
  for (size_t i = 0; i < pattern.masks.size(); ++i)
    if (Differ(state, pattern.expected, pattern.masks[i]))
      return static_cast<int>(i);
  return 0;
}

// The part was asked for already, with another value.
bool ContradictsBefore(const std::vector<std::pair<uint8_t, Constant>>& parts, int index) {
  for (int i = 0; i < index; ++i)
    if (parts[i].first == parts[index].first && !(parts[i].second == parts[index].second))
      return true;
  return false;
}

void AddMask(const AmbientState& more, AmbientState* mask) {
  auto* to = reinterpret_cast<unsigned char*>(mask);
  const auto* from = reinterpret_cast<const unsigned char*>(&more);
  for (size_t i = 0; i < sizeof more; ++i)
    to[i] |= from[i];
}

}  // namespace

namespace native {

Constant ReadAmbient() {
  AmbientState state;
  std::vector<Constant> parts;
  if (!ReadState(&state))
    return Constant::Tuple({});
  for (size_t part = 0; part < model::kAmbientParts; ++part)
    parts.push_back(ReadPart(static_cast<AmbientPart>(part), state));
  return Constant::Tuple(std::move(parts));
}

AmbientPattern* MakeAmbientPattern(const std::vector<std::pair<uint8_t, Constant>>& parts) {
  auto pattern = std::make_unique<AmbientPattern>();
  pattern->mask = {.default_device = 0, .forward_level = 0};
  for (const auto& [number, value] : parts) {
    const auto part = static_cast<AmbientPart>(number);
    const int index = static_cast<int>(pattern->masks.size());
    const bool known = number < model::kAmbientParts && !ContradictsBefore(parts, index);
    pattern->masks.push_back(known ? MaskOf(part) : AmbientState{.default_device = 0, .forward_level = 0});
    AddMask(pattern->masks.back(), &pattern->mask);
    if (part == AmbientPart::kTorchFunction)
      pattern->modes_part = index;
    if ((!known || !TakePart(part, value, pattern.get())) && pattern->impossible < 0)
      pattern->impossible = index;
  }
  return pattern.release();
}

void FreeAmbientPattern(AmbientPattern* pattern) noexcept {
  delete pattern;
}

int FailingAmbient(AmbientPattern* pattern) noexcept {
  AmbientState state;
  if (pattern->impossible >= 0)
    return pattern->impossible;
  if (!ReadState(&state))
    return 0;
  if (Differ(state, pattern->expected, pattern->mask))
    return FirstDifference(*pattern, state);
  return pattern->modes.empty() || ModesMatch(pattern) ? -1 : pattern->modes_part;
}

}  // namespace native

}  // namespace framegate::client
