#include "translator/graph/meta/ambient.h"

namespace framegate::translator::meta {
namespace {

using model::AmbientPart;
using model::Constant;
using model::ConstantKind;

const Constant& PartOf(const Constant& fact, AmbientPart part) {
  return fact.items[static_cast<size_t>(part)];
}

// Nothing that intercepts operations is active.
bool IsPlain(const Constant& fact) {
  const Constant& modes = PartOf(fact, AmbientPart::kTorchFunction);
  if (modes.items.size() == 2 && !modes.items[1].items.empty())
    return false;
  for (AmbientPart depth : {AmbientPart::kFunctorch, AmbientPart::kDispatchModes})
    if (PartOf(fact, depth).is_int() && PartOf(fact, depth).integer > 0)
      return false;
  const Constant& level = PartOf(fact, AmbientPart::kForwardAd);
  return !level.is_int() || level.integer < 0;
}

bool ReadAutocast(const Constant& rows, Ambient* ambient) {
  for (const Constant& row : rows.items) {
    if (row.items.size() != 2 || !row.items[0].is_str())
      return false;
    if (row.items[0].text != "cpu")
      continue;
    ambient->autocast = DTypeFromText(row.items[1].text);
    if (!ambient->autocast)
      return false;
  }
  return true;
}

}  // namespace

std::optional<Ambient> ReadAmbient(const Constant& fact) {
  if (fact.items.size() != model::kAmbientParts || !IsPlain(fact))
    return std::nullopt;
  Ambient ambient;
  ambient.inference = PartOf(fact, AmbientPart::kInferenceMode).is_true();
  ambient.grad = PartOf(fact, AmbientPart::kGradMode).is_true() && !ambient.inference;
  std::optional<DType> dtype = DTypeFromText(PartOf(fact, AmbientPart::kDefaultDtype).text);
  if (!dtype || !ReadAutocast(PartOf(fact, AmbientPart::kAutocast), &ambient))
    return std::nullopt;
  ambient.default_dtype = *dtype;
  if (const Constant& device = PartOf(fact, AmbientPart::kDefaultDevice); !device.text.empty())
    ambient.default_device = device.text;
  return ambient;
}

}  // namespace framegate::translator::meta
