#ifndef CWEBKIT_H
#define CWEBKIT_H

// WebKitGTK 6.0, and what of GTK, GLib and libsoup a web view needs besides: the functions that this package calls, found
// when the program runs. Nothing of WebKitGTK has to be there to build; a machine without it runs the program all the same,
// without a web view.
//
// The declarations are those of WebKitGTK's stable interface. Scripts/check-headers compiles this file behind its own headers,
// where a difference is an error. Enumerations are passed as numbers.

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

typedef struct _GError GError;
typedef struct _GClosure GClosure;
typedef struct _GObject GObject;
typedef struct _GFile GFile;
typedef struct _GAsyncResult GAsyncResult;
typedef struct _GCancellable GCancellable;
typedef struct _GAppInfo GAppInfo;
typedef struct _GAppLaunchContext GAppLaunchContext;
typedef struct _GTlsCertificate GTlsCertificate;
typedef struct _GdkDisplay GdkDisplay;
typedef struct _GtkWidget GtkWidget;
typedef struct _GtkWindow GtkWindow;
typedef struct _GtkLabel GtkLabel;
typedef struct _GtkButton GtkButton;
typedef struct _GtkEditable GtkEditable;
typedef struct _GtkProgressBar GtkProgressBar;
typedef struct _GtkBox GtkBox;
typedef struct _GtkBuilder GtkBuilder;
typedef struct _GtkCheckButton GtkCheckButton;
typedef struct _GtkOverlay GtkOverlay;
typedef struct _GtkToggleButton GtkToggleButton;
typedef struct _GtkCssProvider GtkCssProvider;
typedef struct _GtkStyleProvider GtkStyleProvider;
typedef struct _SoupMessageHeaders SoupMessageHeaders;
typedef struct _JSCValue JSCValue;
typedef struct _WebKitWebContext WebKitWebContext;
typedef struct _WebKitNetworkSession WebKitNetworkSession;
typedef struct _WebKitSettings WebKitSettings;
typedef struct _WebKitUserContentManager WebKitUserContentManager;
typedef struct _WebKitWebsiteDataManager WebKitWebsiteDataManager;
typedef struct _WebKitUserScript WebKitUserScript;
typedef struct _WebKitWebView WebKitWebView;
typedef struct _WebKitURIRequest WebKitURIRequest;
typedef struct _WebKitURIResponse WebKitURIResponse;
typedef struct _WebKitPolicyDecision WebKitPolicyDecision;
typedef struct _WebKitNavigationPolicyDecision WebKitNavigationPolicyDecision;
typedef struct _WebKitResponsePolicyDecision WebKitResponsePolicyDecision;
typedef struct _WebKitNavigationAction WebKitNavigationAction;
typedef struct _WebKitPermissionRequest WebKitPermissionRequest;
typedef struct _WebKitUserMediaPermissionRequest WebKitUserMediaPermissionRequest;
typedef struct _WebKitPermissionStateQuery WebKitPermissionStateQuery;
typedef struct _WebKitSecurityOrigin WebKitSecurityOrigin;
typedef struct _WebKitScriptDialog WebKitScriptDialog;
typedef struct _WebKitDownload WebKitDownload;
typedef struct _WebKitAuthenticationRequest WebKitAuthenticationRequest;
typedef struct _WebKitCredential WebKitCredential;

typedef void (*GCallback)(void);
typedef void (*GClosureNotify)(void *data, GClosure *closure);
typedef void (*GAsyncReadyCallback)(GObject *source, GAsyncResult *result, void *data);

// GLib.
void g_free(void *memory);
void g_error_free(GError *error);
void *(g_object_ref)(void *object);
void *(g_object_ref_sink)(void *object);
void (g_object_unref)(void *object);
unsigned long g_signal_connect_data(
    void *instance, const char *detailed_signal, GCallback c_handler, void *data, GClosureNotify destroy_data,
    unsigned connect_flags);
void g_signal_handler_disconnect(void *instance, unsigned long handler_id);
int g_app_info_launch_default_for_uri(const char *uri, GAppLaunchContext *context, GError **error);
GAppInfo *g_app_info_get_default_for_uri_scheme(const char *uri_scheme);
GTlsCertificate *g_tls_certificate_new_from_pem(const char *data, ptrdiff_t length, GError **error);
GTlsCertificate *g_tls_certificate_new_from_pkcs12(
    const uint8_t *data, size_t length, const char *password, GError **error);
