package webp

/*
#include "libwebp.h"

// go_on is the progress hook: it stops the encoder once the flag is set.
static int go_on(int percent, const webp_picture *picture) {
	(void)percent;
	return !__atomic_load_n((const int32_t *)picture->user_data, __ATOMIC_RELAXED);
}

// encode returns 0 or one of libwebp's error codes. What it wrote is out's, which the caller clears.
static int encode(const webp_config *config, uint32_t *argb, int width, int height, int32_t *stop, webp_memory *out) {
	webp_picture picture;
	WebPMemoryWriterInit(out);
	if (!WebPPictureInitInternal(&picture, ABI)) return -1;
	picture.use_argb = 1;
	picture.width = width;
	picture.height = height;
	picture.argb = argb;
	picture.argb_stride = width;
	picture.writer = WebPMemoryWrite;
	picture.custom_ptr = out;
	picture.progress_hook = go_on;
	picture.user_data = stop;
	int ok = WebPEncode(config, &picture);
	int code = picture.error_code;
	WebPPictureFree(&picture); // what it allocated; the pixels are the caller's
	return ok ? 0 : code;
}
*/
import "C"

import (
	"sync/atomic"
	"unsafe"

	_ "github.com/bep/gowebp/libwebp" // libwebp itself

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
)

// Error codes of libwebp that say more than that it failed.
const (
	outOfMemory = 1
	tooLarge    = 6 // the first partition of a lossy image, beyond 512 KB
	tooLarge2   = 7 // another partition, beyond 16 MB
	fileTooBig  = 9 // beyond 4 GB
	userAbort   = 10
)

// config returns libwebp's settings for o.
func (o *Options) config() (*C.webp_config, error) {
	var c C.webp_config
	if C.WebPConfigInitInternal(&c, 0, C.float(o.Quality), C.ABI) == 0 {
		return nil, fault.Newf(fault.Internal, "libwebp has another version than was built for")
	}
	c.lossless = number(o.Lossless)
	c.method = C.int(o.Method)
	c.image_hint = C.int(hints[o.Hint])
	c.target_size = C.int(o.TargetSize)
	c.target_PSNR = C.float(o.TargetPSNR)
	c.segments = C.int(o.Segments)
	c.sns_strength = C.int(o.NoiseShaping)
	c.filter_strength = C.int(o.FilterStrength)
	c.filter_sharpness = C.int(o.FilterSharpness)
	c.filter_type = number(o.FilterType == "strong")
	c.autofilter = number(o.Autofilter)
	c.alpha_compression = number(o.AlphaCompression)
	c.alpha_filtering = C.int(o.AlphaFiltering)
	c.alpha_quality = C.int(o.AlphaQuality)
	c.pass = C.int(o.Passes)
	c.near_lossless = C.int(o.NearLossless)
	c.exact = number(o.Exact)
	c.use_sharp_yuv = number(o.SharpYUV)
	if C.WebPValidateConfig(&c) == 0 {
		return nil, fault.Newf(fault.Internal, "libwebp does not take its options")
	}
	return &c, nil
}

var hints = map[string]int{"default": 0, "picture": 1, "photo": 2, "graph": 3}

func number(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// packed is a finished file, in memory of libwebp's.
type packed struct{ memory *C.webp_memory }

func (p packed) bytes() []byte { return unsafe.Slice((*byte)(p.memory.mem), int(p.memory.size)) }

func (p packed) free() { C.WebPMemoryWriterClear(p.memory) }

// compress encodes pixels, alpha in the high byte, then red, green and blue. It stops soon after w is aborted: within rows
// when lossy, within some stages when lossless.
func compress(w *flow.Writer, o *Options, argb []uint32, width, height int) (packed, error) {
	config, err := o.config()
	if err != nil {
		return packed{}, err
	}
	var stop int32
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-w.Done():
			atomic.StoreInt32(&stop, 1)
		case <-done:
		}
	}()
	p := packed{new(C.webp_memory)}
	code := C.encode(config, (*C.uint32_t)(&argb[0]), C.int(width), C.int(height), (*C.int32_t)(&stop), p.memory)
	close(done)
	<-over
	if code == 0 {
		return p, nil
	}
	p.free()
	switch code {
	case userAbort:
		return packed{}, errAborted
	case outOfMemory:
		return packed{}, fault.Newf(fault.Limit, "Expected an image that libwebp has the memory for, got %d x %d pixels", width, height)
	case tooLarge, tooLarge2, fileTooBig:
		return packed{}, fault.Newf(fault.Limit, "Expected an image that fits a WebP file, got one with too much detail; a lower quality has less")
	}
	return packed{}, fault.Newf(fault.Internal, "libwebp failed with code %d", code)
}
