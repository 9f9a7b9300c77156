# The one place that says which Pythons and packages this project is built and tested with. Sourced.

PYTHONS="3.11 3.12 3.13"
TORCH_PYTHON=3.11        # the one environment that has torch and the zoo's packages

DEBIAN_PACKAGES="g++ make cmake ninja-build ccache pkg-config git clang-format-14
  libgrpc++-dev protobuf-compiler-grpc libprotobuf-dev protobuf-compiler libabsl-dev libnghttp2-dev
  libsqlite3-dev libspdlog-dev libcli11-dev libxxhash-dev nlohmann-json3-dev
  libgtest-dev libgmock-dev libbenchmark-dev libssl-dev zlib1g-dev libc-ares-dev libre2-dev"

# pip's arguments, one call a line, in this order: torch first, and what names torch as a dependency
# without its dependencies, so that no resolver fetches another torch.
PIP_ALWAYS="scikit-build-core==1.1.2 pathspec pytest numpy"
PIP_TORCH="torch==2.13.0
transformers==5.24.0 einops
--no-deps torchvision==0.28.0 timm==1.0.31 pillow safetensors"
