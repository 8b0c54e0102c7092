package tiff

import (
	"encoding/json"
	"math"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/raster"
)

// GeoTIFF's tags and keys (OGC 19-008r4, 7).
const (
	modelPixelScale = 33550
	modelTiepoint   = 33922
	geoKeyDirectory = 34735

	keyModelType  = 1024
	keyRasterType = 1025
	keyGeographic = 2048
	keyProjected  = 3072

	modelProjected  = 1
	modelGeographic = 2
	pixelIsArea     = 1
)

// Geo says where the image lies. North is up: BBox, or Origin and PixelSize.
type Geo struct {
	// BBox is the outer borders of the image in units of the coordinate system: minx, miny, maxx, maxy, as in a WMS
	// request with x to the east. Default none.
	BBox []float64 `json:"bbox"`
	// Origin is x and y of the outer corner of the top left pixel. Default none.
	Origin []float64 `json:"origin"`
	// PixelSize is a pixel's width and height, both above 0. Default none.
	PixelSize []float64 `json:"pixelSize"`
	// EPSG is the code of the coordinate system; 0: none is named. Default 0.
	EPSG int `json:"epsg" range:"0,65535"`
	// Model is what kind of system that is. auto takes codes from 4000 to 4999 for geographic, others for projected.
	// Default auto.
	Model string `json:"model" choices:"auto|projected|geographic"`
}

// decodeGeo reads the option geo; nil when there is none.
func decodeGeo(raw json.RawMessage, h raster.Header) (*Geo, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	g := &Geo{Model: "auto"}
	if err := option.Decode("tiff geo", raw, nil, g); err != nil {
		return nil, err
	}
	for _, list := range []struct {
		name   string
		values []float64
		n      int
	}{{"bbox", g.BBox, 4}, {"origin", g.Origin, 2}, {"pixelSize", g.PixelSize, 2}} {
		if list.values != nil && len(list.values) != list.n {
			return nil, fault.Newf(fault.Option, "Expected tiff geo option %q to be %d numbers, got %v", list.name, list.n, list.values)
		}
	}
	if g.BBox != nil {
		if g.Origin != nil || g.PixelSize != nil {
			return nil, fault.Newf(fault.Option, `Expected tiff geo option "bbox" or "origin" and "pixelSize", got both`)
		}
		g.Origin = []float64{g.BBox[0], g.BBox[3]}
		g.PixelSize = []float64{(g.BBox[2] - g.BBox[0]) / float64(h.Width), (g.BBox[3] - g.BBox[1]) / float64(h.Height)}
		if !positive(g.PixelSize) {
			return nil, fault.Newf(fault.Option, `Expected tiff geo option "bbox" to be minx, miny, maxx, maxy with min below max, got %v`, g.BBox)
		}
	}
	if (g.Origin == nil) != (g.PixelSize == nil) || g.Origin == nil {
		return nil, fault.Newf(fault.Option, `Expected tiff option "geo" with "bbox", or with "origin" and "pixelSize", got %.80s`, raw)
	}
	if !positive(g.PixelSize) {
		return nil, fault.Newf(fault.Option, `Expected tiff geo option "pixelSize" to be two numbers above 0, got %v`, g.PixelSize)
	}
	return g, nil
}

func positive(size []float64) bool {
	return size[0] > 0 && size[1] > 0 && !math.IsInf(size[0], 0) && !math.IsInf(size[1], 0)
}

// add adds the tags.
func (g *Geo) add(d *directory) {
	d.addDoubles(modelPixelScale, g.PixelSize[0], g.PixelSize[1], 0)
	d.addDoubles(modelTiepoint, 0, 0, 0, g.Origin[0], g.Origin[1], 0)
	type key struct{ id, value uint64 }
	keys := []key{{keyRasterType, pixelIsArea}}
	if g.EPSG != 0 {
		model, code := key{keyModelType, modelProjected}, key{keyProjected, uint64(g.EPSG)}
		if g.Model == "geographic" || g.Model == "auto" && g.EPSG >= 4000 && g.EPSG < 5000 {
			model.value, code.id = modelGeographic, keyGeographic
		}
		keys = []key{model, keys[0], code}
	}
	values := []uint64{1, 1, 0, uint64(len(keys))} // version 1, revision 1.0
	for _, k := range keys {
		values = append(values, k.id, 0, 1, k.value) // 0: the value is here
	}
	d.add(geoKeyDirectory, short, values...)
}
