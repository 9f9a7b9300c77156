# Protobuf messages, generated twice from the same files into the build tree:
#
#   framegate_messages       full messages and gRPC service stubs: the daemon (reflection works)
#   framegate_messages_lite  lite messages without services: the client, so that nothing enters a
#                            descriptor pool of the user's process
#
#   framegate_generate_messages(PROTOS framegate/v1/a.proto ...)   paths relative to the calling folder
#
# Both define the same C++ names, so one binary links one of them. They are included as
# "framegate/v1/a.pb.h"; which flavour that is, the linked target's include folder decides.

function(framegate_generate_messages)
  cmake_parse_arguments(arg "" "" "PROTOS" ${ARGN})
  _framegate_messages_library(framegate_messages_lite lite "${arg_PROTOS}")
  target_link_libraries(framegate_messages_lite PUBLIC protobuf::libprotobuf-lite)
  add_dependencies(framegate_core framegate_messages_lite)  # no library of the core links it, the extensions do
  if(FRAMEGATE_BUILD_DAEMON)
    _framegate_messages_library(framegate_messages full "${arg_PROTOS}")
    target_link_libraries(framegate_messages PUBLIC protobuf::libprotobuf gRPC::grpc++)
  endif()
endfunction()

function(_framegate_messages_library target flavour protos)
  set(out ${CMAKE_BINARY_DIR}/generated/${flavour})
  file(MAKE_DIRECTORY ${out})
  set(sources "")
  foreach(proto IN LISTS protos)
    string(REGEX REPLACE "\\.proto$" "" stem ${proto})
    set(products ${out}/${stem}.pb.cc ${out}/${stem}.pb.h)
    set(command protobuf::protoc -I ${CMAKE_CURRENT_SOURCE_DIR})
    set(needs protobuf::protoc)
    if(flavour STREQUAL "lite")
      list(APPEND command --cpp_out=lite:${out})
    else()
      list(APPEND command --cpp_out=${out})
      file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/${proto} services REGEX "^service ")
      # Adding or removing a service changes what is generated: look again.
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${proto})
      if(services)
        list(APPEND command --grpc_out=${out} --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>)
        list(APPEND products ${out}/${stem}.grpc.pb.cc ${out}/${stem}.grpc.pb.h)
        list(APPEND needs gRPC::grpc_cpp_plugin)
      endif()
    endif()
    # A message may import any of the others, so each waits for all of them.
    add_custom_command(OUTPUT ${products} COMMAND ${command} ${proto}
        DEPENDS ${protos} ${needs} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
        COMMENT "protoc ${proto} (${flavour})" VERBATIM)
    list(APPEND sources ${products})
  endforeach()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} SYSTEM PUBLIC ${out})
  target_compile_options(${target} PRIVATE -w)
  target_link_libraries(${target} PUBLIC Threads::Threads)
endfunction()
