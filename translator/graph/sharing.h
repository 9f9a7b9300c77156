// Which tensors change with one that is changed in place: views require gradients as soon as what they are views of does.
#pragma once

#include <functional>

#include "translator/values/session.h"

namespace framegate::translator {

// The metadata of a tensor from here on, and what follows for those that share its memory.
void SetFacts(Session& s, TensorValue* tensor, const model::TensorFacts& facts);

// What it is a view of in the end, as gradients see it; itself where it is none.
TensorValue* RootOf(TensorValue* tensor);
// A tensor in it is from outside the segment or may share memory with one that is.
bool IsFromOutside(Session& s, V value);
// The inputs of the segment whose memory a node writes to with `written`, which look like `after` afterwards; null: something else that is
// there before and after the segment, or that cannot be put back as it was.
std::vector<TensorValue*> WrittenInputs(Session& s, const Values& written, const std::vector<model::TensorFacts>& after);
// Whether all that the graph writes to, and `more`, can be put back where it fails: inputs, small enough to be copied in each run.
bool CanPutBack(Session& s, const std::vector<TensorValue*>& more = {});

// torch.Generator: graphs take its instances as they are.
bool IsGeneratorType(const TypeValue* type);

// The tensors of a value, in sequences and mappings too.
void ForEachTensor(Session& s, V value, const std::function<void(TensorValue*)>& visit, int depth = 0);

}  // namespace framegate::translator
