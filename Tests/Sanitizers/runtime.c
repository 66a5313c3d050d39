// Shows the thread sanitizer what Swift's runtime does to keep threads apart.
//
// The libraries of the toolchain are not instrumented, so the sanitizer misses two ways in which one thread waits for
// another, and takes what they protect for races:
//
// - Mutex. Without contention it is an atomic operation, compiled into the code that uses it, which the sanitizer sees. With
//   contention the kernel hands the lock over, from within the library.
// - Counts of references. Who lets go of the last other reference to an array's buffer allows its owner to write into it, and
//   who lets go of the last reference of all, to destroy it. (Here every release also waits for those before it, which in
//   truth only the last one does: a race can hide behind that, but none is invented.)
//
// These functions stand before the libraries' own (by LD_PRELOAD, see Scripts/soak) and say so.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Only a program built with the sanitizer has them.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

static void acquired(void *address) {
    if (__tsan_acquire && address) __tsan_acquire(address);
}

static void released(void *address) {
    if (__tsan_release && address) __tsan_release(address);
}

// The library's own function of that name, of the same type as ours, looked up once.
#define THEIRS(ours, name) \
    static __typeof__(ours) *theirs; \
    if (!theirs) theirs = (__typeof__(ours) *)dlsym(RTLD_NEXT, name)

// MARK: Mutex

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void duet_lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT bool duet_try_lock(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT void duet_unlock(SELF void *mutex) __asm__(UNLOCK);

SWIFT void duet_lock(uint32_t thread, SELF void *mutex) {
    THEIRS(duet_lock, LOCK);
    theirs(thread, mutex);
    acquired(mutex);
}

SWIFT bool duet_try_lock(SELF void *mutex) {
    THEIRS(duet_try_lock, TRY_LOCK);
    bool isLocked = theirs(mutex);
    if (isLocked) acquired(mutex);
    return isLocked;
}

SWIFT void duet_unlock(SELF void *mutex) {
    THEIRS(duet_unlock, UNLOCK);
    released(mutex);
    theirs(mutex);
}

// MARK: Counts of references

// A reference to an object may carry flags in the bits that an address does not need.
static void *object(uintptr_t reference) { return (void *)(reference & 0x0FFFFFFFFFFFFFF8); }

void swift_release(void *object) {
    THEIRS(swift_release, "swift_release");
    released(object);
    acquired(object);
    theirs(object);
}

void swift_bridgeObjectRelease(uintptr_t reference) {
    THEIRS(swift_bridgeObjectRelease, "swift_bridgeObjectRelease");
    // The topmost bit: no object that is counted.
    if (reference >> 63 == 0) {
        released(object(reference));
        acquired(object(reference));
    }
    theirs(reference);
}

bool swift_isUniquelyReferenced_native(const void *object) {
    THEIRS(swift_isUniquelyReferenced_native, "swift_isUniquelyReferenced_native");
    bool isUnique = theirs(object);
    if (isUnique) acquired((void *)object);
    return isUnique;
}

bool swift_isUniquelyReferenced_nonNull_native(const void *object) {
    THEIRS(swift_isUniquelyReferenced_nonNull_native, "swift_isUniquelyReferenced_nonNull_native");
    bool isUnique = theirs(object);
    if (isUnique) acquired((void *)object);
    return isUnique;
}

bool swift_isUniquelyReferenced_nonNull_bridgeObject(uintptr_t reference) {
    THEIRS(swift_isUniquelyReferenced_nonNull_bridgeObject, "swift_isUniquelyReferenced_nonNull_bridgeObject");
    bool isUnique = theirs(reference);
    if (isUnique) acquired(object(reference));
    return isUnique;
}
