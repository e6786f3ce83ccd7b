# The few commands a person needs; CMake and the scripts do the work (docs/building.md).
PREFIX  ?= /usr/local
DESTDIR ?=
export DESTDIR

.PHONY: help run program build test bench python docs install format tidy clean

help:
	@echo "make run      build, simulate a four-bar linkage, write a report page and a plot"
	@echo "make build    build the library, the program build/holon and what it puts into FMUs"
	@echo "make test     everything a change must pass (scripts/test.sh STAGE for a part of it)"
	@echo "make bench    build and run the benchmarks"
	@echo "make python   build the Python package in build/python"
	@echo "make docs     the documentation as a site with a search and a live gallery, in build/docs/site"
	@echo "make install  install below PREFIX ($(PREFIX)); DESTDIR is respected"
	@echo "make format   format all C files"
	@echo "make tidy     clang-tidy over the library and the program"
	@echo "make clean    remove build/"

# what a newcomer sees first
run: program
	build/holon run models/four_bar.yaml --out build/four_bar.csv --html build/four_bar.html
	build/holon plot build/four_bar.csv --out build/four_bar.svg
	@echo
	@echo "look at it: build/four_bar.html opens in any browser"
	@echo "results: build/four_bar.csv    plot: build/four_bar.svg"

program:
	@scripts/setup.sh build
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target holon_cli

build: program
	@cmake --preset release -DHN_FMU_SMALL=ON >/dev/null
	@cmake --build --preset release --target holon_fmu

test:
	@scripts/test.sh

bench:
	@scripts/bench.sh

python:
	@scripts/setup.sh python
	@cmake --preset release -DHN_PYTHON=ON >/dev/null
	@cmake --build --preset release --target python
	@echo "use it: PYTHONPATH=build/python /usr/bin/python3     or: pip install --no-build-isolation ./python"

docs: program
	@scripts/setup.sh docs
	@scripts/docs.py build/docs

install: build
	cmake --install build --prefix "$(PREFIX)"

format:
	@scripts/format.sh

tidy: build
	find src cli -name '*.c' -print0 | xargs -0 -n 4 -P "$$(nproc)" clang-tidy -p build --quiet

clean:
	rm -rf build