int g_tls_certificate_is_same(GTlsCertificate *cert_one, GTlsCertificate *cert_two);

// GTK.
GdkDisplay *gdk_display_get_default(void);
GtkBuilder *gtk_builder_new(void);
int gtk_builder_add_from_string(GtkBuilder *builder, const char *buffer, ptrdiff_t length, GError **error);
GObject *gtk_builder_get_object(GtkBuilder *builder, const char *name);
GtkCssProvider *gtk_css_provider_new(void);
void gtk_css_provider_load_from_data(GtkCssProvider *provider, const char *data, ptrdiff_t length);
void gtk_style_context_add_provider_for_display(GdkDisplay *display, GtkStyleProvider *provider, unsigned priority);
void gtk_widget_set_visible(GtkWidget *widget, int visible);
void gtk_widget_set_sensitive(GtkWidget *widget, int sensitive);
void gtk_widget_set_can_target(GtkWidget *widget, int can_target);
void gtk_widget_set_hexpand(GtkWidget *widget, int expand);
void gtk_widget_set_vexpand(GtkWidget *widget, int expand);
void gtk_widget_add_css_class(GtkWidget *widget, const char *css_class);
void gtk_widget_remove_css_class(GtkWidget *widget, const char *css_class);
int gtk_widget_grab_focus(GtkWidget *widget);
int gtk_widget_activate(GtkWidget *widget);
void gtk_widget_set_tooltip_text(GtkWidget *widget, const char *text);
void gtk_box_append(GtkBox *box, GtkWidget *child);
void gtk_overlay_set_child(GtkOverlay *overlay, GtkWidget *child);
int gtk_toggle_button_get_active(GtkToggleButton *button);
void gtk_toggle_button_set_active(GtkToggleButton *button, int is_active);
void gtk_window_present(GtkWindow *window);
void gtk_window_destroy(GtkWindow *window);
void gtk_window_set_title(GtkWindow *window, const char *title);
void gtk_window_set_default_size(GtkWindow *window, int width, int height);
void gtk_label_set_text(GtkLabel *label, const char *text);
void gtk_button_set_label(GtkButton *button, const char *label);
const char *gtk_editable_get_text(GtkEditable *editable);
void gtk_editable_set_text(GtkEditable *editable, const char *text);
void gtk_editable_select_region(GtkEditable *editable, int start, int end);
void gtk_progress_bar_set_fraction(GtkProgressBar *bar, double fraction);
int gtk_check_button_get_active(GtkCheckButton *button);
void gtk_check_button_set_active(GtkCheckButton *button, int setting);

// libsoup and JavaScriptCore.
void soup_message_headers_replace(SoupMessageHeaders *headers, const char *name, const char *value);
const char *soup_message_headers_get_one(SoupMessageHeaders *headers, const char *name);
int jsc_value_is_string(JSCValue *value);
char *jsc_value_to_string(JSCValue *value);

// WebKitGTK: contexts, sessions, settings.
WebKitWebContext *webkit_web_context_new(void);
WebKitNetworkSession *webkit_network_session_new(const char *data_directory, const char *cache_directory);
WebKitNetworkSession *webkit_network_session_new_ephemeral(void);
WebKitWebsiteDataManager *webkit_network_session_get_website_data_manager(WebKitNetworkSession *session);
// `types` has WEBKIT_WEBSITE_DATA_MEMORY_CACHE as its first bit; a `timespan` of 0 microseconds is for all that there is.
void webkit_website_data_manager_clear(
    WebKitWebsiteDataManager *manager, unsigned types, int64_t timespan, GCancellable *cancellable,
    GAsyncReadyCallback callback, void *data);
void webkit_network_session_allow_tls_certificate_for_host(
    WebKitNetworkSession *session, GTlsCertificate *certificate, const char *host);
