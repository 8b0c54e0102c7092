package png

import (
	"sync"

	"github.com/klauspost/compress/flate"
)

// level is one way to compress a strip.
type level struct {
	// deflate appends data[dictionary:] to dst as deflate blocks, which may refer to data[:dictionary]. They end at a byte
	// boundary: by a sync flush, or as the end of the deflate stream when final.
	deflate func(dst, data []byte, dictionary int, final bool) []byte
	// dictionary says whether deflate makes use of one.
	dictionary bool
	// trial says whether the output's size depends on anything but the input's.
	trial bool
	// zlibHeader is CMF and FLG (RFC 1950, 2.2): deflate with a window of 32 KB, and a hint at the level.
	zlibHeader [2]byte
}

var levels = map[string]*level{
	"stored":   {deflate: store, zlibHeader: [2]byte{0x78, 0x01}},
	"fastest":  {deflate: newFlate(1).deflate, dictionary: true, trial: true, zlibHeader: [2]byte{0x78, 0x01}},
	"fast":     {deflate: newFlate(3).deflate, dictionary: true, trial: true, zlibHeader: [2]byte{0x78, 0x5e}},
	"balanced": {deflate: newFlate(6).deflate, dictionary: true, trial: true, zlibHeader: [2]byte{0x78, 0x9c}},
	"small":    {deflate: newFlate(9).deflate, dictionary: true, trial: true, zlibHeader: [2]byte{0x78, 0xda}},
}

// flateLevel is a level of klauspost's compress/flate with its idle compressors, each of which has about 1 MB of tables.
type flateLevel struct{ idle sync.Pool }

type compressor struct {
	*flate.Writer
	out appender
}

type appender []byte

func (a *appender) Write(p []byte) (int, error) {
	*a = append(*a, p...)
	return len(p), nil
}

func newFlate(n int) *flateLevel {
	l := new(flateLevel)
	l.idle.New = func() any {
		c := new(compressor)
		var err error
		if c.Writer, err = flate.NewWriter(&c.out, n); err != nil {
			panic(err) // no such level
		}
		return c
	}
	return l
}

func (l *flateLevel) deflate(dst, data []byte, dictionary int, final bool) []byte {
	c := l.idle.Get().(*compressor)
	c.out = dst
	c.ResetDict(&c.out, data[max(0, dictionary-window):dictionary])
	_, err := c.Write(data[dictionary:])
	if err == nil {
		if final {
			err = c.Close()
		} else {
			err = c.Flush()
		}
	}
	if err != nil {
		panic(err) // appending does not fail
	}
	dst, c.out = c.out, nil
	l.idle.Put(c)
	return dst
}

// store appends data as stored blocks (RFC 1951, 3.2.4). They end at byte boundaries by themselves.
func store(dst, data []byte, dictionary int, final bool) []byte {
	data = data[dictionary:]
	for {
		n := min(len(data), 65535)
		var header byte // BFINAL, and BTYPE 0
		if final && n == len(data) {
			header = 1
		}
		dst = append(dst, header, byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
		dst = append(dst, data[:n]...)
		if data = data[n:]; len(data) == 0 {
			return dst
		}
	}
}
