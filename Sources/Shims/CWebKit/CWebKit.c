#include "CWebKit.h"

#if defined(__linux__)

#include "../LoadedLibrary.h"

static const char *(*quark_to_string)(uint32_t quark);
static int (*is_a)(void *instance, size_t type);
static void (*get)(void *object, const char *first_property_name, ...);
static char *(*checksum)(unsigned kind, const uint8_t *data, size_t length);
static void (*byte_array_unref)(void *array);

const CWebKitLibrary *cwebkit_load(const char *name, char *reason, size_t size) {
#define FIND(result, function, arguments) LIBRARY_FIND(function)
    LIBRARY_LOAD(
        CWebKitLibrary, CWEBKIT_FUNCTIONS(LIBRARY_FIND) CWEBKIT_VARIADIC_FUNCTIONS(FIND)
        LIBRARY_FIND_AS(quark_to_string, "g_quark_to_string") LIBRARY_FIND_AS(is_a, "g_type_check_instance_is_a")
        LIBRARY_FIND_AS(get, "g_object_get") LIBRARY_FIND_AS(checksum, "g_compute_checksum_for_data")
        LIBRARY_FIND_AS(byte_array_unref, "g_byte_array_unref"))
#undef FIND
}

WebKitWebView *cwebkit_view_new(
    const CWebKitLibrary *library, WebKitWebContext *context, WebKitNetworkSession *session, WebKitSettings *settings,
    WebKitUserContentManager *content, unsigned autoplay) {
    void *policies = library->webkit_website_policies_new_with_policies("autoplay", autoplay, (void *)0);
    WebKitWebView *view = library->g_object_new(
        library->webkit_web_view_get_type(), "web-context", context, "network-session", session, "settings", settings,
        "user-content-manager", content, "website-policies", policies, (void *)0);
    library->g_object_unref(policies);
    return view;
}

WebKitWebView *cwebkit_view_new_related(
    const CWebKitLibrary *library, WebKitWebView *opener, WebKitSettings *settings, WebKitUserContentManager *content,
    unsigned autoplay) {
    void *policies = library->webkit_website_policies_new_with_policies("autoplay", autoplay, (void *)0);
    WebKitWebView *view = library->g_object_new(
        library->webkit_web_view_get_type(), "related-view", opener, "settings", settings, "user-content-manager", content,
        "website-policies", policies, (void *)0);
    library->g_object_unref(policies);
    return view;
}

int cwebkit_is_user_media(const CWebKitLibrary *library, WebKitPermissionRequest *request) {
    return is_a(request, library->webkit_user_media_permission_request_get_type());
}

// The beginning of a GByteArray, which is all of it that is public.
typedef struct {
    uint8_t *data;
    unsigned length;
} CWebKitBytes;

char *cwebkit_certificate_fingerprint(const CWebKitLibrary *library, GTlsCertificate *certificate) {
    (void)library;
    CWebKitBytes *bytes = NULL;
    get(certificate, "certificate", &bytes, (void *)0);
    if (!bytes) return NULL;
    // G_CHECKSUM_SHA256
    char *text = checksum(2, bytes->data, bytes->length);
    byte_array_unref(bytes);
    return text;
}

struct _GError {
    uint32_t domain;
    int code;
    char *message;
};

const char *cwebkit_error_message(const GError *error) {
    return error->message ? error->message : "an error without a message";
}

const char *cwebkit_error_domain(const GError *error) {
    const char *name = quark_to_string(error->domain);
    return name ? name : "";
}

int cwebkit_error_code(const GError *error) { return error->code; }

#endif