WebKitSettings *webkit_settings_new(void);
void webkit_settings_set_enable_media_stream(WebKitSettings *settings, int enabled);
void webkit_settings_set_enable_webrtc(WebKitSettings *settings, int enabled);
void webkit_settings_set_media_playback_allows_inline(WebKitSettings *settings, int enabled);
void webkit_settings_set_media_playback_requires_user_gesture(WebKitSettings *settings, int enabled);
void webkit_settings_set_javascript_can_open_windows_automatically(WebKitSettings *settings, int enabled);
void webkit_settings_set_allow_modal_dialogs(WebKitSettings *settings, int allowed);
void webkit_settings_set_enable_developer_extras(WebKitSettings *settings, int enabled);
void webkit_settings_set_enable_mock_capture_devices(WebKitSettings *settings, int enabled);

// The content that a program adds to pages.
WebKitUserContentManager *webkit_user_content_manager_new(void);
WebKitUserScript *webkit_user_script_new_for_world(
    const char *source, unsigned injected_frames, unsigned injection_time, const char *world_name,
    const char *const *allow_list, const char *const *block_list);
WebKitUserScript *webkit_user_script_new(
    const char *source, unsigned injected_frames, unsigned injection_time, const char *const *allow_list,
    const char *const *block_list);
void webkit_user_script_unref(WebKitUserScript *user_script);
void webkit_user_content_manager_add_script(WebKitUserContentManager *manager, WebKitUserScript *script);
int webkit_user_content_manager_register_script_message_handler(
    WebKitUserContentManager *manager, const char *name, const char *world_name);

// The view.
void webkit_web_view_load_uri(WebKitWebView *web_view, const char *uri);
void webkit_web_view_load_request(WebKitWebView *web_view, WebKitURIRequest *request);
void webkit_web_view_load_alternate_html(
    WebKitWebView *web_view, const char *content, const char *content_uri, const char *base_uri);
void webkit_web_view_reload(WebKitWebView *web_view);
void webkit_web_view_stop_loading(WebKitWebView *web_view);
void webkit_web_view_go_back(WebKitWebView *web_view);
void webkit_web_view_go_forward(WebKitWebView *web_view);
int webkit_web_view_can_go_back(WebKitWebView *web_view);
int webkit_web_view_can_go_forward(WebKitWebView *web_view);
int webkit_web_view_is_loading(WebKitWebView *web_view);
const char *webkit_web_view_get_uri(WebKitWebView *web_view);
const char *webkit_web_view_get_title(WebKitWebView *web_view);
double webkit_web_view_get_estimated_load_progress(WebKitWebView *web_view);
unsigned webkit_web_view_get_camera_capture_state(WebKitWebView *web_view);
void webkit_web_view_set_camera_capture_state(WebKitWebView *web_view, unsigned state);
unsigned webkit_web_view_get_microphone_capture_state(WebKitWebView *web_view);
void webkit_web_view_set_microphone_capture_state(WebKitWebView *web_view, unsigned state);
unsigned webkit_web_view_get_display_capture_state(WebKitWebView *web_view);
void webkit_web_view_set_display_capture_state(WebKitWebView *web_view, unsigned state);
void webkit_web_view_terminate_web_process(WebKitWebView *web_view);
void webkit_web_view_evaluate_javascript(
    WebKitWebView *web_view, const char *script, ptrdiff_t length, const char *world_name, const char *source_uri,
    GCancellable *cancellable, GAsyncReadyCallback callback, void *user_data);
JSCValue *webkit_web_view_evaluate_javascript_finish(WebKitWebView *web_view, GAsyncResult *result, GError **error);

// Requests, responses, and what is decided about them.
SoupMessageHeaders *webkit_uri_response_get_http_headers(WebKitURIResponse *response);
WebKitURIRequest *webkit_uri_request_new(const char *uri);
const char *webkit_uri_request_get_uri(WebKitURIRequest *request);
const char *webkit_uri_request_get_http_method(WebKitURIRequest *request);
SoupMessageHeaders *webkit_uri_request_get_http_headers(WebKitURIRequest *request);
const char *webkit_uri_response_get_uri(WebKitURIResponse *response);
WebKitNavigationAction *webkit_navigation_policy_decision_get_navigation_action(WebKitNavigationPolicyDecision *decision);
WebKitURIRequest *webkit_navigation_action_get_request(WebKitNavigationAction *navigation);
int webkit_navigation_action_is_user_gesture(WebKitNavigationAction *navigation);
int webkit_navigation_action_is_redirect(WebKitNavigationAction *navigation);
WebKitURIResponse *webkit_response_policy_decision_get_response(WebKitResponsePolicyDecision *decision);
WebKitURIRequest *webkit_response_policy_decision_get_request(WebKitResponsePolicyDecision *decision);
int webkit_response_policy_decision_is_mime_type_supported(WebKitResponsePolicyDecision *decision);
int webkit_response_policy_decision_is_main_frame_main_resource(WebKitResponsePolicyDecision *decision);
void webkit_policy_decision_use(WebKitPolicyDecision *decision);
void webkit_policy_decision_ignore(WebKitPolicyDecision *decision);
void webkit_policy_decision_download(WebKitPolicyDecision *decision);
const char *webkit_download_get_destination(WebKitDownload *download);
void webkit_download_set_destination(WebKitDownload *download, const char *destination);
WebKitURIRequest *webkit_download_get_request(WebKitDownload *download);
WebKitWebView *webkit_download_get_web_view(WebKitDownload *download);
void webkit_download_cancel(WebKitDownload *download);

