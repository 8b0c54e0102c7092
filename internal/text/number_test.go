package text

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// values is how many random values each test looks at; the environment may ask for more: see make numbers.
func values(t testing.TB) int {
	s := os.Getenv("SLUICE_NUMBERS")
	if s == "" {
		return 200_000
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// trim is what AppendFixed does to strconv's digits.
func trim(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// random returns numbers of many kinds: coordinates, ties and their neighbours, any bits at all.
func random(r *rand.Rand) float64 {
	v := 0.0
	switch r.IntN(6) {
	case 0:
		v = r.Float64()*360 - 180
	case 1:
		v = math.Round(r.Float64()*4e14) / math.Pow10(r.IntN(10)) // a decimal
	case 2:
		v = (float64(r.Int64N(1<<40)) + 0.5) / math.Pow10(r.IntN(10)) // close to a tie
	case 3:
		v = float64(r.Int64N(1<<50)) / float64(int64(1)<<r.IntN(40)) // a binary fraction: many are ties
	case 4:
		v = r.ExpFloat64() * math.Pow10(r.IntN(30)-15)
	default:
		v = math.Float64frombits(r.Uint64())
	}
	switch r.IntN(8) {
	case 0:
		v = math.Nextafter(v, 0)
	case 1:
		v = math.Nextafter(v, math.Inf(1))
	case 2:
		v = -v
	}
	if v-v != 0 {
		return 0
	}
	return v
}

func TestNumbersAreAsStrconvHasThem(t *testing.T) {
	r := rand.New(rand.NewPCG(1, uint64(values(t))))
	t.Logf("%d random values", values(t))
	var got, want []byte
	for range values(t) {
		v := random(r)
		for range 2 {
			decimals := r.IntN(MaxDecimals + 1)
			got = AppendFixed(got[:0], v, decimals)
			if want := trim(strconv.FormatFloat(v, 'f', decimals, 64)); string(got) != want {
				t.Fatalf("%v with %d decimals: got %s, want %s", v, decimals, got, want)
			}
		}
		got, want = AppendPlain(got[:0], v), strconv.AppendFloat(want[:0], v, 'f', -1, 64)
		if string(got) != string(want) && v != 0 {
			t.Fatalf("got %s, want %s", got, want)
		}
		got = AppendPlain32(got[:0], float32(v))
		if f := float32(v); f-f == 0 && f != 0 && string(got) != strconv.FormatFloat(float64(f), 'f', -1, 32) {
			t.Fatalf("float32 %v: got %s", f, got)
		}
		n := int64(math.Float64bits(v)) >> r.IntN(64)
		if got = AppendInt(got[:0], n); string(got) != strconv.FormatInt(n, 10) {
			t.Fatalf("%d: got %s", n, got)
		}
		if got = AppendUint(got[:0], uint64(n)); string(got) != strconv.FormatUint(uint64(n), 10) {
			t.Fatalf("%d: got %s", uint64(n), got)
		}
	}
}

func TestTies(t *testing.T) {
	for _, c := range []struct {
		v        float64
		decimals int
		want     string
	}{
		{0.5, 0, "0"}, {1.5, 0, "2"}, {2.5, 0, "2"}, {-0.5, 0, "0"}, {0.125, 2, "0.12"}, {0.375, 2, "0.38"}, {-0.375, 2, "-0.38"},
		{1.005, 2, "1"}, {1.015, 2, "1.01"}, {0.00000005, 7, "0"}, {0.30000000000000004, 17, "0.30000000000000004"},
		{1 << 52, 0, "4503599627370496"}, {4503599627370495.5, 0, "4503599627370496"}, {1e22, 3, "10000000000000000000000"}, {math.Copysign(0, -1), 3, "0"},
		{9.9999999, 3, "10"}, {100, 5, "100"}, {0.05, 1, "0.1"}, {5e-324, 20, "0"},
	} {
		if got := string(AppendFixed(nil, c.v, c.decimals)); got != c.want {
			t.Errorf("%v with %d decimals: got %s, want %s", c.v, c.decimals, got, c.want)
		}
	}
}

// encoding/json writes numbers as ECMAScript does.
func TestNumbersOfJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for i := range values(t) / 4 {
		v := random(r)
		if i == 0 {
			v = math.Copysign(0, -1)
		}
		want, err := json.Marshal(v + 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(AppendJSON(nil, v)); got != string(want) && !(v == 0 && got == "0") {
			t.Fatalf("got %s, want %s", got, want)
		}
		if f := float32(v); f-f == 0 && f != 0 {
			if want, err = json.Marshal(f); err != nil {
				t.Fatal(err)
			}
			if got := string(AppendJSON32(nil, f)); got != string(want) {
				t.Fatalf("float32: got %s, want %s", got, want)
			}
		}
	}
}

func TestEdgesOfIntegers(t *testing.T) {
	for n, v := 0, uint64(1); n < 20; n, v = n+1, v*10 {
		for _, v := range []uint64{v - 1, v, v + 1, math.MaxUint64, 1 << 63} {
			if got := string(AppendUint(nil, v)); got != strconv.FormatUint(v, 10) {
				t.Errorf("%d: got %s", v, got)
			}
			if got := string(AppendInt(nil, int64(v))); got != strconv.FormatInt(int64(v), 10) {
				t.Errorf("%d: got %s", int64(v), got)
			}
		}
	}
}
