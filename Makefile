# make demo     two processes call each other, with a video file and recorded speech, and measure the result
# make test     everything that must hold: rules, build without warnings, tests, Apple's platforms, interop
# make smoke    the part of it that takes two minutes, on a build without optimization
# make bench    duet beside libdatachannel, pion, Chromium and aiortc, in one run
# make fuzz     each fuzz target for FUZZ_SECONDS (60)
# make soak     what takes long, part by part: sanitizers, thousands of seeds, full cross products; or PART="seeds apple"
# make install  the program duet under PREFIX (/usr/local), with a unit for systemd; DESTDIR for packagers
# make dist     the same as a tarball, with Swift's runtime inside
# make documentation  what docc makes of the comments, articles and the tutorial of WebRTCKit and RTC
# make format   formats the sources; make lint only looks
#
# What a target needs and this machine lacks is shown and asked about: YES=1 answers, and so does CI=true.
#
# One build serves them all but make smoke: release, with the internals visible to the tests. Change the flags in one place only,
# or every target builds everything again.

SWIFT_BUILD_FLAGS := -c release -Xswiftc -enable-testing
FUZZ_SECONDS ?= 60
PREFIX ?= /usr/local
export SWIFT_BUILD_FLAGS FUZZ_SECONDS
SETUP := Scripts/setup $(if $(YES),--yes)

.PHONY: all build demo test smoke bench fuzz soak install dist documentation format lint check-apple clean

all: build

build:
	@$(SETUP) build
	Scripts/build --build-tests $(SWIFT_BUILD_FLAGS)

demo:
	@$(SETUP) demo
	@Scripts/demo

test:
	@$(SETUP) test
	@Scripts/test

smoke:
	@$(SETUP) test
	@Scripts/test --smoke

bench:
	@$(SETUP) bench
	@Scripts/bench

fuzz:
	@$(SETUP) build
	@Scripts/fuzz

soak:
	@$(SETUP) soak
	@Scripts/soak $(PART)

install:
	@$(SETUP) build
	@Scripts/dist --install $(PREFIX)

dist:
	@$(SETUP) build
	@Scripts/dist

documentation: build
	@Scripts/documentation

format:
	swift format format --in-place --parallel --recursive Sources Tests Benchmarks FuzzTesting Examples Package.swift

lint:
	@$(SETUP) build
	@Scripts/lint

check-apple:
	@Scripts/check-apple --all

clean:
	rm -rf .build .build-* FuzzTesting/.build Examples/*/.build
