#include "translator/values/parts.h"

#include "absl/container/flat_hash_set.h"

namespace framegate::translator {

namespace {

using Visit = std::function<void(V)>;

void VisitAll(const Values& values, const Visit& visit) {
  for (V value : values)
    visit(value);
}

void VisitNamed(const std::vector<std::pair<std::string, V>>& named, const Visit& visit) {
  for (const auto& [name, value] : named)
    visit(value);
}

bool Holds(V value, absl::flat_hash_set<V>* seen) {
  if (auto* lazy = As<LazyValue>(value))
    value = lazy->resolved;
  if (value == nullptr || !seen->insert(value).second)
    return false;
  if (auto* tensor = As<TensorValue>(value))
    return tensor->node != UINT32_MAX;
  bool found = false;
  if (!value->is_real())
    VisitParts(value, [&](V part) { found = found || Holds(part, seen); });
  return found;
}

}  // namespace

ObjectValue* EntryOf(V traceback) {
  if (auto* lazy = As<LazyValue>(traceback))
    traceback = lazy->resolved;
  auto* entry = As<ObjectValue>(traceback);
  return entry != nullptr && entry->hint == "traceback" && As<ObjectValue>(entry->arguments[0]) != nullptr ? entry : nullptr;
}

void VisitParts(V value, const Visit& visit) {
  if (auto* sequence = As<SequenceValue>(value)) {
    VisitAll(sequence->items, visit);
    visit(sequence->attributes);
  } else if (auto* mapping = As<MappingValue>(value)) {
    for (const auto& [key, item] : mapping->items) {
      visit(key);
      visit(item);
    }
    visit(mapping->attributes);
    visit(mapping->default_factory);
  } else if (auto* set = As<SetValue>(value)) {
    VisitAll(set->items, visit);
  } else if (auto* object = As<ObjectValue>(value)) {
    VisitAll(object->arguments, visit);
    VisitNamed(object->attributes, visit);
    visit(object->cause);
    visit(object->context);
    V given = object->traceback;
    while (ObjectValue* entry = EntryOf(given))
      given = entry->traceback;
    visit(given);
    visit(object->payload);
  } else if (auto* type = As<TypeValue>(value)) {
    VisitNamed(type->own, visit);
    for (TypeValue* base : type->bases)
      visit(base);
    visit(type->type);
  } else if (auto* function = As<FunctionValue>(value)) {
    visit(function->globals);
    visit(function->defaults);
    visit(function->kwdefaults);
    VisitAll(function->closure, visit);
    VisitNamed(function->attributes, visit);
  } else if (auto* method = As<MethodValue>(value)) {
    visit(method->function);
    visit(method->self);
  } else if (auto* cell = As<CellValue>(value)) {
    visit(cell->contents);
  } else if (auto* iterator = As<IteratorValue>(value)) {
    visit(iterator->source);
    VisitAll(iterator->sources, visit);
    VisitAll(iterator->items, visit);
  } else if (auto* generator = As<GeneratorValue>(value); generator != nullptr && generator->frame == nullptr) {
    visit(generator->function);
  } else if (generator != nullptr) {
    visit(generator->frame->function);
    VisitAll(generator->frame->slots, visit);
    VisitAll(generator->frame->stack, visit);
  } else if (auto* residual = As<ResidualValue>(value)) {
    visit(residual->of);
    visit(residual->key);
  } else if (auto* slice = As<SliceValue>(value)) {
    VisitAll({slice->start, slice->stop, slice->step}, visit);
  } else if (auto* super = As<SuperValue>(value)) {
    visit(super->self);
  } else if (auto* view = As<ViewValue>(value)) {
    visit(view->target);
  } else if (auto* partial = As<PartialValue>(value)) {
    visit(partial->function);
    VisitAll(partial->args, visit);
    VisitNamed(partial->kwargs, visit);
    VisitNamed(partial->attributes, visit);
  }
}

bool HoldsGraphResult(V value) {
  absl::flat_hash_set<V> seen;
  return Holds(value, &seen);
}

}  // namespace framegate::translator
