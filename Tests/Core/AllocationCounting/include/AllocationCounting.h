#ifndef ALLOCATION_COUNTING_H
#define ALLOCATION_COUNTING_H

/// The number of calls of malloc, calloc, realloc and the aligned variants by this thread since it started, or -1 where
/// they cannot be counted (other systems, builds with a sanitizer).
long duet_allocations_of_this_thread(void);

/// Bytes that are allocated and not yet freed, by all threads, or -1 where it cannot be told.
long duet_bytes_allocated(void);

#endif
