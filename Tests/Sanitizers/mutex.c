// Shows the thread sanitizer what Swift's Mutex does when two threads want it at once.
//
// Without contention a Mutex is an atomic operation, compiled into the code that uses it, which the sanitizer sees. With
// contention the kernel hands the lock over, from within a library that is not instrumented: the sanitizer then misses
// that one thread waited for the other, and takes what the lock protects for a race. These three functions stand before
// the library's (by LD_PRELOAD, see Scripts/soak) and say so.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Only a program built with the sanitizer has them.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

SWIFT void duet_lock(uint32_t thread, SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT bool duet_try_lock(SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
SWIFT void duet_unlock(SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT void duet_lock(uint32_t thread, SELF void *mutex) {
    typedef SWIFT void (*Function)(uint32_t, SELF void *);
    ((Function)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"))(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool duet_try_lock(SELF void *mutex) {
    typedef SWIFT bool (*Function)(SELF void *);
    bool locked = ((Function)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"))(mutex);
    if (locked && __tsan_acquire) __tsan_acquire(mutex);
    return locked;
}

SWIFT void duet_unlock(SELF void *mutex) {
    typedef SWIFT void (*Function)(SELF void *);
    if (__tsan_release) __tsan_release(mutex);
    ((Function)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"))(mutex);
}
