#ifndef CSECRET_FUNCTIONS_H
#define CSECRET_FUNCTIONS_H

// Declared as libsecret's and GLib's own headers do.

int secret_password_store_sync(
    const SecretSchema *schema, const char *collection, const char *label, const char *password,
    GCancellable *cancellable, GError **error, ...);
char *secret_password_lookup_sync(const SecretSchema *schema, GCancellable *cancellable, GError **error, ...);
int secret_password_clear_sync(const SecretSchema *schema, GCancellable *cancellable, GError **error, ...);
GList *secret_password_searchv_sync(
    const SecretSchema *schema, GHashTable *attributes, unsigned flags, GCancellable *cancellable, GError **error);
GHashTable *secret_retrievable_get_attributes(SecretRetrievable *self);
void secret_password_free(char *password);
GHashTable *g_hash_table_new(unsigned (*hash)(const void *key), int (*equal)(const void *a, const void *b));
void *g_hash_table_lookup(GHashTable *table, const void *key);
void g_hash_table_unref(GHashTable *table);
unsigned g_str_hash(const void *key);
int (g_str_equal)(const void *a, const void *b);
void (g_object_unref)(void *object);
void g_list_free(GList *list);
void g_error_free(GError *error);
uint32_t g_dbus_error_quark(void);

#define CSECRET_FUNCTIONS(F) \
    F(secret_password_store_sync) F(secret_password_lookup_sync) F(secret_password_clear_sync) \
    F(secret_password_searchv_sync) F(secret_retrievable_get_attributes) F(secret_password_free) F(g_hash_table_new) \
    F(g_hash_table_lookup) F(g_hash_table_unref) F(g_str_hash) F(g_str_equal) F(g_object_unref) F(g_list_free) \
    F(g_error_free) F(g_dbus_error_quark)

#endif
