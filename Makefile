# make demo     two processes call each other, with a film and recorded speech, and say how well it went
# make test     everything that must hold: rules, build without warnings, tests, Apple's platforms, interop
# make smoke    the part of it that takes under two minutes
# make bench    duet beside Chromium, aiortc and pion, in one run
# make fuzz     each fuzz target for FUZZ_SECONDS (60)
# make soak     the tests under the address and thread sanitizers, and thousands of seeds
# make documentation  what docc makes of WebRTCKit's comments, articles and tutorial
# make format   formats the sources; make lint only looks
#
# One build serves them all: release, with the internals visible to the tests. Change the flags in one place only, or
# every target builds everything again.

SWIFT_BUILD_FLAGS := -c release -Xswiftc -enable-testing
FUZZ_SECONDS ?= 60
export SWIFT_BUILD_FLAGS FUZZ_SECONDS

.PHONY: all build demo test smoke bench fuzz soak documentation format lint check-apple clean

all: build

build:
	@Scripts/setup build
	Scripts/build --build-tests $(SWIFT_BUILD_FLAGS)

demo:
	@Scripts/setup demo
	@Scripts/demo

test:
	@Scripts/setup test
	@Scripts/test

smoke:
	@Scripts/setup test
	@Scripts/test --smoke

bench:
	@Scripts/setup bench
	@Scripts/bench

fuzz:
	@Scripts/setup build
	@Scripts/fuzz

soak:
	@Scripts/setup test
	@Scripts/soak

documentation: build
	@Scripts/documentation

format:
	swift format format --in-place --parallel --recursive Sources Tests Benchmarks FuzzTesting Examples Package.swift

lint:
	@Scripts/setup build
	@Scripts/lint

check-apple:
	@Scripts/check-apple --all

clean:
	rm -rf .build .build-* Benchmarks/.build FuzzTesting/.build Examples/*/.build
