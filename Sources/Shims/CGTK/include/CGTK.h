#ifndef CGTK_H
#define CGTK_H

// GTK 4, and what of GLib it needs: the functions that this package calls, found when the program runs. Nothing of GTK
// has to be there to build; a machine without it runs the program all the same, without windows.
//
// The declarations are those of GTK's stable interface. Scripts/check-headers compiles this file behind GTK's own headers,
// where a difference is an error.

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

typedef struct _GError GError;
typedef struct _GBytes GBytes;
typedef struct _GClosure GClosure;
typedef struct _GObject GObject;
typedef struct _GMainContext GMainContext;
typedef struct _GdkDisplay GdkDisplay;
typedef struct _GdkTexture GdkTexture;
typedef struct _GdkPaintable GdkPaintable;
typedef struct _GtkWidget GtkWidget;
typedef struct _GtkWindow GtkWindow;
typedef struct _GtkLabel GtkLabel;
typedef struct _GtkImage GtkImage;
typedef struct _GtkPicture GtkPicture;
typedef struct _GtkToggleButton GtkToggleButton;
typedef struct _GtkDropDown GtkDropDown;
typedef struct _GtkStringList GtkStringList;
typedef struct _GListModel GListModel;
typedef struct _GtkBuilder GtkBuilder;
typedef struct _GtkCssProvider GtkCssProvider;
typedef struct _GtkStyleProvider GtkStyleProvider;

typedef void (*GCallback)(void);
typedef void (*GClosureNotify)(void *data, GClosure *closure);
typedef void (*GDestroyNotify)(void *data);
typedef int (*GSourceFunc)(void *data);

// GLib: the main context.
GMainContext *g_main_context_default(void);
int g_main_context_acquire(GMainContext *context);
void g_main_context_release(GMainContext *context);
int g_main_context_iteration(GMainContext *context, int may_block);
void g_main_context_wakeup(GMainContext *context);
unsigned g_idle_add_full(int priority, GSourceFunc function, void *data, GDestroyNotify notify);
int g_source_remove(unsigned tag);
// The function returns 0 to be called no more.
unsigned g_unix_fd_add_full(
    int priority, int fd, unsigned condition, int (*function)(int fd, unsigned condition, void *data), void *data,
    GDestroyNotify notify);
void g_free(void *memory);
void g_error_free(GError *error);
GBytes *g_bytes_new_with_free_func(const void *data, size_t size, GDestroyNotify free_func, void *user_data);
void g_bytes_unref(GBytes *bytes);

// GObject.
void *(g_object_ref)(void *object);
void (g_object_unref)(void *object);
unsigned long g_signal_connect_data(
    void *instance, const char *detailed_signal, GCallback c_handler, void *data, GClosureNotify destroy_data,
    unsigned connect_flags);
void g_signal_handler_disconnect(void *instance, unsigned long handler_id);

// GDK.
GdkDisplay *gdk_display_get_default(void);
GdkTexture *gdk_memory_texture_new(int width, int height, unsigned format, GBytes *bytes, size_t stride);

// GTK.
int gtk_init_check(void);
unsigned gtk_get_major_version(void);
unsigned gtk_get_minor_version(void);
GtkBuilder *gtk_builder_new(void);
int gtk_builder_add_from_string(GtkBuilder *builder, const char *buffer, ptrdiff_t length, GError **error);
GObject *gtk_builder_get_object(GtkBuilder *builder, const char *name);
GtkCssProvider *gtk_css_provider_new(void);
void gtk_css_provider_load_from_data(GtkCssProvider *provider, const char *data, ptrdiff_t length);
void gtk_style_context_add_provider_for_display(GdkDisplay *display, GtkStyleProvider *provider, unsigned priority);
void gtk_widget_set_visible(GtkWidget *widget, int visible);
int gtk_widget_get_visible(GtkWidget *widget);
void gtk_widget_set_sensitive(GtkWidget *widget, int sensitive);
int gtk_widget_get_sensitive(GtkWidget *widget);
void gtk_widget_set_tooltip_text(GtkWidget *widget, const char *text);
void gtk_widget_set_size_request(GtkWidget *widget, int width, int height);
void gtk_widget_add_css_class(GtkWidget *widget, const char *css_class);
void gtk_widget_remove_css_class(GtkWidget *widget, const char *css_class);
int gtk_widget_has_css_class(GtkWidget *widget, const char *css_class);
int gtk_widget_grab_focus(GtkWidget *widget);
void gtk_image_set_from_paintable(GtkImage *image, GdkPaintable *paintable);
int gtk_widget_activate(GtkWidget *widget);
void gtk_window_present(GtkWindow *window);
void gtk_window_destroy(GtkWindow *window);
void gtk_window_set_title(GtkWindow *window, const char *title);
void gtk_window_set_default_size(GtkWindow *window, int width, int height);
void gtk_window_fullscreen(GtkWindow *window);
void gtk_window_unfullscreen(GtkWindow *window);
int gtk_window_is_fullscreen(GtkWindow *window);
void gtk_window_set_child(GtkWindow *window, GtkWidget *child);
GtkWidget *gtk_window_new(void);
void gtk_label_set_text(GtkLabel *label, const char *text);
GtkWidget *gtk_picture_new(void);
void gtk_picture_set_paintable(GtkPicture *picture, GdkPaintable *paintable);
void gtk_picture_set_can_shrink(GtkPicture *picture, int can_shrink);
void gtk_picture_set_alternative_text(GtkPicture *picture, const char *text);
int gtk_toggle_button_get_active(GtkToggleButton *button);
void gtk_toggle_button_set_active(GtkToggleButton *button, int is_active);
GtkStringList *gtk_string_list_new(const char *const *strings);
void gtk_drop_down_set_model(GtkDropDown *drop_down, GListModel *model);
unsigned gtk_drop_down_get_selected(GtkDropDown *drop_down);
void gtk_drop_down_set_selected(GtkDropDown *drop_down, unsigned position);

