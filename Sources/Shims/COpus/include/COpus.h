#ifndef COPUS_H
#define COPUS_H

// libopus as its header declares it, its functions found when the program runs: a machine without the library runs the
// program all the same, without the codec.

#if defined(__linux__)

#include <opus/opus.h>
#include <stddef.h>

// The functions of a loaded library, which stays loaded.
typedef struct {
    __typeof__(opus_get_version_string) *get_version_string;
    __typeof__(opus_encoder_create) *encoder_create;
    __typeof__(opus_encoder_destroy) *encoder_destroy;
    __typeof__(opus_encoder_ctl) *encoder_ctl;
    __typeof__(opus_encode) *encode;
    __typeof__(opus_decoder_create) *decoder_create;
    __typeof__(opus_decoder_destroy) *decoder_destroy;
    __typeof__(opus_decoder_ctl) *decoder_ctl;
    __typeof__(opus_decode) *decode;
    __typeof__(opus_packet_parse) *packet_parse;
} COpusLibrary;

// Loads the library called `name` and returns 1; or writes a sentence into `reason`, of `size` bytes, and returns 0.
int copus_load(const char *name, COpusLibrary *library, char *reason, size_t size);

OpusEncoder *copus_encoder_create(
    const COpusLibrary *library, opus_int32 rate, int channels, int application, int *error);
void copus_encoder_destroy(const COpusLibrary *library, OpusEncoder *encoder);
opus_int32 copus_encode(
    const COpusLibrary *library, OpusEncoder *encoder, const opus_int16 *samples, int count, unsigned char *data,
    opus_int32 size);
// Requests that take one integer, such as OPUS_SET_BITRATE_REQUEST. Returns an Opus error code.
int copus_encoder_set(const COpusLibrary *library, OpusEncoder *encoder, int request, opus_int32 value);

OpusDecoder *copus_decoder_create(const COpusLibrary *library, opus_int32 rate, int channels, int *error);
void copus_decoder_destroy(const COpusLibrary *library, OpusDecoder *decoder);
// Without data it makes up for a lost packet. With `recover` it decodes the packet before `data` out of `data`.
int copus_decode(
    const COpusLibrary *library, OpusDecoder *decoder, const unsigned char *data, opus_int32 size, opus_int16 *samples,
    int count, int recover);
int copus_decoder_reset(const COpusLibrary *library, OpusDecoder *decoder);

// The offset of the first frame in a packet and its size: 1; or 0 when it is not an Opus packet.
int copus_first_frame(
    const COpusLibrary *library, const unsigned char *data, opus_int32 size, int *offset, int *frame_size);
const char *copus_version(const COpusLibrary *library);

#endif
#endif
