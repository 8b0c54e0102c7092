package option

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Color is an option that names an opaque colour: red, green and blue, written "#rrggbb" or "#rgb" in hexadecimal.
type Color [3]byte

// White is what most formats blend translucent pixels on.
var White = Color{255, 255, 255}

// UnmarshalJSON reads a string.
func (c *Color) UnmarshalJSON(raw []byte) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	digits, ok := strings.CutPrefix(s, "#")
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	b, err := hex.DecodeString(digits)
	if !ok || err != nil || len(b) != 3 {
		return fmt.Errorf("no colour: %q", s)
	}
	copy(c[:], b)
	return nil
}

// String returns the colour as it is written in options.
func (c Color) String() string { return "#" + hex.EncodeToString(c[:]) }

// Gray reports whether red, green and blue are equal.
func (c Color) Gray() bool { return c[0] == c[1] && c[1] == c[2] }
