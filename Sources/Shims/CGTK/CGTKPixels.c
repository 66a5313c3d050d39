#include "CGTK.h"

#if defined(__linux__)

// BT.601, brightness 16 to 235. Sixteen bits with six behind the point are enough, and twice as many fit into a vector:
// 1.164 is 74.5/64, 1.596 is 102/64, 0.391 is 25/64, 0.813 is 52/64, 2.018 is 129/64. The compiler makes vectors of the loop.
static void convert_row(
    const uint8_t *restrict y, const uint8_t *restrict u, const uint8_t *restrict v, uint8_t *restrict out, int pairs) {
    for (int x = 0; x < pairs; x++) {
        int16_t cu = u[x] - 128, cv = v[x] - 128;
        int16_t for_red = cv * 102, for_green = cu * 25 + cv * 52, for_blue = cu * 129;
        for (int k = 0; k < 2; k++) {
            int16_t light = (int16_t)((uint16_t)(y[2 * x + k] * 149) >> 1) - 1160;
            light = light > 16320 ? 16320 : light;
            int16_t red = (int16_t)(light + for_red) >> 6;
            int16_t green = (int16_t)(light - for_green) >> 6;
            int16_t blue = (int16_t)(light + for_blue) >> 6;
            out[8 * x + 4 * k] = blue < 0 ? 0 : blue > 255 ? 255 : blue;
            out[8 * x + 4 * k + 1] = green < 0 ? 0 : green > 255 ? 255 : green;
            out[8 * x + 4 * k + 2] = red < 0 ? 0 : red > 255 ? 255 : red;
            out[8 * x + 4 * k + 3] = 255;
        }
    }
}

static void convert_line(const uint8_t *y, const uint8_t *u, const uint8_t *v, uint32_t *out, int width) {
    convert_row(y, u, v, (uint8_t *)out, width / 2);
    if (width % 2) {
        uint8_t last[2] = {y[width - 1], y[width - 1]};
        uint32_t pixels[2];
        convert_row(last, u + width / 2, v + width / 2, (uint8_t *)pixels, 1);
        out[width - 1] = pixels[0];
    }
}

void cgtk_convert(const CGTKPlanes *planes, int mirrored, uint32_t *out) {
    int width = planes->width;
    for (int line = 0; line < planes->height; line++) {
        uint32_t *pixels = out + (size_t)line * width;
        convert_line(
            planes->y + line * planes->stride_y, planes->u + line / 2 * planes->stride_uv,
            planes->v + line / 2 * planes->stride_uv, pixels, width);
        if (!mirrored) continue;
        for (int left = 0, right = width - 1; left < right; left++, right--) {
            uint32_t pixel = pixels[left];
            pixels[left] = pixels[right];
            pixels[right] = pixel;
        }
    }
}

#endif
