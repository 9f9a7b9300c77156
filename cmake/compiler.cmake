# Language, warnings and flags that hold for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# The extension links the same static libraries as the daemon. -fPIC (CMake would give executables
# -fPIE) and -pthread (gRPC and GoogleTest would add it) are given to all, so that one precompiled
# header serves every target; hidden visibility so that nothing of ours meets a symbol of another
# library in the user's process.
add_compile_options(-fPIC -pthread)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

add_compile_options(-Wall -Wextra -Wshadow -Werror=switch
                    -Wmissing-declarations -Werror=missing-declarations)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Asks for an initializer of every field, also of those that have a default in the class.
  add_compile_options(-Wno-missing-field-initializers)
endif()
if(FRAMEGATE_SANITIZE)
  add_compile_options(-fsanitize=${FRAMEGATE_SANITIZE} -fno-omit-frame-pointer)
  if(FRAMEGATE_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)  # a report must fail the test
  endif()
  add_link_options(-fsanitize=${FRAMEGATE_SANITIZE})
endif()

# Every binary names its build tree as ".", so that ccache hits across build trees and checkouts
# and no machine's path is shipped.
add_compile_options(-ffile-prefix-map=${CMAKE_BINARY_DIR}=. -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)

# ccache, where it is there. The sloppiness is what its manual demands for precompiled headers: it
# then hashes the header's content and not the time stamp inside it.
find_program(FRAMEGATE_CCACHE ccache)
if(FRAMEGATE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${FRAMEGATE_CCACHE})
  add_compile_options(-fpch-preprocess)
endif()
