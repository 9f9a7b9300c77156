# Extension modules, for the one interpreter of this build tree (-DPython_EXECUTABLE=...).
#
#   framegate_python_extension(NAME _framegate DIRS . hook capture ... DEPS base model ...)
#       Module framegate/_framegate.<abi>.so with Python's headers, public and internal. DIRS, SRCS,
#       DEPS, PUBLIC_LIBS, PRIVATE_LIBS as in framegate_library; DEPS prefer lite twins. Its
#       *_test.cc (if any) embed the interpreter and link the same sources.
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
  find_package(Python 3.11...<3.14 REQUIRED COMPONENTS Interpreter Development.Module)
endif()

function(framegate_python_extension)
  cmake_parse_arguments(arg "TORCH;NO_PCH" "NAME" "DIRS;SRCS;DEPS;PUBLIC_LIBS;PRIVATE_LIBS" ${ARGN})
  if(arg_TORCH)
    _framegate_find_torch()
    if(NOT TARGET framegate_torch)
      message(STATUS "no torch in ${Python_EXECUTABLE}: ${arg_NAME} is left out")
      return()
    endif()
  endif()
  _framegate_sources(sources tests benches DIRS ${arg_DIRS} SRCS ${arg_SRCS})

  Python_add_library(${arg_NAME} MODULE WITH_SOABI ${sources})
  _framegate_common(${arg_NAME} PRIVATE "${arg_DEPS}" _lite)
  # System: CPython's and torch's headers do not pass our warnings.
  target_include_directories(${arg_NAME} SYSTEM PRIVATE ${Python_INCLUDE_DIRS} ${Python_INCLUDE_DIRS}/internal)
  target_link_libraries(${arg_NAME} PRIVATE ${arg_PUBLIC_LIBS} ${arg_PRIVATE_LIBS})
  target_link_options(${arg_NAME} PRIVATE -Wl,--exclude-libs,ALL)
  if(arg_TORCH)
    target_link_libraries(${arg_NAME} PRIVATE framegate_torch)
  endif()
  install(TARGETS ${arg_NAME} LIBRARY DESTINATION ${FRAMEGATE_PACKAGE} COMPONENT wheel)
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
