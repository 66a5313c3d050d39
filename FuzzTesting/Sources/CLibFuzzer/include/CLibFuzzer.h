#pragma once

#include <stddef.h>
#include <stdint.h>

/// Runs the fuzzer: reads its options from the arguments, calls `test` with one input after another, and returns the
/// exit status. It is in the runtime library that `-sanitize=fuzzer` links.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