// Permission.
size_t webkit_user_media_permission_request_get_type(void);
void webkit_permission_request_allow(WebKitPermissionRequest *request);
void webkit_permission_request_deny(WebKitPermissionRequest *request);
int webkit_user_media_permission_is_for_audio_device(WebKitUserMediaPermissionRequest *request);
int webkit_user_media_permission_is_for_video_device(WebKitUserMediaPermissionRequest *request);
int webkit_user_media_permission_is_for_display_device(WebKitUserMediaPermissionRequest *request);
const char *webkit_permission_state_query_get_name(WebKitPermissionStateQuery *query);
WebKitSecurityOrigin *webkit_permission_state_query_get_security_origin(WebKitPermissionStateQuery *query);
void webkit_permission_state_query_finish(WebKitPermissionStateQuery *query, unsigned state);
char *webkit_security_origin_to_string(WebKitSecurityOrigin *origin);

// Dialogs of scripts, and other challenges.
WebKitScriptDialog *webkit_script_dialog_ref(WebKitScriptDialog *dialog);
void webkit_script_dialog_unref(WebKitScriptDialog *dialog);
unsigned webkit_script_dialog_get_dialog_type(WebKitScriptDialog *dialog);
const char *webkit_script_dialog_get_message(WebKitScriptDialog *dialog);
void webkit_script_dialog_confirm_set_confirmed(WebKitScriptDialog *dialog, int confirmed);
const char *webkit_script_dialog_prompt_get_default_text(WebKitScriptDialog *dialog);
void webkit_script_dialog_prompt_set_text(WebKitScriptDialog *dialog, const char *text);
void webkit_script_dialog_close(WebKitScriptDialog *dialog);
WebKitCredential *webkit_authentication_request_get_proposed_credential(WebKitAuthenticationRequest *request);
void webkit_authentication_request_authenticate(WebKitAuthenticationRequest *request, WebKitCredential *credential);
void webkit_authentication_request_cancel(WebKitAuthenticationRequest *request);
int webkit_authentication_request_is_retry(WebKitAuthenticationRequest *request);
const char *webkit_authentication_request_get_host(WebKitAuthenticationRequest *request);
unsigned webkit_authentication_request_get_port(WebKitAuthenticationRequest *request);
unsigned webkit_authentication_request_get_scheme(WebKitAuthenticationRequest *request);
const char *webkit_authentication_request_get_realm(WebKitAuthenticationRequest *request);
int webkit_authentication_request_is_for_proxy(WebKitAuthenticationRequest *request);
WebKitCredential *webkit_credential_new(const char *username, const char *password, unsigned persistence);
WebKitCredential *webkit_credential_new_for_certificate(GTlsCertificate *certificate, unsigned persistence);
void webkit_credential_free(WebKitCredential *credential);

