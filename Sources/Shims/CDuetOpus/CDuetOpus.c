#include "CDuetOpus.h"

static COpusPlace program;

int copus_place_provide(COpusPlace *place, const COpusLibrary *library) {
    if (!library || !library->get_version_string || !library->encoder_create || !library->encoder_destroy
        || !library->encoder_ctl || !library->encode || !library->decoder_create || !library->decoder_destroy
        || !library->decoder_ctl || !library->decode || !library->packet_parse)
        return 0;
    if (__atomic_load_n(&place->is_taken, __ATOMIC_SEQ_CST)) return 0;
    __atomic_store_n(&place->library, library, __ATOMIC_SEQ_CST);
    // Whoever took the place in between may have seen nothing in it.
    return !__atomic_load_n(&place->is_taken, __ATOMIC_SEQ_CST);
}

const COpusLibrary *copus_place_take(COpusPlace *place) {
    __atomic_store_n(&place->is_taken, 1, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&place->library, __ATOMIC_SEQ_CST);
}

int copus_provide(const COpusLibrary *library) {
    return copus_place_provide(&program, library);
}

const COpusLibrary *copus_take(void) {
    return copus_place_take(&program);
}

#if defined(__linux__)

#include "../LoadedLibrary.h"

#include <string.h>

int copus_load(const char *name, COpusLibrary *library, char *reason, size_t size) {
    void *handle = library_open(name, reason, size);
    if (!handle) return 0;
    memset(library, 0, sizeof *library);
    const char *missing = NULL;
#define FIND(field, symbol) \
    if (!(library->field = (__typeof__(library->field))dlsym(handle, symbol))) missing = symbol;
    FIND(get_version_string, "opus_get_version_string")
    FIND(encoder_create, "opus_encoder_create")
    FIND(encoder_destroy, "opus_encoder_destroy")
    FIND(encoder_ctl, "opus_encoder_ctl")
    FIND(encode, "opus_encode")
    FIND(decoder_create, "opus_decoder_create")
    FIND(decoder_destroy, "opus_decoder_destroy")
    FIND(decoder_ctl, "opus_decoder_ctl")
    FIND(decode, "opus_decode")
    FIND(packet_parse, "opus_packet_parse")
#undef FIND
    if (!missing) return 1;
    snprintf(reason, size, "%s has no %s", name, missing);
    dlclose(handle);
    return 0;
}

#endif

OpusEncoder *copus_encoder_create(
    const COpusLibrary *library, int32_t rate, int channels, int application, int *error) {
    return library->encoder_create(rate, channels, application, error);
}

void copus_encoder_destroy(const COpusLibrary *library, OpusEncoder *encoder) {
    library->encoder_destroy(encoder);
}

int32_t copus_encode(
    const COpusLibrary *library, OpusEncoder *encoder, const int16_t *samples, int count, unsigned char *data,
    int32_t size) {
    return library->encode(encoder, samples, count, data, size);
}

int copus_encoder_set(const COpusLibrary *library, OpusEncoder *encoder, int request, int32_t value) {
    return library->encoder_ctl(encoder, request, value);
}

OpusDecoder *copus_decoder_create(const COpusLibrary *library, int32_t rate, int channels, int *error) {
    return library->decoder_create(rate, channels, error);
}

void copus_decoder_destroy(const COpusLibrary *library, OpusDecoder *decoder) {
    library->decoder_destroy(decoder);
}

int copus_decode(
    const COpusLibrary *library, OpusDecoder *decoder, const unsigned char *data, int32_t size, int16_t *samples,
    int count, int recover) {
    return library->decode(decoder, data, size, samples, count, recover);
}

int copus_decoder_reset(const COpusLibrary *library, OpusDecoder *decoder) {
    return library->decoder_ctl(decoder, COPUS_RESET_STATE);
}

int copus_first_frame(
    const COpusLibrary *library, const unsigned char *data, int32_t size, int *offset, int *frame_size) {
    // A packet has up to 48 frames (RFC 6716, section 3.2.5).
    const unsigned char *frames[48];
    int16_t sizes[48];
    int count = library->packet_parse(data, size, NULL, frames, sizes, NULL);
    if (count < 1) return 0;
    *offset = (int)(frames[0] - data);
    *frame_size = sizes[0];
    return 1;
}

const char *copus_version(const COpusLibrary *library) {
    return library->get_version_string();
}
