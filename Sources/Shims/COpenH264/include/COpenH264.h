#ifndef COPENH264_H
#define COPENH264_H

// OpenH264 as its headers declare it, its functions found when the program runs: a machine without the library runs the
// program all the same, without the codec. Its objects are tables of C++ methods, so that none of its types leaves the
// C file.

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>

// The functions of a loaded library, which stays loaded.
typedef struct {
    void *create_encoder;
    void *destroy_encoder;
    void *create_decoder;
    void *destroy_decoder;
    int major;
    int minor;
    int revision;
} COpenH264Library;

// Loads the library called `name` and returns 1; or writes a sentence into `reason`, of `size` bytes, and returns 0.
int copenh264_load(const char *name, COpenH264Library *library, char *reason, size_t size);

typedef struct COpenH264Encoder COpenH264Encoder;

typedef struct {
    int width;
    int height;
    // Bits a second.
    int bitrate;
    float frame_rate;
    int threads;
    // The most bytes of a NAL unit, or 0 for one slice a picture, whatever its size.
    int max_nal_size;
    // As in profile-level-id, such as 31; 0 to leave it to the library.
    int level;
} COpenH264Settings;

// An encoder for constrained baseline in real time, or NULL.
COpenH264Encoder *copenh264_encoder_create(const COpenH264Library *library, const COpenH264Settings *settings);
void copenh264_encoder_destroy(const COpenH264Library *library, COpenH264Encoder *encoder);
// 0 when the new rates hold.
int copenh264_encoder_set_rates(COpenH264Encoder *encoder, int bitrate, float frame_rate);
// Encodes one picture in I420. Returns the size of the frame in bytes, 0 when the picture was left out, -1 for a failure.
int copenh264_encode(
    COpenH264Encoder *encoder, int width, int height, const unsigned char *const planes[3], const int strides[3],
    int64_t milliseconds, int key_frame);
// Copies the frame that the last call made, with start codes; 1 for a key frame.
int copenh264_copy_frame(const COpenH264Encoder *encoder, unsigned char *target, int size);

typedef struct COpenH264Decoder COpenH264Decoder;

typedef struct {
    const unsigned char *planes[3];
    int strides[2];
    int width;
    int height;
} COpenH264Picture;

COpenH264Decoder *copenh264_decoder_create(const COpenH264Library *library);
void copenh264_decoder_destroy(const COpenH264Library *library, COpenH264Decoder *decoder);
// Decodes one access unit with start codes. Returns the library's state, 0 when all went well; the picture's planes are
// NULL when it made none, and else valid until the next call.
int copenh264_decode(COpenH264Decoder *decoder, const unsigned char *data, int size, COpenH264Picture *picture);

#endif
#endif