#define CWEBKIT_FUNCTIONS(F) \
    F(g_free) F(g_error_free) F(g_object_ref) F(g_object_ref_sink) F(g_object_unref) F(g_signal_connect_data) \
    F(g_signal_handler_disconnect) F(g_app_info_launch_default_for_uri) F(g_app_info_get_default_for_uri_scheme) \
    F(g_tls_certificate_new_from_pem) F(g_tls_certificate_is_same) F(gdk_display_get_default) F(gtk_builder_new) \
    F(gtk_builder_add_from_string) F(gtk_builder_get_object) F(gtk_css_provider_new) F(gtk_css_provider_load_from_data) \
    F(gtk_style_context_add_provider_for_display) F(gtk_widget_set_visible) F(gtk_widget_set_sensitive) \
    F(gtk_widget_set_can_target) F(gtk_widget_set_hexpand) F(gtk_widget_set_vexpand) F(gtk_widget_add_css_class) \
    F(gtk_widget_remove_css_class) F(gtk_widget_grab_focus) F(gtk_widget_activate) F(gtk_widget_set_tooltip_text) \
    F(gtk_box_append) F(gtk_overlay_set_child) F(gtk_toggle_button_get_active) F(gtk_toggle_button_set_active) F(gtk_window_present) F(gtk_window_destroy) F(gtk_window_set_title) \
    F(gtk_window_set_default_size) F(gtk_label_set_text) F(gtk_button_set_label) F(gtk_editable_get_text) \
    F(gtk_editable_set_text) F(gtk_editable_select_region) F(gtk_progress_bar_set_fraction) \
    F(gtk_check_button_get_active) F(gtk_check_button_set_active) F(soup_message_headers_replace) \
    F(jsc_value_is_string) F(jsc_value_to_string) F(webkit_web_context_new) F(webkit_network_session_new) \
    F(webkit_network_session_new_ephemeral) F(webkit_network_session_allow_tls_certificate_for_host) \
    F(webkit_settings_new) F(webkit_settings_set_enable_media_stream) F(webkit_settings_set_enable_webrtc) \
    F(webkit_settings_set_media_playback_allows_inline) F(webkit_settings_set_media_playback_requires_user_gesture) \
    F(webkit_settings_set_javascript_can_open_windows_automatically) F(webkit_settings_set_allow_modal_dialogs) \
    F(webkit_settings_set_enable_developer_extras) F(webkit_settings_set_enable_mock_capture_devices) \
    F(webkit_user_content_manager_new) F(webkit_user_script_new_for_world) F(webkit_user_script_new) \
    F(webkit_user_script_unref) F(webkit_user_content_manager_add_script) \
    F(webkit_user_content_manager_register_script_message_handler) F(webkit_web_view_load_uri) \
    F(webkit_web_view_load_request) F(webkit_web_view_load_alternate_html) F(webkit_web_view_reload) \
    F(webkit_web_view_stop_loading) F(webkit_web_view_go_back) F(webkit_web_view_go_forward) \
    F(webkit_web_view_can_go_back) F(webkit_web_view_can_go_forward) F(webkit_web_view_is_loading) \
    F(webkit_web_view_get_uri) F(webkit_web_view_get_title) F(webkit_web_view_get_estimated_load_progress) \
    F(webkit_web_view_get_camera_capture_state) F(webkit_web_view_set_camera_capture_state) \
    F(webkit_web_view_get_microphone_capture_state) F(webkit_web_view_set_microphone_capture_state) \
    F(webkit_web_view_get_display_capture_state) F(webkit_web_view_set_display_capture_state) \
    F(webkit_web_view_terminate_web_process) F(webkit_web_view_evaluate_javascript) \
    F(webkit_web_view_evaluate_javascript_finish) F(webkit_uri_request_new) F(webkit_uri_request_get_uri) \
    F(webkit_uri_request_get_http_method) F(webkit_uri_request_get_http_headers) F(webkit_uri_response_get_uri) \
    F(webkit_uri_response_get_http_headers) F(soup_message_headers_get_one) \
    F(webkit_navigation_policy_decision_get_navigation_action) F(webkit_navigation_action_get_request) \
    F(webkit_navigation_action_is_user_gesture) F(webkit_navigation_action_is_redirect) \
    F(webkit_response_policy_decision_get_response) F(webkit_response_policy_decision_get_request) \
    F(webkit_response_policy_decision_is_mime_type_supported) \
    F(webkit_response_policy_decision_is_main_frame_main_resource) F(webkit_policy_decision_use) \
    F(webkit_policy_decision_ignore) F(webkit_policy_decision_download) F(webkit_download_get_destination) \
    F(webkit_download_set_destination) F(webkit_download_get_request) F(webkit_download_get_web_view) \
    F(webkit_download_cancel) F(webkit_user_media_permission_request_get_type) F(webkit_permission_request_allow) \
    F(webkit_permission_request_deny) F(webkit_user_media_permission_is_for_audio_device) \
    F(webkit_user_media_permission_is_for_video_device) F(webkit_user_media_permission_is_for_display_device) \
    F(webkit_permission_state_query_get_name) F(webkit_permission_state_query_get_security_origin) \
    F(webkit_permission_state_query_finish) F(webkit_security_origin_to_string) F(webkit_script_dialog_ref) \
    F(webkit_script_dialog_unref) F(webkit_script_dialog_get_dialog_type) F(webkit_script_dialog_get_message) \
    F(webkit_script_dialog_confirm_set_confirmed) F(webkit_script_dialog_prompt_get_default_text) \
    F(webkit_script_dialog_prompt_set_text) F(webkit_script_dialog_close) \
    F(webkit_authentication_request_get_proposed_credential) F(webkit_authentication_request_authenticate) \
    F(webkit_authentication_request_cancel) F(webkit_authentication_request_is_retry) \
    F(webkit_authentication_request_get_host) F(webkit_authentication_request_get_port) \
    F(webkit_authentication_request_get_scheme) F(webkit_authentication_request_get_realm) \
    F(webkit_authentication_request_is_for_proxy) F(webkit_credential_new) F(webkit_credential_new_for_certificate) \
    F(webkit_credential_free) F(g_tls_certificate_new_from_pkcs12) \
    F(webkit_network_session_get_website_data_manager) F(webkit_website_data_manager_clear)

