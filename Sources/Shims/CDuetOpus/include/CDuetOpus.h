#ifndef CDUETOPUS_H
#define CDUETOPUS_H

// libopus by declarations of our own, which Scripts/check-headers compares with its header. Nothing of it is linked unless a
// program asks for that: on Linux the system's library is found when a program runs, on Apple's systems a program provides its
// own (docs/codecs.md). Without one, it runs all the same.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The names and types are those of opus.h, so that a file may include both, in any order (C11 or later, or C++20).
typedef struct OpusEncoder OpusEncoder;
typedef struct OpusDecoder OpusDecoder;

#define COPUS_OK 0

// The values of `application` of an encoder.
#define COPUS_APPLICATION_VOIP 2048
#define COPUS_APPLICATION_AUDIO 2049

// The requests of an encoder that take one integer, and one that takes none.
#define COPUS_SET_BITRATE 4002
#define COPUS_SET_MAX_BANDWIDTH 4004
#define COPUS_SET_VBR 4006
#define COPUS_SET_COMPLEXITY 4010
#define COPUS_SET_INBAND_FEC 4012
#define COPUS_SET_PACKET_LOSS_PERCENTAGE 4014
#define COPUS_SET_DTX 4016
#define COPUS_RESET_STATE 4028

// The values of COPUS_SET_MAX_BANDWIDTH.
#define COPUS_BANDWIDTH_NARROWBAND 1101
#define COPUS_BANDWIDTH_MEDIUMBAND 1102
#define COPUS_BANDWIDTH_WIDEBAND 1103
#define COPUS_BANDWIDTH_SUPERWIDEBAND 1104
#define COPUS_BANDWIDTH_FULLBAND 1105

// The functions of libopus that Duet calls, under their names without `opus_`.
typedef struct {
    const char *(*get_version_string)(void);
    OpusEncoder *(*encoder_create)(int32_t rate, int channels, int application, int *error);
    void (*encoder_destroy)(OpusEncoder *encoder);
    int (*encoder_ctl)(OpusEncoder *encoder, int request, ...);
    int32_t (*encode)(OpusEncoder *encoder, const int16_t *samples, int count, unsigned char *data, int32_t size);
    OpusDecoder *(*decoder_create)(int32_t rate, int channels, int *error);
    void (*decoder_destroy)(OpusDecoder *decoder);
    int (*decoder_ctl)(OpusDecoder *decoder, int request, ...);
    int (*decode)(
        OpusDecoder *decoder, const unsigned char *data, int32_t size, int16_t *samples, int count, int recover);
    int (*packet_parse)(
        const unsigned char *data, int32_t size, unsigned char *configuration, const unsigned char *frames[48],
        int16_t sizes[48], int *offset);
} COpusLibrary;

// The initializer of a table with the libopus that a program is linked with. For files that have included opus.h.
#define COPUS_LINKED_LIBRARY \
    { \
        .get_version_string = opus_get_version_string, .encoder_create = opus_encoder_create, \
        .encoder_destroy = opus_encoder_destroy, .encoder_ctl = opus_encoder_ctl, .encode = opus_encode, \
        .decoder_create = opus_decoder_create, .decoder_destroy = opus_decoder_destroy, \
        .decoder_ctl = opus_decoder_ctl, .decode = opus_decode, .packet_parse = opus_packet_parse, \
    }

// Where a program puts its libopus, and where the codecs take it from.
typedef struct {
    const COpusLibrary *library;
    int is_taken;
} COpusPlace;

// Makes Duet use a libopus that the program brings along, in place of the system's. Call it before anything of Duet is used: the
// codecs are chosen once. The table is not copied and must stay. Any thread.
//
// Returns 1; or 0 when the codecs have been chosen already, or a function of the table is missing.
int copus_provide(const COpusLibrary *library);

// The library that the program provided, or NULL. After this, none can be provided any more.
const COpusLibrary *copus_take(void);

// The same for a place of one's own.
int copus_place_provide(COpusPlace *place, const COpusLibrary *library);
const COpusLibrary *copus_place_take(COpusPlace *place);

#if defined(__linux__)
// Loads the library called `name` and returns 1; or writes a sentence into `reason`, of `size` bytes, and returns 0.
int copus_load(const char *name, COpusLibrary *library, char *reason, size_t size);
#endif

OpusEncoder *copus_encoder_create(
    const COpusLibrary *library, int32_t rate, int channels, int application, int *error);
void copus_encoder_destroy(const COpusLibrary *library, OpusEncoder *encoder);
int32_t copus_encode(
    const COpusLibrary *library, OpusEncoder *encoder, const int16_t *samples, int count, unsigned char *data,
    int32_t size);
// Requests that take one integer. Returns an Opus error code.
int copus_encoder_set(const COpusLibrary *library, OpusEncoder *encoder, int request, int32_t value);

OpusDecoder *copus_decoder_create(const COpusLibrary *library, int32_t rate, int channels, int *error);
void copus_decoder_destroy(const COpusLibrary *library, OpusDecoder *decoder);
// Without data it makes up for a lost packet. With `recover` it decodes the packet before `data` out of `data`.
int copus_decode(
    const COpusLibrary *library, OpusDecoder *decoder, const unsigned char *data, int32_t size, int16_t *samples,
    int count, int recover);
int copus_decoder_reset(const COpusLibrary *library, OpusDecoder *decoder);

// The offset of the first frame in a packet and its size: 1; or 0 when it is not an Opus packet.
int copus_first_frame(
    const COpusLibrary *library, const unsigned char *data, int32_t size, int *offset, int *frame_size);
const char *copus_version(const COpusLibrary *library);

#ifdef __cplusplus
}
#endif
#endif
