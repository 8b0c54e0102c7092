/* What is used of libwebp's encoder, as its encode.h (ABI 0x020f) declares it. The library itself comes as C source with the
 * Go module github.com/bep/gowebp, whose own interface leaves out most options and cannot be interrupted. Its version is
 * checked when an encoder is set up, and the layouts by a test.
 *
 * The functions are weak here so that this package links by itself, as cgo wants to; the module's are strong. */
#ifndef SLUICE_LIBWEBP_H
#define SLUICE_LIBWEBP_H

#include <stddef.h>
#include <stdint.h>

#define ABI 0x020f
#define WEAK __attribute__((weak))

typedef struct {
	int lossless;
	float quality;
	int method;
	int image_hint; /* an enum */
	int target_size;
	float target_PSNR;
	int segments, sns_strength, filter_strength, filter_sharpness, filter_type, autofilter;
	int alpha_compression, alpha_filtering, alpha_quality;
	int pass;
	int show_compressed, preprocessing, partitions, partition_limit, emulate_jpeg_size, thread_level, low_memory;
	int near_lossless, exact, use_delta_palette, use_sharp_yuv;
	int qmin, qmax;
} webp_config;

typedef struct webp_picture webp_picture;
struct webp_picture {
	int use_argb;
	int colorspace; /* an enum */
	int width, height;
	uint8_t *y, *u, *v;
	int y_stride, uv_stride;
	uint8_t *a;
	int a_stride;
	uint32_t pad1[2];
	uint32_t *argb;
	int argb_stride; /* pixels */
	uint32_t pad2[3];
	int (*writer)(const uint8_t *data, size_t size, const webp_picture *picture);
	void *custom_ptr;
	int extra_info_type;
	uint8_t *extra_info;
	void *stats;
	int error_code; /* an enum */
	int (*progress_hook)(int percent, const webp_picture *picture);
	void *user_data;
	uint32_t pad3[3];
	uint8_t *pad4, *pad5;
	uint32_t pad6[8];
	void *memory_, *memory_argb_;
	void *pad7[2];
};

typedef struct {
	uint8_t *mem;
	size_t size, max_size;
	uint32_t pad[1];
} webp_memory;

extern int WebPConfigInitInternal(webp_config *, int preset, float quality, int abi) WEAK;
extern int WebPValidateConfig(const webp_config *) WEAK;
extern int WebPPictureInitInternal(webp_picture *, int abi) WEAK;
extern void WebPPictureFree(webp_picture *) WEAK;
extern int WebPEncode(const webp_config *, webp_picture *) WEAK;
extern void WebPMemoryWriterInit(webp_memory *) WEAK;
extern void WebPMemoryWriterClear(webp_memory *) WEAK;
extern int WebPMemoryWrite(const uint8_t *data, size_t size, const webp_picture *) WEAK;

#endif
