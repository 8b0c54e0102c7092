package deflate
import ("testing";"os";"strconv")
func BenchmarkOne(b *testing.B) {
	m, _ := strconv.Atoi(os.Getenv("MODE"))
	for _, p := range pictures(b,1,1) {
		b.Run(p.name, func(b *testing.B) {
			b.SetBytes(int64(p.pixels))
			var dst []byte
			for b.Loop() {
				dst = p.strips(func(dst, data []byte, dictionary int, final bool) []byte { return Compress(dst, data, dictionary, Mode(m), p.geometry, final) }, dst[:0])
			}
			b.ReportMetric(float64(len(dst)), "bytes")
		})
	}
}
