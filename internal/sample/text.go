package sample

import (
	"fmt"
	"math/rand/v2"
)

// Text returns n bytes of features as a WFS writes them: GML, with coordinates of roads and a few attributes. It is the same
// every time.
func Text(n int) []byte {
	r := rand.New(rand.NewPCG(5, 6))
	kinds := []string{"primary", "secondary", "residential", "footway", "track"}
	names := []string{"Hauptstraße", "Rue de la Gare", "Station Road", "Via Roma", "Storgata"}
	out := make([]byte, 0, n+4096)
	for i := 0; len(out) < n; i++ {
		out = fmt.Appendf(out, "<wfs:member><osm:road gml:id=\"road.%d\"><osm:name>%s %d</osm:name><osm:kind>%s</osm:kind><osm:geom>"+
			"<gml:LineString srsName=\"http://www.opengis.net/def/crs/EPSG/0/4326\"><gml:posList>",
			i, names[r.IntN(len(names))], r.IntN(200), kinds[r.IntN(len(kinds))])
		x, y := 7+3*r.Float64(), 46+2*r.Float64()
		for range 2 + r.IntN(20) {
			out = fmt.Appendf(out, "%.6f %.6f ", y, x)
			x += (r.Float64() - 0.5) / 500
			y += (r.Float64() - 0.5) / 500
		}
		out = append(out, "</gml:posList></gml:LineString></osm:geom></osm:road></wfs:member>\n"...)
	}
	return out[:n]
}