#define CGTK_FUNCTIONS(F) \
    F(g_main_context_default) F(g_main_context_acquire) F(g_main_context_release) F(g_main_context_iteration) \
    F(g_main_context_wakeup) F(g_idle_add_full) F(g_source_remove) F(g_free) F(g_error_free) \
    F(g_bytes_new_with_free_func) F(g_bytes_unref) F(g_object_ref) F(g_object_unref) F(g_signal_connect_data) \
    F(g_signal_handler_disconnect) F(g_unix_fd_add_full) F(gdk_display_get_default) F(gdk_memory_texture_new) \
    F(gtk_init_check) F(gtk_get_major_version) F(gtk_get_minor_version) F(gtk_builder_new) \
    F(gtk_builder_add_from_string) F(gtk_builder_get_object) F(gtk_css_provider_new) \
    F(gtk_css_provider_load_from_data) F(gtk_style_context_add_provider_for_display) F(gtk_widget_set_visible) \
    F(gtk_widget_get_visible) F(gtk_widget_set_sensitive) F(gtk_widget_get_sensitive) F(gtk_widget_set_tooltip_text) \
    F(gtk_widget_set_size_request) F(gtk_widget_add_css_class) F(gtk_widget_remove_css_class) \
    F(gtk_widget_grab_focus) F(gtk_image_set_from_paintable) F(gtk_widget_has_css_class) F(gtk_widget_activate) F(gtk_window_present) F(gtk_window_destroy) \
    F(gtk_window_set_title) F(gtk_window_set_default_size) F(gtk_window_fullscreen) F(gtk_window_unfullscreen) \
    F(gtk_window_is_fullscreen) F(gtk_window_set_child) F(gtk_window_new) F(gtk_label_set_text) F(gtk_picture_new) \
    F(gtk_picture_set_paintable) F(gtk_picture_set_can_shrink) F(gtk_picture_set_alternative_text) \
    F(gtk_toggle_button_get_active) F(gtk_toggle_button_set_active) F(gtk_string_list_new) \
    F(gtk_drop_down_set_model) F(gtk_drop_down_get_selected) F(gtk_drop_down_set_selected)

// The functions of the loaded library, which stays loaded. All are there once it is loaded.
typedef struct {
#define CGTK_FIELD(function) __typeof__(function) *_Nonnull function;
    CGTK_FUNCTIONS(CGTK_FIELD)
#undef CGTK_FIELD
} CGTKLibrary;

// Loads the library called `name`, and returns its functions, valid for ever; or writes a sentence into `reason`, of `size`
// bytes, and returns NULL.
const CGTKLibrary *_Nullable cgtk_load(const char *_Nonnull name, char *_Nonnull reason, size_t size);

// The sentence of an error that a function of GLib gave.
const char *_Nonnull cgtk_error_message(const GError *_Nonnull error);

// A picture in I420: rows of brightness, and rows of colour half as wide and half as many, both rounded up.
typedef struct {
    const uint8_t *_Nonnull y, *_Nonnull u, *_Nonnull v;
    size_t stride_y, stride_uv;
    int width, height;
} CGTKPlanes;

// Converts a picture to pixels of blue, green, red and an alpha of 255, a byte each, mirrored or not. `out` has room for
// width * height pixels, without gaps between rows.
void cgtk_convert(const CGTKPlanes *_Nonnull planes, int mirrored, uint32_t *_Nonnull out);

// The main queue as libdispatch gives it to whoever runs the main loop: a descriptor that becomes readable when there is
// something to do, and the function that does it.
int cgtk_main_queue_descriptor(void);
void cgtk_main_queue_drain(void);

// Waits until the descriptor is readable.
void cgtk_main_queue_wait(void);

// Whether the calling thread is the one that the process began with.
int cgtk_is_main_thread(void);

#pragma clang diagnostic pop

#endif
#endif
