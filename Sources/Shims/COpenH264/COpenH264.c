#include "COpenH264.h"

#if defined(__linux__)

#include "../LoadedLibrary.h"

#include <string.h>
#include <wels/codec_api.h>
#include <wels/codec_ver.h>

// Whether a library of this version lays its structures out as our headers do. 2.2 to 2.4 share one shared-object
// version.
static int has_our_layout(int major, int minor) {
    if (major != OPENH264_MAJOR) return 0;
    if (minor == OPENH264_MINOR) return 1;
    return OPENH264_MAJOR == 2 && OPENH264_MINOR >= 2 && OPENH264_MINOR <= 4 && minor >= 2 && minor <= 4;
}

int copenh264_load(const char *name, COpenH264Library *library, char *reason, size_t size) {
    void *handle = library_open(name, reason, size);
    if (!handle) return 0;
    memset(library, 0, sizeof *library);
    const char *missing = NULL;
#define FIND(field, symbol) if (!(field = dlsym(handle, symbol))) missing = symbol;
    void *version_function;
    FIND(version_function, "WelsGetCodecVersionEx")
    FIND(library->create_encoder, "WelsCreateSVCEncoder")
    FIND(library->destroy_encoder, "WelsDestroySVCEncoder")
    FIND(library->create_decoder, "WelsCreateDecoder")
    FIND(library->destroy_decoder, "WelsDestroyDecoder")
#undef FIND
    if (missing) {
        snprintf(reason, size, "%s has no %s", name, missing);
        dlclose(handle);
        return 0;
    }
    OpenH264Version version;
    memset(&version, 0, sizeof version);
    ((__typeof__(WelsGetCodecVersionEx) *)version_function)(&version);
    library->major = (int)version.uMajor;
    library->minor = (int)version.uMinor;
    library->revision = (int)version.uRevision;
    if (has_our_layout(library->major, library->minor)) return 1;
    snprintf(
        reason, size, "%s is OpenH264 %d.%d, and this program was built with the headers of %d.%d", name,
        library->major, library->minor, OPENH264_MAJOR, OPENH264_MINOR);
    dlclose(handle);
    return 0;
}

struct COpenH264Encoder {
    ISVCEncoder *encoder;
    SFrameBSInfo frame;
};

static ELevelIdc level_of(int level) {
    switch (level) {
        case 10: case 11: case 12: case 13: case 20: case 21: case 22: case 30: case 31: case 32: case 40: case 41:
        case 42: case 50: case 51: case 52:
            return (ELevelIdc)level;
        default:
            return LEVEL_UNKNOWN;
    }
}

