#ifndef CGIO_H
#define CGIO_H

// GIO's D-Bus: the functions that this package calls, found when the program runs. Nothing of GLib has to be there to build;
// a machine without it runs the program all the same, without the camera portal and the orientation sensor.
//
// The declarations are those of GLib's stable interface. Scripts/check-headers compiles this file behind GLib's own headers,
// where a difference is an error.

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

typedef struct _GError GError;
typedef struct _GVariant GVariant;
typedef struct _GVariantType GVariantType;
typedef struct _GCancellable GCancellable;
typedef struct _GUnixFDList GUnixFDList;
typedef struct _GDBusConnection GDBusConnection;
typedef struct _GDBusMessage GDBusMessage;
typedef struct _GDBusAuthObserver GDBusAuthObserver;

// GLib's enumerations, by whose names its headers declare the functions.
#ifdef __G_IO_H__
#define CGIO_ENUM(name) name
#else
#define CGIO_ENUM(name) unsigned
#endif
#ifdef __G_IO_H__
#define CGIO_BUS_TYPE GBusType
#else
#define CGIO_BUS_TYPE int
#endif

typedef GDBusMessage *(*CGIOFilter)(GDBusConnection *connection, GDBusMessage *message, int incoming, void *data);
typedef void (*CGIODestroy)(void *data);

void g_free(void *memory);
void g_error_free(GError *error);
void g_object_unref(void *object);
char *g_dbus_error_get_remote_error(const GError *error);
int g_dbus_error_strip_remote_error(GError *error);

char *g_dbus_address_get_for_bus_sync(CGIO_BUS_TYPE type, GCancellable *cancellable, GError **error);
GDBusConnection *g_dbus_connection_new_for_address_sync(
    const char *address, CGIO_ENUM(GDBusConnectionFlags) flags, GDBusAuthObserver *observer, GCancellable *cancellable,
    GError **error);
const char *g_dbus_connection_get_unique_name(GDBusConnection *connection);
int g_dbus_connection_is_closed(GDBusConnection *connection);
int g_dbus_connection_close_sync(GDBusConnection *connection, GCancellable *cancellable, GError **error);
GVariant *g_dbus_connection_call_with_unix_fd_list_sync(
    GDBusConnection *connection, const char *name, const char *path, const char *interface, const char *method,
    GVariant *arguments, const GVariantType *reply_type, CGIO_ENUM(GDBusCallFlags) flags, int timeout,
    GUnixFDList *descriptors, GUnixFDList **out_descriptors, GCancellable *cancellable, GError **error);
unsigned g_dbus_connection_add_filter(
    GDBusConnection *connection, CGIOFilter filter, void *data, CGIODestroy destroy);
void g_dbus_connection_remove_filter(GDBusConnection *connection, unsigned filter);

CGIO_ENUM(GDBusMessageType) g_dbus_message_get_message_type(GDBusMessage *message);
const char *g_dbus_message_get_interface(GDBusMessage *message);
const char *g_dbus_message_get_member(GDBusMessage *message);
const char *g_dbus_message_get_path(GDBusMessage *message);
GVariant *g_dbus_message_get_body(GDBusMessage *message);

GVariant *g_variant_parse(
    const GVariantType *type, const char *text, const char *limit, const char **end, GError **error);
GVariant *g_variant_ref(GVariant *value);
GVariant *g_variant_ref_sink(GVariant *value);
void g_variant_unref(GVariant *value);
const char *g_variant_get_type_string(GVariant *value);
size_t g_variant_n_children(GVariant *value);
GVariant *g_variant_get_child_value(GVariant *value, size_t index);
GVariant *g_variant_get_variant(GVariant *value);
uint32_t g_variant_get_uint32(GVariant *value);
int g_variant_get_boolean(GVariant *value);
int32_t g_variant_get_handle(GVariant *value);
const char *g_variant_get_string(GVariant *value, size_t *length);

int g_unix_fd_list_get(GUnixFDList *list, int index, GError **error);

#define CGIO_FUNCTIONS(F) \
    F(g_free) F(g_error_free) F(g_object_unref) F(g_dbus_error_get_remote_error) \
    F(g_dbus_error_strip_remote_error) F(g_dbus_address_get_for_bus_sync) F(g_dbus_connection_new_for_address_sync) \
    F(g_dbus_connection_get_unique_name) F(g_dbus_connection_is_closed) F(g_dbus_connection_close_sync) \
    F(g_dbus_connection_call_with_unix_fd_list_sync) F(g_dbus_connection_add_filter) F(g_dbus_connection_remove_filter) \
    F(g_dbus_message_get_message_type) F(g_dbus_message_get_interface) F(g_dbus_message_get_member) \
    F(g_dbus_message_get_path) F(g_dbus_message_get_body) F(g_variant_parse) F(g_variant_ref) F(g_variant_ref_sink) \
    F(g_variant_unref) F(g_variant_get_type_string) F(g_variant_n_children) F(g_variant_get_child_value) \
    F(g_variant_get_variant) F(g_variant_get_uint32) F(g_variant_get_boolean) F(g_variant_get_handle) \
    F(g_variant_get_string) F(g_unix_fd_list_get)

// The functions of the loaded library, which stays loaded. All are there once it is loaded.
typedef struct {
#define CGIO_FIELD(function) __typeof__(function) *_Nonnull function;
    CGIO_FUNCTIONS(CGIO_FIELD)
#undef CGIO_FIELD
} CGIOLibrary;

// Loads the library called `name`, and returns its functions, valid for ever; or writes a sentence into `reason`, of `size`
// bytes, and returns NULL.
const CGIOLibrary *_Nullable cgio_load(const char *_Nonnull name, char *_Nonnull reason, size_t size);

// The sentence of an error that a function of GLib gave.
const char *_Nonnull cgio_error_message(const GError *_Nonnull error);

#pragma clang diagnostic pop

#endif
#endif
