#ifndef CSECRET_H
#define CSECRET_H

// libsecret, the client of the Secret Service: the functions that this package calls, found when the program runs.
// Nothing of it has to be there to build; a machine without it runs the program all the same, and keeps no tokens.
//
// The declarations are those of libsecret's stable interface. Scripts/check-headers compiles this file behind its own
// headers, where a difference is an error.

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>

typedef struct _GError GError;
typedef struct _GList GList;
typedef struct _GHashTable GHashTable;
typedef struct _GCancellable GCancellable;
typedef struct _SecretRetrievable SecretRetrievable;

/// What an entry is found by. The layout is checked by Scripts/check-headers.
typedef struct {
    const char *name;
    int flags;
    struct {
        const char *name;
        int type;
    } attributes[32];
    int reserved;
    void *reserved1, *reserved2, *reserved3, *reserved4, *reserved5, *reserved6, *reserved7;
} CSecretSchema;

#ifndef SECRET_H_
typedef CSecretSchema SecretSchema;
#endif

/// The library, or null, with the cause in `reason`.
typedef struct CSecretLibrary CSecretLibrary;
const CSecretLibrary *csecret_load(const char *name, char *reason, size_t size);

/// What became of a call. On `csecret_failed` and `csecret_no_service` the reason is in the caller's buffer.
typedef enum { csecret_done, csecret_absent, csecret_no_service, csecret_failed } CSecretOutcome;

// Each may wait for a person who unlocks the keyring.
CSecretOutcome csecret_store(
    const CSecretLibrary *library, const char *issuer, const char *client, const char *label, const char *secret,
    char *reason, size_t size);
/// `found` is called with the secret, which is erased afterwards.
CSecretOutcome csecret_lookup(
    const CSecretLibrary *library, const char *issuer, const char *client,
    void (*found)(const char *secret, void *context), void *context, char *reason, size_t size);
CSecretOutcome csecret_clear(
    const CSecretLibrary *library, const char *issuer, const char *client, char *reason, size_t size);
/// `found` is called for each entry.
CSecretOutcome csecret_list(
    const CSecretLibrary *library, void (*found)(const char *issuer, const char *client, void *context), void *context,
    char *reason, size_t size);

#endif
#endif
