# Third-party libraries: Debian 12's, all of them (tools/bootstrap installs them).

find_package(Threads REQUIRED)
find_package(absl REQUIRED CONFIG)
find_package(PkgConfig REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)

set(Protobuf_USE_STATIC_LIBS OFF)
find_package(Protobuf REQUIRED)  # protobuf::libprotobuf, protobuf::libprotobuf-lite, protobuf::protoc

if(FRAMEGATE_BUILD_CLIENT)
  pkg_check_modules(nghttp2 REQUIRED IMPORTED_TARGET libnghttp2)
endif()

if(FRAMEGATE_BUILD_DAEMON AND NOT FRAMEGATE_CORE)
  find_package(gRPC REQUIRED CONFIG)  # gRPC::grpc++, gRPC::grpc++_reflection, gRPC::grpc_cpp_plugin
  pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
  find_package(spdlog REQUIRED CONFIG)
  find_package(CLI11 REQUIRED CONFIG)
  find_package(nlohmann_json REQUIRED CONFIG)
endif()

if(FRAMEGATE_BUILD_TESTS)
  find_package(GTest REQUIRED CONFIG)
  find_package(benchmark CONFIG)
  include(GoogleTest)
endif()
