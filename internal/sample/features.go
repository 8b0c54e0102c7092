package sample

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"

	"github.com/sluice-js/sluice/internal/flow"
)

// FeatureBytes is the size of a feature in Features.
const FeatureBytes = 40

// FeatureColumns are the properties of features, as a header says them.
var FeatureColumns = []string{"int32 id", "utf8 name", "int64 pop", "float64 elev", "bool active"}

// Feature is one of Features. Name and Elev may be null.
type Feature struct {
	X, Y, Elev float64
	Pop        int64
	ID         int32
	Name       string
	Active     bool
	NoName     bool
	NoElev     bool
}

var places = [...]string{"Oak Street", "Main & First", "River <North>", "Plaza Mayor", "Station Road", "Hauptstraße", "Calle Ocho", "\"Quoted\", Way"}

// Features returns n features of FeatureBytes each. Their places have seven decimals.
func Features(n int) []byte {
	r := rand.New(rand.NewPCG(7, 8))
	b := make([]byte, 0, n*FeatureBytes)
	for i := range n {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(math.Round((r.Float64()*360-180)*1e7)/1e7))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(math.Round((r.Float64()*180-90)*1e7)/1e7))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.Float64()*3000))
		b = binary.LittleEndian.AppendUint64(b, uint64(r.Int64N(1_000_000)))
		b = binary.LittleEndian.AppendUint32(b, uint32(i+1))
		b = append(b, byte(r.IntN(len(places)+1)), byte(r.IntN(2)), byte(r.IntN(8)), 0)
	}
	return b
}

// FeatureAt reads one of Features.
func FeatureAt(b []byte, i int) Feature {
	b = b[i*FeatureBytes:]
	float := func(at int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[at:])) }
	f := Feature{X: float(0), Y: float(8), Elev: float(16), Pop: int64(binary.LittleEndian.Uint64(b[24:])), ID: int32(binary.LittleEndian.Uint32(b[32:])), Active: b[37] != 0, NoElev: b[38] == 0}
	if f.NoName = int(b[36]) >= len(places); !f.NoName {
		f.Name = places[b[36]]
	}
	return f
}

// Batch returns Features as columns. Their bitmaps do not begin with the first bit of a byte.
func Batch(b []byte) flow.Part {
	const bit = 3
	n := len(b) / FeatureBytes
	var x, y, elev, pop, id, name []byte
	names := []byte{0, 0, 0, 0}
	active, named, measured := make([]byte, (n+bit+7)/8), make([]byte, (n+bit+7)/8), make([]byte, (n+bit+7)/8)
	for i := range n {
		f := FeatureAt(b, i)
		x = binary.LittleEndian.AppendUint64(x, math.Float64bits(f.X))
		y = binary.LittleEndian.AppendUint64(y, math.Float64bits(f.Y))
		elev = binary.LittleEndian.AppendUint64(elev, math.Float64bits(f.Elev))
		pop = binary.LittleEndian.AppendUint64(pop, uint64(f.Pop))
		id = binary.LittleEndian.AppendUint32(id, uint32(f.ID))
		name = append(name, f.Name...)
		names = binary.LittleEndian.AppendUint32(names, uint32(len(name)))
		for _, m := range []struct {
			bits []byte
			set  bool
		}{{active, f.Active}, {named, !f.NoName}, {measured, !f.NoElev}} {
			if m.set {
				m.bits[(i+bit)/8] |= 1 << ((i + bit) % 8)
			}
		}
	}
	meta, err := json.Marshal(map[string]any{
		"rows":     n,
		"geometry": map[string]any{"type": "point", "x": 0, "y": 1},
		"columns": []map[string]any{
			{"values": 2}, {"values": 3, "offsets": 4, "validity": 5, "bit": bit}, {"values": 6},
			{"values": 7, "validity": 8, "bit": bit}, {"values": 9, "valueBit": bit},
		},
	})
	if err != nil {
		panic(err)
	}
	return flow.Part{Buffers: [][]byte{x, y, id, name, names, named, pop, elev, measured, active}, Meta: meta}
}
