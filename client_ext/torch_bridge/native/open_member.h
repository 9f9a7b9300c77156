// Private fields of torch's classes, read where the public way is too slow for a check. An explicit instantiation may name a private
// member; this module is compiled for, and runs with, exactly one torch (module.cc), and only versions listed here are read this way.
#pragma once

#include <torch/version.h>

#define FRAMEGATE_KNOWS_TORCH (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR == 13)

namespace framegate::client {

template <typename Tag, auto Member>
struct OpenMember {
  friend constexpr auto MemberOf(Tag) { return Member; }
};

// In namespace framegate::client: FRAMEGATE_OPEN(Name, &Class::member) lets `object.*MemberOf(Name())` be written.
#define FRAMEGATE_OPEN(Name, member) \
  struct Name {};                    \
  constexpr auto MemberOf(Name);     \
  template struct OpenMember<Name, member>

}  // namespace framegate::client