COpenH264Encoder *copenh264_encoder_create(const COpenH264Library *library, const COpenH264Settings *settings) {
    COpenH264Encoder *object = calloc(1, sizeof *object);
    if (!object) return NULL;
    if (((__typeof__(WelsCreateSVCEncoder) *)library->create_encoder)(&object->encoder) || !object->encoder) {
        free(object);
        return NULL;
    }
    ISVCEncoder *encoder = object->encoder;
    int level = WELS_LOG_QUIET;
    (*encoder)->SetOption(encoder, ENCODER_OPTION_TRACE_LEVEL, &level);
    SEncParamExt parameters;
    memset(&parameters, 0, sizeof parameters);
    (*encoder)->GetDefaultParams(encoder, &parameters);
    parameters.iUsageType = CAMERA_VIDEO_REAL_TIME;
    parameters.iPicWidth = settings->width;
    parameters.iPicHeight = settings->height;
    parameters.iTargetBitrate = settings->bitrate;
    parameters.iMaxBitrate = UNSPECIFIED_BIT_RATE;
    parameters.iRCMode = RC_BITRATE_MODE;
    parameters.fMaxFrameRate = settings->frame_rate;
    parameters.iTemporalLayerNum = 1;
    parameters.iSpatialLayerNum = 1;
    parameters.iComplexityMode = LOW_COMPLEXITY;
    // Key frames on demand only.
    parameters.uiIntraPeriod = 0;
    parameters.bEnableSceneChangeDetect = 0;
    parameters.iNumRefFrame = 1;
    parameters.eSpsPpsIdStrategy = CONSTANT_ID;
    parameters.bPrefixNalAddingCtrl = 0;
    // Without CABAC, as constrained baseline has it.
    parameters.iEntropyCodingModeFlag = 0;
    parameters.bEnableFrameSkip = 1;
    parameters.uiMaxNalSize = (unsigned)settings->max_nal_size;
    parameters.bEnableLongTermReference = 0;
    parameters.iMultipleThreadIdc = (unsigned short)settings->threads;
    parameters.bEnableDenoise = 0;
    parameters.bEnableBackgroundDetection = 1;
    parameters.bEnableAdaptiveQuant = 1;
    parameters.bEnableFrameCroppingFlag = 1;
    SSpatialLayerConfig *layer = &parameters.sSpatialLayers[0];
    layer->iVideoWidth = settings->width;
    layer->iVideoHeight = settings->height;
    layer->fFrameRate = settings->frame_rate;
    layer->iSpatialBitrate = settings->bitrate;
    layer->iMaxSpatialBitrate = UNSPECIFIED_BIT_RATE;
    layer->uiProfileIdc = PRO_BASELINE;
    layer->uiLevelIdc = level_of(settings->level);
    if (settings->max_nal_size > 0) {
        layer->sSliceArgument.uiSliceMode = SM_SIZELIMITED_SLICE;
        layer->sSliceArgument.uiSliceSizeConstraint = (unsigned)settings->max_nal_size;
    } else if (settings->threads > 1) {
        layer->sSliceArgument.uiSliceMode = SM_FIXEDSLCNUM_SLICE;
        layer->sSliceArgument.uiSliceNum = (unsigned)settings->threads;
    } else {
        layer->sSliceArgument.uiSliceMode = SM_SINGLE_SLICE;
        layer->sSliceArgument.uiSliceNum = 1;
    }
    int format = videoFormatI420;
    if ((*encoder)->InitializeExt(encoder, &parameters)
        || (*encoder)->SetOption(encoder, ENCODER_OPTION_DATAFORMAT, &format)) {
        copenh264_encoder_destroy(library, object);
        return NULL;
    }
    return object;
}

void copenh264_encoder_destroy(const COpenH264Library *library, COpenH264Encoder *object) {
    if (!object) return;
    (*object->encoder)->Uninitialize(object->encoder);
    ((__typeof__(WelsDestroySVCEncoder) *)library->destroy_encoder)(object->encoder);
    free(object);
}

int copenh264_encoder_set_rates(COpenH264Encoder *object, int bitrate, float frame_rate) {
    ISVCEncoder *encoder = object->encoder;
    SBitrateInfo info;
    memset(&info, 0, sizeof info);
    info.iLayer = SPATIAL_LAYER_ALL;
    info.iBitrate = bitrate;
    if ((*encoder)->SetOption(encoder, ENCODER_OPTION_BITRATE, &info)) return -1;
    return (*encoder)->SetOption(encoder, ENCODER_OPTION_FRAME_RATE, &frame_rate) ? -1 : 0;
}