// Those whose last arguments are variable are called by functions of ours, below.
#define CWEBKIT_VARIADIC_FUNCTIONS(F) \
    F(void *, g_object_new, (size_t object_type, const char *first_property_name, ...)) \
    F(size_t, webkit_web_view_get_type, (void)) \
    F(void *, webkit_website_policies_new_with_policies, (const char *first_policy_name, ...))

// The functions of the loaded library, which stays loaded. All are there once it is loaded.
typedef struct {
#define CWEBKIT_FIELD(function) __typeof__(function) *_Nonnull function;
    CWEBKIT_FUNCTIONS(CWEBKIT_FIELD)
#undef CWEBKIT_FIELD
#define CWEBKIT_FIELD(result, function, arguments) result (*_Nonnull function) arguments;
    CWEBKIT_VARIADIC_FUNCTIONS(CWEBKIT_FIELD)
#undef CWEBKIT_FIELD
} CWebKitLibrary;

// Loads the library called `name`, and returns its functions, valid for ever; or writes a sentence into `reason`, of `size`
// bytes, and returns NULL.
const CWebKitLibrary *_Nullable cwebkit_load(const char *_Nonnull name, char *_Nonnull reason, size_t size);

// A view that shares these with others. `autoplay` is a WebKitAutoplayPolicy: 0 to allow, 1 to allow without sound, 2 to deny.
WebKitWebView *_Nullable cwebkit_view_new(
    const CWebKitLibrary *_Nonnull library, WebKitWebContext *_Nonnull context, WebKitNetworkSession *_Nonnull session,
    WebKitSettings *_Nonnull settings, WebKitUserContentManager *_Nonnull content, unsigned autoplay);

// A view for a window that a page of another view opens: it shares that one's process, context and session.
WebKitWebView *_Nullable cwebkit_view_new_related(
    const CWebKitLibrary *_Nonnull library, WebKitWebView *_Nonnull opener, WebKitSettings *_Nonnull settings,
    WebKitUserContentManager *_Nonnull content, unsigned autoplay);

// Whether a permission that is asked for is that of camera, microphone or screen.
int cwebkit_is_user_media(const CWebKitLibrary *_Nonnull library, WebKitPermissionRequest *_Nonnull request);

// The SHA-256 digest of a certificate in hexadecimal, to be given to g_free, or NULL.
char *_Nullable cwebkit_certificate_fingerprint(const CWebKitLibrary *_Nonnull library, GTlsCertificate *_Nonnull certificate);

// What an error says: its sentence, its domain's name, which WebKit or GLib gave it, and its number there.
const char *_Nonnull cwebkit_error_message(const GError *_Nonnull error);
const char *_Nonnull cwebkit_error_domain(const GError *_Nonnull error);
int cwebkit_error_code(const GError *_Nonnull error);

#pragma clang diagnostic pop

#endif
#endif
