# How this project declares libraries, plug-in folders, binaries and what is installed.
#
#   framegate_library(NAME guards_program DIRS program DEPS base model)
#       Static library framegate_guards_program. Includes are written from the repository root.
#       DIRS         folders (relative to the caller) whose *.cc are its sources; or
#       SRCS         its sources one by one; tests and benchmarks beside them are found all the same.
#                    Without either, DIRS is the calling folder itself. No source: a header-only library
#       DEPS         our libraries by the same short names: the layer list
#       PUBLIC_LIBS  imported targets that its headers need    PRIVATE_LIBS  those only its sources need
#       TEST_DEPS    our libraries only its tests need         TEST_LIBS     imported targets, the same
#       MESSAGES     its sources see generated messages (proto/): it is built twice, as
#                    framegate_NAME on full messages and as framegate_NAME_lite on lite ones
#       LITE         prefers the lite twins of its DEPS: for parts of the client
#       NO_PCH       do not use the precompiled header
#     foo_test.cc beside its sources goes into the one GoogleTest binary framegate_NAME_test (label
#     unit); foo_bench.cc becomes framegate_NAME_bench, built by target `benchmarks`.
#
#   framegate_plugins(NAME guards_kinds DIR kinds DEPS ...)
#       The same for a plug-in folder; the name says that files there are found, not listed.
#
#   framegate_binary(NAME framegated SRCS main.cc DEPS server LIBS CLI11::CLI11 [OUTPUT_NAME n])
#       Executable bin/NAME, installed among the Python environment's scripts.

set(FRAMEGATE_LIBRARIES "" CACHE INTERNAL "our libraries so far")

# What an installation needs, without tests: all libraries and binaries; and what goes into a wheel.
add_custom_target(framegate_core)
add_custom_target(framegate_wheel)

