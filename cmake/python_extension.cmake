# Extension modules, for the one interpreter of this build tree (-DPython_EXECUTABLE=...).
#
#   framegate_python_extension(NAME _framegate DIRS . hook capture ... DEPS base model ...)
#       Module framegate/_framegate.<abi>.so with Python's headers, public and internal. DIRS, SRCS,
#       DEPS, PRIVATE_LIBS as in framegate_library; DEPS prefer lite twins. *_test.cc beside the
#       sources become _framegate_test, which embeds the interpreter and links the same objects;
#       TEST_SRCS are more sources for it, such as its main().
#   framegate_python_extension(NAME _framegate_torch TORCH ...)
#       The same against the torch that `import torch` gives in that interpreter; without one the
#       module is left out and the client's slower path works in its place.

set(FRAMEGATE_SCRIPTS bin)
set(FRAMEGATE_PACKAGE framegate)
if(SKBUILD)
  set(FRAMEGATE_SCRIPTS ${SKBUILD_SCRIPTS_DIR})
  set(FRAMEGATE_PACKAGE ${SKBUILD_PLATLIB_DIR}/framegate)
endif()

if(FRAMEGATE_BUILD_CLIENT AND EXISTS ${PROJECT_SOURCE_DIR}/client_ext/CMakeLists.txt)
  find_package(Python 3.11...<3.14 REQUIRED COMPONENTS Interpreter Development.Module
      OPTIONAL_COMPONENTS Development.Embed)
endif()

function(framegate_python_extension)
  cmake_parse_arguments(arg "TORCH;NO_PCH" "NAME" "DIRS;SRCS;DEPS;PRIVATE_LIBS;TEST_SRCS;TEST_DEPS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "framegate_python_extension(${arg_NAME}): unknown ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_TORCH)
    _framegate_find_torch()
    if(NOT TARGET framegate_torch)
      message(STATUS "no torch in ${Python_EXECUTABLE}: ${arg_NAME} is left out")
      return()
    endif()
    list(APPEND arg_PRIVATE_LIBS framegate_torch)
  endif()
  _framegate_sources(sources tests benches DIRS ${arg_DIRS} SRCS ${arg_SRCS})

  # Objects first: the tests link them too.
  add_library(${arg_NAME}_objects OBJECT ${sources})
  _framegate_common(${arg_NAME}_objects PUBLIC "${arg_DEPS}" _lite)
  # System: CPython's and torch's headers do not pass our warnings.
  target_include_directories(${arg_NAME}_objects SYSTEM PUBLIC
      ${Python_INCLUDE_DIRS} ${Python_INCLUDE_DIRS}/internal)
  target_link_libraries(${arg_NAME}_objects PUBLIC ${arg_PRIVATE_LIBS})

  Python_add_library(${arg_NAME} MODULE WITH_SOABI)
  target_link_libraries(${arg_NAME} PRIVATE ${arg_NAME}_objects)
  target_link_options(${arg_NAME} PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(${arg_NAME} PROPERTIES LINKER_LANGUAGE CXX)
  install(TARGETS ${arg_NAME} LIBRARY DESTINATION ${FRAMEGATE_PACKAGE} COMPONENT wheel)
  add_dependencies(framegate_wheel ${arg_NAME})

  if(FRAMEGATE_BUILD_TESTS AND tests AND TARGET Python::Python)
    _framegate_executable(${arg_NAME}_test "${tests};${arg_TEST_SRCS}" "${arg_TEST_DEPS}" _lite)
    target_link_libraries(${arg_NAME}_test PRIVATE ${arg_NAME}_objects Python::Python GTest::gmock_main)
    target_compile_definitions(${arg_NAME}_test PRIVATE FRAMEGATE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME}_test --gtest_brief=1)
    set_tests_properties(${arg_NAME} PROPERTIES LABELS unit TIMEOUT 300)
  endif()
endfunction()

# Target framegate_torch, with the paths and the string ABI that the installed torch reports itself.
function(_framegate_find_torch)
  if(TARGET framegate_torch)
    return()
  endif()
  execute_process(COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/torch_paths.py
      OUTPUT_VARIABLE paths RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    return()
  endif()
  string(JSON abi GET "${paths}" abi)
  string(JSON include GET "${paths}" include)
  string(JSON library GET "${paths}" library)
  add_library(framegate_torch INTERFACE)
  target_include_directories(framegate_torch SYSTEM INTERFACE ${include})
  if(NOT abi)  # 1 is the compiler's default; naming it would only spoil the precompiled header
    target_compile_definitions(framegate_torch INTERFACE _GLIBCXX_USE_CXX11_ABI=0)
  endif()
  foreach(name torch_python torch_cpu torch c10)
    target_link_libraries(framegate_torch INTERFACE ${library}/lib${name}.so)
  endforeach()
endfunction()
