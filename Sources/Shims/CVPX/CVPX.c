#include "CVPX.h"

#if defined(__linux__)

#include "../LoadedLibrary.h"

#include <string.h>

// Whether the library was built with the same layout of the structures as this file: it compares the numbers of
// versions when a codec is initialized.
static int has_our_layout(const CVPXLibrary *library) {
    // The default configuration is written without a question about versions, so leave room for a longer one.
    union { vpx_codec_enc_cfg_t configuration; char room[16384]; } encoding;
    union { vpx_codec_ctx_t context; char room[4096]; } codec;
    vpx_codec_iface_t *encoder = library->vp8_encoder ? library->vp8_encoder : library->vp9_encoder;
    vpx_codec_iface_t *decoder = library->vp8_decoder ? library->vp8_decoder : library->vp9_decoder;
    memset(&encoding, 0, sizeof encoding);
    memset(&codec, 0, sizeof codec);
    if (library->enc_config_default(encoder, &encoding.configuration, 0)) return 0;
    if (library->enc_init_ver(&codec.context, encoder, &encoding.configuration, 0, VPX_ENCODER_ABI_VERSION)) return 0;
    library->destroy(&codec.context);
    memset(&codec, 0, sizeof codec);
    if (library->dec_init_ver(&codec.context, decoder, NULL, 0, VPX_DECODER_ABI_VERSION)) return 0;
    library->destroy(&codec.context);
    return 1;
}

int cvpx_load(const char *name, CVPXLibrary *library, char *reason, size_t size) {
    void *handle = library_open(name, reason, size);
    if (!handle) return 0;
    memset(library, 0, sizeof *library);
    const char *missing = NULL;
#define FIND(field, symbol) \
    if (!(library->field = (__typeof__(library->field))dlsym(handle, symbol))) missing = symbol;
    FIND(version_str, "vpx_codec_version_str")
    FIND(err_to_string, "vpx_codec_err_to_string")
    FIND(destroy, "vpx_codec_destroy")
    FIND(control, "vpx_codec_control_")
    FIND(enc_config_default, "vpx_codec_enc_config_default")
    FIND(enc_init_ver, "vpx_codec_enc_init_ver")
    FIND(enc_config_set, "vpx_codec_enc_config_set")
    FIND(encode, "vpx_codec_encode")
    FIND(get_cx_data, "vpx_codec_get_cx_data")
    FIND(dec_init_ver, "vpx_codec_dec_init_ver")
    FIND(decode, "vpx_codec_decode")
    FIND(get_frame, "vpx_codec_get_frame")
#undef FIND
    if (missing) {
        snprintf(reason, size, "%s has no %s", name, missing);
        dlclose(handle);
        return 0;
    }
    typedef vpx_codec_iface_t *Interface(void);
#define CODEC(field, symbol) { Interface *find = (Interface *)dlsym(handle, symbol); library->field = find ? find() : NULL; }
    CODEC(vp8_encoder, "vpx_codec_vp8_cx")
    CODEC(vp8_decoder, "vpx_codec_vp8_dx")
    CODEC(vp9_encoder, "vpx_codec_vp9_cx")
    CODEC(vp9_decoder, "vpx_codec_vp9_dx")
#undef CODEC
    if (!(library->vp8_encoder || library->vp9_encoder) || !(library->vp8_decoder || library->vp9_decoder)) {
        snprintf(reason, size, "%s was built without encoders or without decoders", name);
        dlclose(handle);
        return 0;
    }
    if (!has_our_layout(library)) {
        snprintf(
            reason, size, "%s is %s, of another interface than the headers that this program was built with", name,
            library->version_str());
        dlclose(handle);
        return 0;
    }
    return 1;
}

vpx_codec_err_t cvpx_default_configuration(
    const CVPXLibrary *library, vpx_codec_iface_t *codec, vpx_codec_enc_cfg_t *configuration) {
    return library->enc_config_default(codec, configuration, 0);
}

vpx_codec_err_t cvpx_encoder_init(
    const CVPXLibrary *library, vpx_codec_ctx_t *context, vpx_codec_iface_t *codec,
    const vpx_codec_enc_cfg_t *configuration) {
    return library->enc_init_ver(context, codec, configuration, 0, VPX_ENCODER_ABI_VERSION);
}

vpx_codec_err_t cvpx_configure(
    const CVPXLibrary *library, vpx_codec_ctx_t *context, const vpx_codec_enc_cfg_t *configuration) {
    return library->enc_config_set(context, configuration);
}

vpx_codec_err_t cvpx_set(const CVPXLibrary *library, vpx_codec_ctx_t *context, int control, int value) {
    return library->control(context, control, value);
}

