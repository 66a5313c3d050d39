// The declarations are in the header, the functions in the runtime library of -sanitize=fuzzer.
#include "CLibFuzzer.h"