# One precompiled header for all; see compiler.cmake for why it fits executables as well.
if(NOT TARGET framegate_precompiled)
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cc.in "// Only there to precompile headers.\n")
  configure_file(${CMAKE_BINARY_DIR}/precompiled.cc.in ${CMAKE_BINARY_DIR}/precompiled.cc COPYONLY)
  add_library(framegate_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
  target_link_libraries(framegate_precompiled PRIVATE absl::flat_hash_map absl::statusor absl::str_format)
  target_precompile_headers(framegate_precompiled PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)
endif()

if(FRAMEGATE_SANITIZE MATCHES "thread")
  add_library(framegate_tsan_absl OBJECT ${PROJECT_SOURCE_DIR}/tests/support/tsan_absl.cc)
  # Visible: they must come before the definitions of absl's shared library.
  set_target_properties(framegate_tsan_absl PROPERTIES CXX_VISIBILITY_PRESET default)
endif()

# Absl parts that any of our code may use.
set(FRAMEGATE_ABSL absl::status absl::statusor absl::strings absl::str_format absl::flat_hash_map
    absl::flat_hash_set absl::inlined_vector absl::synchronization absl::time absl::span absl::hash
    absl::core_headers absl::cord)

function(framegate_library)
  cmake_parse_arguments(arg "MESSAGES;LITE;NO_PCH" "NAME"
      "DIRS;SRCS;DEPS;PUBLIC_LIBS;PRIVATE_LIBS;TEST_DEPS;TEST_LIBS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "framegate_library(${arg_NAME}): unknown ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_DIRS AND NOT arg_SRCS)
    set(arg_DIRS .)
  endif()
  _framegate_sources(sources tests benches DIRS ${arg_DIRS} SRCS ${arg_SRCS})

  set(flavour "")
  if(arg_LITE)
    set(flavour _lite)
  endif()
  _framegate_one_library(framegate_${arg_NAME} "${flavour}")
  if(arg_MESSAGES)
    _framegate_one_library(framegate_${arg_NAME}_lite _lite)
  endif()

  if(FRAMEGATE_BUILD_TESTS AND tests)
    _framegate_executable(framegate_${arg_NAME}_test "${tests}"
        "${arg_NAME};${arg_DEPS};${arg_TEST_DEPS}" "${flavour}")
    target_link_libraries(framegate_${arg_NAME}_test PRIVATE GTest::gmock_main ${arg_TEST_LIBS})
    # Golden files are read, and rewritten, where they lie in the source tree.
    target_compile_definitions(framegate_${arg_NAME}_test PRIVATE FRAMEGATE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_test(NAME ${arg_NAME} COMMAND framegate_${arg_NAME}_test --gtest_brief=1)
    set_tests_properties(${arg_NAME} PROPERTIES LABELS unit TIMEOUT 300)
  endif()
  if(FRAMEGATE_BUILD_TESTS AND benches AND TARGET benchmark::benchmark_main)
    _framegate_executable(framegate_${arg_NAME}_bench "${benches}"
        "${arg_NAME};${arg_DEPS};${arg_TEST_DEPS}" "${flavour}")
    target_link_libraries(framegate_${arg_NAME}_bench PRIVATE benchmark::benchmark_main ${arg_TEST_LIBS})
    set_target_properties(framegate_${arg_NAME}_bench PROPERTIES EXCLUDE_FROM_ALL ON)
    if(NOT TARGET benchmarks)
      add_custom_target(benchmarks)
    endif()
    add_dependencies(benchmarks framegate_${arg_NAME}_bench)
  endif()
endfunction()

function(framegate_plugins)
  cmake_parse_arguments(arg "" "NAME;DIR" "" ${ARGN})
  framegate_library(NAME ${arg_NAME} DIRS ${arg_DIR} ${arg_UNPARSED_ARGUMENTS})
endfunction()

function(framegate_binary)
  cmake_parse_arguments(arg "" "NAME;OUTPUT_NAME" "SRCS;DEPS;LIBS" ${ARGN})
  if(NOT arg_OUTPUT_NAME)
    set(arg_OUTPUT_NAME ${arg_NAME})
  endif()
  _framegate_executable(${arg_NAME} "${arg_SRCS}" "${arg_DEPS}" "")
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBS})
  set_target_properties(${arg_NAME} PROPERTIES OUTPUT_NAME ${arg_OUTPUT_NAME}
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  add_dependencies(framegate_core ${arg_NAME})
  add_dependencies(framegate_wheel ${arg_NAME})
  set_property(GLOBAL APPEND PROPERTY FRAMEGATE_BINARIES ${CMAKE_BINARY_DIR}/bin/${arg_OUTPUT_NAME})
endfunction()

# --- parts of the above -------------------------------------------------------------------------

# One static (or header-only) library from the parsed arguments of framegate_library.
macro(_framegate_one_library target flavour)
  if(sources)
    add_library(${target} STATIC ${sources})
    _framegate_common(${target} PUBLIC "${arg_DEPS}" "${flavour}")
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC_LIBS} PRIVATE ${arg_PRIVATE_LIBS})
  else()
    add_library(${target} INTERFACE)
    _framegate_common(${target} INTERFACE "${arg_DEPS}" "${flavour}")
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC_LIBS})
  endif()
  set(FRAMEGATE_LIBRARIES ${FRAMEGATE_LIBRARIES} ${target} CACHE INTERNAL "")
  add_dependencies(framegate_core ${target})
endmacro()

function(_framegate_executable target sources deps flavour)
  if(FRAMEGATE_SANITIZE MATCHES "thread")
    list(APPEND sources $<TARGET_OBJECTS:framegate_tsan_absl>)
  endif()
  add_executable(${target} ${sources})
  _framegate_common(${target} PRIVATE "${deps}" "${flavour}")
endfunction()