void cvpx_set_layers(
    vpx_codec_enc_cfg_t *configuration, unsigned count, const unsigned kilobits[CVPX_LAYERS]) {
    static const unsigned patterns[CVPX_LAYERS][4] = { { 0 }, { 0, 1 }, { 0, 2, 1, 2 } };
    if (count < 2 || count > CVPX_LAYERS) return;
    configuration->ts_number_layers = count;
    configuration->ts_periodicity = 1u << (count - 1);
    for (unsigned index = 0; index < configuration->ts_periodicity; index++) {
        configuration->ts_layer_id[index] = patterns[count - 1][index];
    }
    for (unsigned layer = 0; layer < count; layer++) {
        configuration->ts_rate_decimator[layer] = 1u << (count - 1 - layer);
        configuration->ts_target_bitrate[layer] = kilobits[layer];
        configuration->layer_target_bitrate[layer] = kilobits[layer];
    }
    // VP9: the flags of each frame tell its references.
    configuration->temporal_layering_mode = VP9E_TEMPORAL_LAYERING_MODE_BYPASS;
}

vpx_codec_err_t cvpx_begin_layers(const CVPXLibrary *library, vpx_codec_ctx_t *context) {
    return library->control(context, VP9E_SET_SVC, 1);
}

unsigned long cvpx_references(int layer, int is_sync, int is_discardable, int renews_golden) {
    unsigned long flags = layer < 2 || is_sync ? VP8_EFLAG_NO_REF_ARF : 0;
    if (layer == 0) {
        flags |= VP8_EFLAG_NO_UPD_ARF;
        return flags | (renews_golden ? VP8_EFLAG_FORCE_GF : VP8_EFLAG_NO_UPD_GF);
    }
    flags |= VP8_EFLAG_NO_UPD_LAST | VP8_EFLAG_NO_UPD_GF | VP8_EFLAG_NO_UPD_ENTROPY;
    return flags | (is_discardable ? VP8_EFLAG_NO_UPD_ARF : VP8_EFLAG_FORCE_ARF);
}

vpx_codec_err_t cvpx_set_layer(const CVPXLibrary *library, vpx_codec_ctx_t *context, int is_vp9, int layer) {
    if (!is_vp9) return library->control(context, VP8E_SET_TEMPORAL_LAYER_ID, layer);
    vpx_svc_layer_id_t id;
    memset(&id, 0, sizeof id);
    id.temporal_layer_id = layer;
    id.temporal_layer_id_per_spatial[0] = layer;
    return library->control(context, VP9E_SET_SVC_LAYER_ID, &id);
}

vpx_codec_err_t cvpx_encode(
    const CVPXLibrary *library, vpx_codec_ctx_t *context, unsigned width, unsigned height,
    const unsigned char *const planes[3], const int strides[3], long long time, unsigned long duration, int key_frame,
    unsigned long references) {
    vpx_image_t image;
    memset(&image, 0, sizeof image);
    image.fmt = VPX_IMG_FMT_I420;
    image.cs = VPX_CS_BT_601;
    image.w = image.d_w = width;
    image.h = image.d_h = height;
    image.bit_depth = 8;
    image.bps = 12;
    image.x_chroma_shift = image.y_chroma_shift = 1;
    for (int index = 0; index < 3; index++) {
        // The library reads them only; the structure serves both directions.
        image.planes[index] = (unsigned char *)planes[index];
        image.stride[index] = strides[index];
    }
    // A key frame replaces all references.
    vpx_enc_frame_flags_t flags = key_frame ? VPX_EFLAG_FORCE_KF : (vpx_enc_frame_flags_t)references;
    return library->encode(context, &image, time, duration, flags, VPX_DL_REALTIME);
}

int cvpx_encoded_frame(
    const CVPXLibrary *library, vpx_codec_ctx_t *context, vpx_codec_iter_t *iterator, const void **data, size_t *size,
    int *key_frame) {
    const vpx_codec_cx_pkt_t *packet;
    while ((packet = library->get_cx_data(context, iterator))) {
        if (packet->kind != VPX_CODEC_CX_FRAME_PKT) continue;
        *data = packet->data.frame.buf;
        *size = packet->data.frame.sz;
        *key_frame = (packet->data.frame.flags & VPX_FRAME_IS_KEY) != 0;
        return 1;
    }
    return 0;
}

vpx_codec_err_t cvpx_decoder_init(
    const CVPXLibrary *library, vpx_codec_ctx_t *context, vpx_codec_iface_t *codec, unsigned threads) {
    vpx_codec_dec_cfg_t configuration = { .threads = threads };
    return library->dec_init_ver(context, codec, &configuration, 0, VPX_DECODER_ABI_VERSION);
}

vpx_codec_err_t cvpx_decode(
    const CVPXLibrary *library, vpx_codec_ctx_t *context, const unsigned char *data, unsigned size) {
    return library->decode(context, data, size, NULL, 0);
}

const vpx_image_t *cvpx_decoded_picture(
    const CVPXLibrary *library, vpx_codec_ctx_t *context, vpx_codec_iter_t *iterator) {
    return library->get_frame(context, iterator);
}

void cvpx_destroy(const CVPXLibrary *library, vpx_codec_ctx_t *context) {
    library->destroy(context);
}

const char *cvpx_error(const CVPXLibrary *library, vpx_codec_err_t error) {
    return library->err_to_string(error);
}

const char *cvpx_version(const CVPXLibrary *library) {
    return library->version_str();
}

#endif