int copenh264_encode(
    COpenH264Encoder *object, int width, int height, const unsigned char *const planes[3], const int strides[3],
    int64_t milliseconds, int key_frame) {
    ISVCEncoder *encoder = object->encoder;
    SSourcePicture picture;
    memset(&picture, 0, sizeof picture);
    picture.iColorFormat = videoFormatI420;
    picture.iPicWidth = width;
    picture.iPicHeight = height;
    picture.uiTimeStamp = milliseconds;
    for (int index = 0; index < 3; index++) {
        // The library reads them only; the structure serves both directions.
        picture.pData[index] = (unsigned char *)planes[index];
        picture.iStride[index] = strides[index];
    }
    if (key_frame) {
        // The C header leaves out the second argument, the layer, which the C++ method takes: -1 for all.
        typedef int ForceIntraFrame(ISVCEncoder *, bool, int);
        if (((ForceIntraFrame *)(*encoder)->ForceIntraFrame)(encoder, 1, -1)) return -1;
    }
    memset(&object->frame, 0, sizeof object->frame);
    if ((*encoder)->EncodeFrame(encoder, &picture, &object->frame) != cmResultSuccess) return -1;
    if (object->frame.eFrameType == videoFrameTypeSkip || object->frame.eFrameType == videoFrameTypeInvalid) return 0;
    long long size = 0;
    for (int index = 0; index < object->frame.iLayerNum; index++) {
        const SLayerBSInfo *layer = &object->frame.sLayerInfo[index];
        for (int unit = 0; unit < layer->iNalCount; unit++) size += layer->pNalLengthInByte[unit];
    }
    return size > 0 && size <= 0x7fffffff ? (int)size : -1;
}

int copenh264_copy_frame(const COpenH264Encoder *object, unsigned char *target, int size) {
    for (int index = 0; index < object->frame.iLayerNum; index++) {
        const SLayerBSInfo *layer = &object->frame.sLayerInfo[index];
        int length = 0;
        for (int unit = 0; unit < layer->iNalCount; unit++) length += layer->pNalLengthInByte[unit];
        if (length > size) break;
        memcpy(target, layer->pBsBuf, (size_t)length);
        target += length;
        size -= length;
    }
    return object->frame.eFrameType == videoFrameTypeIDR;
}

struct COpenH264Decoder {
    ISVCDecoder *decoder;
};

COpenH264Decoder *copenh264_decoder_create(const COpenH264Library *library) {
    COpenH264Decoder *object = calloc(1, sizeof *object);
    if (!object) return NULL;
    if (((__typeof__(WelsCreateDecoder) *)library->create_decoder)(&object->decoder) || !object->decoder) {
        free(object);
        return NULL;
    }
    ISVCDecoder *decoder = object->decoder;
    int level = WELS_LOG_QUIET;
    (*decoder)->SetOption(decoder, DECODER_OPTION_TRACE_LEVEL, &level);
    SDecodingParam parameters;
    memset(&parameters, 0, sizeof parameters);
    parameters.uiTargetDqLayer = 255;
    // A picture that lacks its reference is an error, for which a key frame is asked, and no guess.
    parameters.eEcActiveIdc = ERROR_CON_DISABLE;
    parameters.sVideoProperty.size = sizeof parameters.sVideoProperty;
    parameters.sVideoProperty.eVideoBsType = VIDEO_BITSTREAM_AVC;
    if ((*decoder)->Initialize(decoder, &parameters)) {
        copenh264_decoder_destroy(library, object);
        return NULL;
    }
    return object;
}

void copenh264_decoder_destroy(const COpenH264Library *library, COpenH264Decoder *object) {
    if (!object) return;
    (*object->decoder)->Uninitialize(object->decoder);
    ((__typeof__(WelsDestroyDecoder) *)library->destroy_decoder)(object->decoder);
    free(object);
}

int copenh264_decode(COpenH264Decoder *object, const unsigned char *data, int size, COpenH264Picture *picture) {
    ISVCDecoder *decoder = object->decoder;
    unsigned char *planes[3] = { NULL, NULL, NULL };
    SBufferInfo info;
    memset(&info, 0, sizeof info);
    memset(picture, 0, sizeof *picture);
    int state = (int)(*decoder)->DecodeFrameNoDelay(decoder, data, size, planes, &info);
    if (info.iBufferStatus != 1 || !planes[0] || !planes[1] || !planes[2]) return state;
    for (int index = 0; index < 3; index++) picture->planes[index] = planes[index];
    picture->strides[0] = info.UsrData.sSystemBuffer.iStride[0];
    picture->strides[1] = info.UsrData.sSystemBuffer.iStride[1];
    picture->width = info.UsrData.sSystemBuffer.iWidth;
    picture->height = info.UsrData.sSystemBuffer.iHeight;
    return state;
}

#endif
