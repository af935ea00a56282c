# The front door. Everything real is in CMakePresets.json, tools/ and the program itself.
#   make run      install what is missing, build, compare loa with BFGS, SR1 and L-BFGS, check the paper's claims in short
#   make test     install what is missing, build, run all tests
#   make install  install what is missing, build, install library and program under PREFIX (/usr/local)
#   make petsc    install what is missing, build libloa_tao.so, loa as solvers of PETSc/TAO, say how to use it
.DEFAULT_GOAL := help
.PHONY: help deps build run test install petsc fuzz bench docs results format clean

PRESET ?= release
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

help:
	@sed -n 's/^#   //p' Makefile
	@echo "make deps     install the Debian packages that are missing"
	@echo "make build    build everything, tests too; the program is build/release/loa"
	@echo "make fuzz     search for inputs that break a reader, SECONDS=60 for each; findings go to build/fuzz/findings"
	@echo "make bench    measure speed (ratios within one run) and evaluations"
	@echo "make docs     leave the documentation as a site at build/docs/site"
	@echo "make results  make measured tables again and put them into the pages: RESULTS=cheap, all, or names"
	@echo "make format   rewrite the sources in the house style"

deps:
	@tools/deps

build: deps
	@tools/build all $(PRESET) $(JOBS)

test: build
	@tools/run_tests build/$(PRESET) -j $(JOBS)

run:
	@tools/deps run
	@tools/build user release $(JOBS)
	@build/release/loa reproduce --quick --out build/run

install:
	@tools/deps install
	@tools/build user release $(JOBS)
	@cmake --install build/release --prefix "$(PREFIX)"

petsc:
	@tools/deps petsc
	@tools/build petsc release $(JOBS)
	@echo "Run a program of PETSc with it:  ./program -dll_append $(CURDIR)/build/release/libloa_tao.so -tao_type loa"
	@echo "or without a word to the program:  export PETSC_OPTIONS=\"-dll_append $(CURDIR)/build/release/libloa_tao.so -tao_type loa\""
	@echo "docs/petsc.md has the options"

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

# What `tools/make_results --list` has: names, `cheap` (seconds) or `all` (hours).
RESULTS ?= cheap
results:
	@tools/make_results $(RESULTS)

format:
	@git ls-files '*.h' '*.cc' '*.c' ':!python/third_party' | xargs clang-format -i

clean:
	@rm -rf build