# Include root, libraries by short name (their _lite twin for a lite target, where there is one) and
# the precompiled header.
function(_framegate_common target scope deps flavour)
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR})
  list(REMOVE_ITEM deps "")
  list(REMOVE_DUPLICATES deps)
  foreach(dep IN LISTS deps)
    if(flavour AND TARGET framegate_${dep}${flavour})
      target_link_libraries(${target} ${scope} framegate_${dep}${flavour})
    else()
      target_link_libraries(${target} ${scope} framegate_${dep})
    endif()
  endforeach()
  if(arg_MESSAGES AND NOT scope STREQUAL "PRIVATE")
    target_link_libraries(${target} ${scope} framegate_messages${flavour})
  endif()
  target_link_libraries(${target} ${scope} ${FRAMEGATE_ABSL} Threads::Threads)
  if(NOT scope STREQUAL "INTERFACE" AND NOT arg_NO_PCH)
    target_precompile_headers(${target} REUSE_FROM framegate_precompiled)
  endif()
endfunction()

# Sorts the *.cc of folders into sources, tests and benchmarks. A folder's tests belong to the first
# library that names it.
function(_framegate_sources out_sources out_tests out_benches)
  cmake_parse_arguments(arg "" "" "DIRS;SRCS" ${ARGN})
  set(sources "")
  set(folders "")
  foreach(dir IN LISTS arg_DIRS)
    cmake_path(ABSOLUTE_PATH dir BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    file(GLOB found CONFIGURE_DEPENDS ${dir}/*.cc)
    list(FILTER found EXCLUDE REGEX "_(test|bench)\\.cc$")
    list(APPEND sources ${found})
    list(APPEND folders ${dir})
  endforeach()
  foreach(source IN LISTS arg_SRCS)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND sources ${source})
    cmake_path(GET source PARENT_PATH dir)
    list(APPEND folders ${dir})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(tests "")
  set(benches "")
  foreach(dir IN LISTS folders)
    get_property(owned GLOBAL PROPERTY FRAMEGATE_TESTS_OF_${dir} SET)
    if(owned)
      continue()
    endif()
    set_property(GLOBAL PROPERTY FRAMEGATE_TESTS_OF_${dir} yes)
    file(GLOB found CONFIGURE_DEPENDS ${dir}/*_test.cc)
    list(APPEND tests ${found})
    file(GLOB found CONFIGURE_DEPENDS ${dir}/*_bench.cc)
    list(APPEND benches ${found})
  endforeach()
  set(${out_sources} ${sources} PARENT_SCOPE)
  set(${out_tests} ${tests} PARENT_SCOPE)
  set(${out_benches} ${benches} PARENT_SCOPE)
endfunction()

# --- one core for several Pythons ----------------------------------------------------------------

# Lets another build tree take the libraries (as imported targets) and binaries of this one.
function(framegate_export_core)
  if(FRAMEGATE_CORE OR NOT FRAMEGATE_LIBRARIES)
    return()
  endif()
  set(exported ${FRAMEGATE_LIBRARIES})
  foreach(target framegate_messages framegate_messages_lite)
    if(TARGET ${target})
      list(APPEND exported ${target})
    endif()
  endforeach()
  export(TARGETS ${exported} FILE ${CMAKE_BINARY_DIR}/framegate-core-libraries.cmake)
  get_property(binaries GLOBAL PROPERTY FRAMEGATE_BINARIES)
  file(WRITE ${CMAKE_BINARY_DIR}/framegate-core.cmake
      "include(\${CMAKE_CURRENT_LIST_DIR}/framegate-core-libraries.cmake)\n"
      "set_property(GLOBAL PROPERTY FRAMEGATE_BINARIES \"${binaries}\")\n")
endfunction()

# Binaries go into the wheel's scripts, which pip puts on the environment's PATH. Extension modules
# are installed where they are declared (python_extension.cmake).
function(framegate_install)
  get_property(binaries GLOBAL PROPERTY FRAMEGATE_BINARIES)
  if(binaries)
    install(PROGRAMS ${binaries} DESTINATION ${FRAMEGATE_SCRIPTS} COMPONENT wheel)
  endif()
endfunction()
