#include "CSecret.h"

#if defined(__linux__)

#include "../LoadedLibrary.h"
#include "CSecretFunctions.h"

#include <string.h>

struct CSecretLibrary {
#define FIELD(function) __typeof__(&function) function;
    CSECRET_FUNCTIONS(FIELD)
#undef FIELD
};

struct _GError {
    uint32_t domain;
    int code;
    char *message;
};

struct _GList {
    void *data;
    GList *next, *prev;
};

// SECRET_SCHEMA_ATTRIBUTE_STRING is 0, and so is SECRET_SCHEMA_NONE.
static const CSecretSchema schema = {
    .name = "org.duet.Tokens",
    .attributes = {{"issuer", 0}, {"client", 0}, {NULL, 0}},
};

const CSecretLibrary *csecret_load(const char *name, char *reason, size_t size) {
    LIBRARY_LOAD(CSecretLibrary, CSECRET_FUNCTIONS(LIBRARY_FIND))
}

/// What an error says; it is freed. Errors of the bus mean that nobody is there to keep secrets.
static CSecretOutcome failure(const CSecretLibrary *library, GError *error, char *reason, size_t size) {
    snprintf(reason, size, "%s", error->message ? error->message : "no reason is given");
    // Of G_IO_ERROR are: no bus, and a bus that cannot start the service. Either way there is no service.
    CSecretOutcome outcome =
        error->domain == library->g_dbus_error_quark() || strstr(reason, "D-Bus") || strstr(reason, "autolaunch")
            || strstr(reason, "Could not connect")
        ? csecret_no_service : csecret_failed;
    library->g_error_free(error);
    return outcome;
}

#define SCHEMA ((const SecretSchema *)&schema)

CSecretOutcome csecret_store(
    const CSecretLibrary *library, const char *issuer, const char *client, const char *label, const char *secret,
    char *reason, size_t size) {
    GError *error = NULL;
    // No collection named: the default one, which a login unlocks.
    library->secret_password_store_sync(
        SCHEMA, NULL, label, secret, NULL, &error, "issuer", issuer, "client", client, NULL);
    return error ? failure(library, error, reason, size) : csecret_done;
}

CSecretOutcome csecret_lookup(
    const CSecretLibrary *library, const char *issuer, const char *client,
    void (*found)(const char *secret, void *context), void *context, char *reason, size_t size) {
    GError *error = NULL;
    char *secret =
        library->secret_password_lookup_sync(SCHEMA, NULL, &error, "issuer", issuer, "client", client, NULL);
    if (error) return failure(library, error, reason, size);
    if (!secret) return csecret_absent;
    found(secret, context);
    library->secret_password_free(secret);
    return csecret_done;
}

CSecretOutcome csecret_clear(
    const CSecretLibrary *library, const char *issuer, const char *client, char *reason, size_t size) {
    GError *error = NULL;
    int cleared = library->secret_password_clear_sync(SCHEMA, NULL, &error, "issuer", issuer, "client", client, NULL);
    if (error) return failure(library, error, reason, size);
    return cleared ? csecret_done : csecret_absent;
}

CSecretOutcome csecret_list(
    const CSecretLibrary *library, void (*found)(const char *issuer, const char *client, void *context), void *context,
    char *reason, size_t size) {
    GError *error = NULL;
    GHashTable *any = library->g_hash_table_new(library->g_str_hash, library->g_str_equal);
    // SECRET_SEARCH_ALL: entries of every issuer, locked ones too.
    GList *items = library->secret_password_searchv_sync(SCHEMA, any, 1 << 1, NULL, &error);
    library->g_hash_table_unref(any);
    if (error) return failure(library, error, reason, size);
    for (GList *item = items; item; item = item->next) {
        GHashTable *attributes = library->secret_retrievable_get_attributes(item->data);
        const char *issuer = library->g_hash_table_lookup(attributes, "issuer");
        const char *client = library->g_hash_table_lookup(attributes, "client");
        if (issuer && client) found(issuer, client, context);
        library->g_hash_table_unref(attributes);
        library->g_object_unref(item->data);
    }
    library->g_list_free(items);
    return csecret_done;
}

#endif
