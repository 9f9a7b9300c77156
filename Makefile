# The commands of daily life. BUILD and VENV choose other folders, JOBS the number of compilers.
#
#   make build       packages, environments .venv/3.11 (torch), .venv/3.12, .venv/3.13, Framegate in each
#   make demo        the seed program and a training script, each in two processes, and a table
#   make test        everything that CI runs; test-full adds what takes long
#   make dev PY=3.11 rebuild what changed and reinstall it for one Python
#   make unit        C++ unit tests alone        make unit PRESET=asan   the same under a sanitizer
#   make format      clang-format in place       make lint               the cheap checks

PY ?= 3.11
PRESET ?=
BUILD ?= build
VENV ?= .venv
JOBS ?= $(shell nproc)
export BUILD VENV JOBS

.PHONY: build dev demo test test-full unit format lint clean bootstrap
build: bootstrap
	@set -e; for version in $$(tools/pythons); do tools/environment $$version; tools/install $$version; done

bootstrap:
	@tools/bootstrap

dev:
	@tools/environment $(PY)
	@tools/install $(PY)

demo: bootstrap
	@tools/environment 3.11
	@tools/install 3.11
	@$(VENV)/3.11/bin/python examples/demo.py

test: build
	@tests/run

test-full: build
	@tests/run --full

unit:
	@tests/run unit $(if $(PRESET),--preset $(PRESET))

format:
	@git ls-files '*.cc' '*.h' | xargs clang-format-14 -i

lint:
	@tests/run static

clean:
	rm -rf $(BUILD)
