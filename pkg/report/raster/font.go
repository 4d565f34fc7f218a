package raster

import (
	"image/color"
	"strings"
)

// glyphs are the printable characters of ASCII, and a few more, as strokes of a pen: points of two digits, x and y, on a grid with
// the capitals between y 0 and 6, small letters from 2, and descenders to 8. A stroke of one point twice is a dot.
var glyphs = map[rune]string{
	'!': "0004 0606", '"': "0002 2022", '#': "1006 4036 0242 0444", '$': "413010010213334445361605 2026", '%': "4006 0010110100 3545463635",
	'&': "4612112031320405162644", '\'': "0002", '(': "20111526", ')': "00111506", '*': "2125 0244 0442", '+': "2226 0444",
	',': "0607", '-': "0434", '.': "0606", '/': "3006",
	'0': "103041453616050110", '1': "011016", '2': "01103041420646", '3': "01103041423313 334445361605", '4': "36300444",
	'5': "400002324345361605", '6': "3010010516364544331304", '7': "004016", '8': "13020110304142331304051636454433",
	'9': "4233130201103041453616", ':': "0303 0606", ';': "0303 0607", '<': "320436", '=': "0333 0535", '>': "023406",
	'?': "011030414224 2626", '@': "453616050110304144242242",
	'A': "062046 1434", 'B': "00063645443303 3342413000", 'C': "4130100105163645", 'D': "00062644422000", 'E': "40000646 0333",
	'F': "400006 0333", 'G': "41301001051636454323", 'H': "0006 4046 0343", 'I': "0006", 'J': "3035261605", 'K': "0006 4004 1346",
	'L': "000646", 'M': "0600234046", 'N': "06004640", 'O': "103041453616050110", 'P': "06003041423303",
	'Q': "103041453616050110 2446", 'R': "06003041423303 2346", 'S': "413010010213334445361605", 'T': "0040 2026",
	'U': "000516364540", 'V': "002640", 'W': "0016233640", 'X': "0046 4006", 'Y': "002340 2326", 'Z': "00400646",
	'[': "20000626", '\\': "0036", ']': "00202606", '^': "022042", '_': "0747", '`': "0011",
	'a': "3322120305162635 3236", 'b': "0006 0312223335261605", 'c': "3322120305162635", 'd': "3322120305162635 3036",
	'e': "04343322120305162635", 'f': "201116 0222", 'g': "3322120305162635 3237281807", 'h': "0006 0312223336", 'i': "0206 0000",
	'j': "121708 1010", 'k': "0006 3205 1436", 'l': "000516", 'm': "0206 03122326 23324346", 'n': "0206 0312223336",
	'o': "122233352616050312", 'p': "0208 0312223335261605", 'q': "3322120305162635 3238", 'r': "0206 031222",
	's': "33221203142435261605", 't': "101526 0222", 'u': "0205162635 3236", 'v': "021622", 'w': "0216233642", 'x': "0236 3206",
	'y': "0216 2208", 'z': "02320636", '{': "20111203141526", '|': "0007", '}': "00111223141506", '~': "04133544",
	'→': "0444 334435", '−': "0434", '…': "0606 2626 4646", '·': "0404", '×': "1335 1533", '±': "2225 0444 0646", '≤': "420346 0747",
}

// missing is drawn for a character that the font lacks.
const missing = "0040460600"

const (
	// unitX and unitY are how much of a size one step of the grid is.
	unitX, unitY = 0.097, 0.12
	// gap is the space between two characters, in steps; space is the width of a blank.
	gap, space = 1.9, 1.6
	// pen is the width of a stroke, as a part of a size.
	pen = 0.105
)

// TextWidth is the width of a line of text, in units.
func TextWidth(text string, size float64) float64 {
	steps := 0.0
	for _, r := range text {
		_, width := glyph(r)
		steps += width + gap
	}
	return max(0, steps-gap) * unitX * size
}

// Text draws a line of text whose letters stand on y, beginning at x.
func (c *Canvas) Text(x, y, size float64, ink color.RGBA, text string) {
	for _, r := range text {
		strokes, width := glyph(r)
		for stroke := range strings.FieldsSeq(strokes) {
			var line []vec
			for i := 0; i+1 < len(stroke); i += 2 {
				at := vec{x + float64(stroke[i]-'0')*unitX*size, y + (float64(stroke[i+1]-'0')-6)*unitY*size}
				line = append(line, vec{at.x * c.scale, at.y * c.scale})
			}
			c.stroke(line, pen*size*c.scale)
		}
		x += (width + gap) * unitX * size
	}
	c.fill(ink)
}

// glyph is the strokes of a character and its width, in steps.
func glyph(r rune) (strokes string, width float64) {
	if r == ' ' {
		return "", space
	}
	strokes, known := glyphs[r]
	if !known {
		strokes = missing
	}
	widest := byte('0')
	for stroke := range strings.FieldsSeq(strokes) {
		for i := 0; i < len(stroke); i += 2 {
			widest = max(widest, stroke[i])
		}
	}
	return strokes, float64(widest - '0')
}
