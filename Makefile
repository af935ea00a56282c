# The front door. Everything real is in CMakePresets.json, tools/ and the program itself.
#   make run    install what is missing, build, reproduce the paper's experiments in short, show the table and the report
#   make test   install what is missing, build, run all tests
.DEFAULT_GOAL := help
.PHONY: help deps build run test fuzz bench docs format clean

PRESET ?= release
JOBS ?= $(shell nproc)

help:
	@sed -n 's/^#   //p' Makefile
	@echo "make deps   install the Debian packages that are missing"
	@echo "make build  leave the program at build/release/loa"
	@echo "make fuzz   search for inputs that break a reader, SECONDS=60 for each; findings go to build/fuzz/findings"
	@echo "make bench  measure speed (ratios within one run) and evaluations"
	@echo "make docs   leave the documentation as a site at build/docs/site"
	@echo "make format rewrite the sources in the house style"

deps:
	@tools/deps

build: deps
	@mkdir -p build
	@cmake --preset $(PRESET) >build/cmake-$(PRESET).log 2>&1 || { cat build/cmake-$(PRESET).log >&2; exit 1; }
	@cmake --build build/$(PRESET) -j $(JOBS)

test: build
	@ctest --test-dir build/$(PRESET) --output-on-failure -j $(JOBS)

run:
	@tools/deps run
	@mkdir -p build
	@cmake --preset release >build/cmake-release.log 2>&1 || { cat build/cmake-release.log >&2; exit 1; }
	@cmake --build build/release -j $(JOBS) --target loa-program
	@build/release/loa reproduce --quick --out build/run
	@build/release/loa compare --set named --starts 2 --algorithms bfgs sr1 loa-bfgs bfgs+ loa --summary --out build/run/named

SECONDS ?= 60
fuzz: deps
	@mkdir -p build
	@cmake --preset fuzz >build/cmake-fuzz.log 2>&1 || { cat build/cmake-fuzz.log >&2; exit 1; }
	@cmake --build build/fuzz -j $(JOBS)
	@tools/fuzz $(SECONDS)

bench: deps
	@tools/deps bench || echo "bench: going on without the libraries that are missing"
	@cmake --preset bench
	@cmake --build build/bench -j $(JOBS)
	@tools/bench

docs:
	@tools/docs

format:
	@git ls-files '*.h' '*.cc' '*.c' | xargs clang-format -i

clean:
	@rm -rf build
