#ifndef CVPX_H
#define CVPX_H

// libvpx as its headers declare it, its functions found when the program runs: a machine without the library runs the
// program all the same, without the codecs. The layout of its structures belongs to the headers' version, which
// cvpx_load compares with the library's.

#if defined(__linux__)

#include <stddef.h>
#include <vpx/vp8cx.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>
#include <vpx/vpx_encoder.h>

// The functions of a loaded library, which stays loaded. A codec that it was built without has no interface.
typedef struct {
    __typeof__(vpx_codec_version_str) *version_str;
    __typeof__(vpx_codec_err_to_string) *err_to_string;
    __typeof__(vpx_codec_destroy) *destroy;
    __typeof__(vpx_codec_control_) *control;
    __typeof__(vpx_codec_enc_config_default) *enc_config_default;
    __typeof__(vpx_codec_enc_init_ver) *enc_init_ver;
    __typeof__(vpx_codec_enc_config_set) *enc_config_set;
    __typeof__(vpx_codec_encode) *encode;
    __typeof__(vpx_codec_get_cx_data) *get_cx_data;
    __typeof__(vpx_codec_dec_init_ver) *dec_init_ver;
    __typeof__(vpx_codec_decode) *decode;
    __typeof__(vpx_codec_get_frame) *get_frame;
    vpx_codec_iface_t *vp8_encoder;
    vpx_codec_iface_t *vp8_decoder;
    vpx_codec_iface_t *vp9_encoder;
    vpx_codec_iface_t *vp9_decoder;
} CVPXLibrary;

// Loads the library called `name` and returns 1; or writes a sentence into `reason`, of `size` bytes, and returns 0.
int cvpx_load(const char *name, CVPXLibrary *library, char *reason, size_t size);

vpx_codec_err_t cvpx_default_configuration(
    const CVPXLibrary *library, vpx_codec_iface_t *codec, vpx_codec_enc_cfg_t *configuration);
vpx_codec_err_t cvpx_encoder_init(
    const CVPXLibrary *library, vpx_codec_ctx_t *context, vpx_codec_iface_t *codec,
    const vpx_codec_enc_cfg_t *configuration);
vpx_codec_err_t cvpx_configure(
    const CVPXLibrary *library, vpx_codec_ctx_t *context, const vpx_codec_enc_cfg_t *configuration);
// Controls that take one integer.
vpx_codec_err_t cvpx_set(const CVPXLibrary *library, vpx_codec_ctx_t *context, int control, int value);
// The most temporal layers.
#define CVPX_LAYERS 3
// Divides the bitrate among `count` temporal layers in the pattern 0, 0 1 or 0 2 1 2. `kilobits` has the bitrate of each layer
// together with those below it. Call it before cvpx_encoder_init and before each cvpx_configure.
void cvpx_set_layers(
    vpx_codec_enc_cfg_t *configuration, unsigned count, const unsigned kilobits[CVPX_LAYERS]);
// Prepares an encoder for VP9 with temporal layers.
vpx_codec_err_t cvpx_begin_layers(const CVPXLibrary *library, vpx_codec_ctx_t *context);
// The references of a frame of temporal layer `layer`, for cvpx_encode. The base layer uses the last frame, and a golden frame
// that it replaces now and then. Nothing above it changes either, or the probabilities: layer 1 changes the alternate frame if
// others refer to it, which layer 2 uses if it is not a sync frame.
unsigned long cvpx_references(int layer, int is_sync, int is_discardable, int renews_golden);
// Tells the encoder the temporal layer of the next frame.
vpx_codec_err_t cvpx_set_layer(const CVPXLibrary *library, vpx_codec_ctx_t *context, int is_vp9, int layer);
// Encodes one picture in I420, in real time.
vpx_codec_err_t cvpx_encode(
    const CVPXLibrary *library, vpx_codec_ctx_t *context, unsigned width, unsigned height,
    const unsigned char *const planes[3], const int strides[3], long long time, unsigned long duration, int key_frame,
    unsigned long references);
// The frame that the last call made: 1, or 0 when there is no more.
int cvpx_encoded_frame(
    const CVPXLibrary *library, vpx_codec_ctx_t *context, vpx_codec_iter_t *iterator, const void **data, size_t *size,
    int *key_frame);

vpx_codec_err_t cvpx_decoder_init(
    const CVPXLibrary *library, vpx_codec_ctx_t *context, vpx_codec_iface_t *codec, unsigned threads);
vpx_codec_err_t cvpx_decode(
    const CVPXLibrary *library, vpx_codec_ctx_t *context, const unsigned char *data, unsigned size);
// The picture that the last call made, or NULL when there is no more. It is valid until the next call.
const vpx_image_t *cvpx_decoded_picture(
    const CVPXLibrary *library, vpx_codec_ctx_t *context, vpx_codec_iter_t *iterator);

void cvpx_destroy(const CVPXLibrary *library, vpx_codec_ctx_t *context);
const char *cvpx_error(const CVPXLibrary *library, vpx_codec_err_t error);
const char *cvpx_version(const CVPXLibrary *library);

#endif
#endif
