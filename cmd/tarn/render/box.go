package render

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/tarn-lake/tarn/types"
)

const (
	shownRows = 20      // at either end of a long result on a terminal
	heldRows  = 1000    // that fix the column widths elsewhere
	heldBytes = 4 << 20 // the same
	minWidth  = 4       // of a column that is cut
)

// box draws a frame. On a terminal it waits for the last row, holds only the rows that it shows, and cuts wide
// cells. Elsewhere nothing is cut: the first rows fix the widths, a later cell that is wider sticks out.
type box struct {
	base
	look   Options
	widths []int
	rows   [][]cell
	last   [][]cell // the last rows of a long result, a ring
	n      int      // rows so far
	bytes  int
	drawn  bool // the frame is open
}

// cell is a value, line by line. A NULL is no lines.
type cell []string

func (p *box) head() error { return nil }

func (p *box) row(row []types.Value) error {
	cells := make([]cell, len(row))
	for i, v := range row {
		if v != nil {
			s := printable(text(v, p.kinds[i], p.zone))
			p.bytes += len(s)
			cells[i] = strings.Split(s, "\n")
		}
	}
	p.n++
	switch {
	case p.look.Terminal && p.n > 2*shownRows:
		p.keepLast(cells)
		return nil
	case p.drawn:
		return p.draw(cells)
	}
	p.rows = append(p.rows, cells)
	if !p.look.Terminal && (p.n >= heldRows || p.bytes >= heldBytes) {
		return p.open()
	}
	return nil
}

// keepLast makes cells the newest of the last rows. The rows held so far become the first and the last ones.
func (p *box) keepLast(cells []cell) {
	if p.last == nil {
		p.last = make([][]cell, shownRows)
		for i, row := range p.rows[shownRows:] {
			p.last[(shownRows+i)%shownRows] = row
		}
		p.rows = p.rows[:shownRows]
	}
	p.last[(p.n-1)%shownRows] = cells
}

func (p *box) foot() error {
	if !p.drawn {
		if err := p.open(); err != nil {
			return err
		}
	}
	if p.last != nil {
		p.rule("│", "·", "│", "│")
		for i := range shownRows {
			if err := p.draw(p.last[(p.n+i)%shownRows]); err != nil {
				return err
			}
		}
	}
	err := p.rule("└", "─", "┴", "┘")
	if p.look.Terminal {
		fmt.Fprintln(p.w, p.count())
	}
	return err
}

// count tells how many rows there are, and how many were shown.
func (p *box) count() string {
	switch {
	case p.n == 1:
		return "1 row"
	case p.last != nil:
		return fmt.Sprintf("%s rows (%d shown)", thousands(p.n), 2*shownRows)
	}
	return thousands(p.n) + " rows"
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// open draws the head of the frame and the rows held so far.
func (p *box) open() error {
	p.drawn = true
	p.measure()
	p.rule("┌", "─", "┬", "┐")
	names := make([]cell, len(p.names))
	for i, n := range p.names {
		names[i] = strings.Split(printable(n), "\n")
	}
	p.lines(names, bold)
	err := p.rule("├", "─", "┼", "┤")
	for _, row := range p.rows {
		if err := p.draw(row); err != nil {
			return err
		}
	}
	return err
}

// measure fixes the widths of the columns.
func (p *box) measure() {
	p.widths = make([]int, len(p.names))
	for i, n := range p.names {
		p.widths[i] = max(1, widest(strings.Split(printable(n), "\n")))
	}
	for _, rows := range [][][]cell{p.rows, p.last} {
		for _, row := range rows {
			for i, c := range row {
				p.widths[i] = max(p.widths[i], widest(c))
			}
		}
	}
	if p.look.Terminal && p.look.Width > 0 && len(p.widths) > 1 {
		fit(p.widths, p.look.Width-3*len(p.widths)-1)
	}
}

// fit cuts the widest columns to one width so that all together take room cells, where that is possible.
func fit(widths []int, room int) {
	limit := 0
	for _, w := range widths {
		limit = max(limit, w)
	}
	for ; limit > minWidth; limit-- {
		sum := 0
		for _, w := range widths {
			sum += min(w, limit)
		}
		if sum <= room {
			break
		}
	}
	for i, w := range widths {
		widths[i] = min(w, limit)
	}
}

func widest(c cell) int {
	if c == nil {
		return len("NULL")
	}
	w := 0
	for _, line := range c {
		w = max(w, width(line))
	}
	return w
}

func (p *box) rule(left, line, cross, right string) error {
	parts := make([]string, len(p.widths))
	for i, w := range p.widths {
		parts[i] = strings.Repeat(line, w+2)
		if line == "·" {
			parts[i] = padLeft("·", w+1, types.Numeric(p.kinds[i])) + " "
		}
	}
	return p.line(parts, left, cross, right)
}

func (p *box) draw(row []cell) error { return p.lines(row, plain) }

// lines draws a row, as many lines high as its highest cell.
func (p *box) lines(row []cell, style style) error {
	height := 1
	for _, c := range row {
		height = max(height, len(c))
	}
	parts := make([]string, len(row))
	for h := range height {
		for i, c := range row {
			s, look := "", style
			switch {
			case c == nil && h == 0:
				s, look = "NULL", dim
			case h < len(c):
				s = c[h]
			}
			parts[i] = " " + p.paint(cut(s, p.widths[i], p.look.Terminal), p.widths[i], types.Numeric(p.kinds[i]), look) + " "
		}
		if err := p.line(parts, "│", "│", "│"); err != nil {
			return err
		}
	}
	return nil
}

// paint is s padded to w cells, in a style where there is colour.
func (p *box) paint(s string, w int, right bool, look style) string {
	gap := strings.Repeat(" ", max(0, w-width(s)))
	if p.look.Color && s != "" {
		s = look.on(s)
	}
	if right {
		return gap + s
	}
	return s + gap
}

func padLeft(s string, w int, right bool) string {
	gap := strings.Repeat(" ", max(0, w-width(s)))
	if right {
		return gap + s
	}
	return " " + s + gap[min(1, len(gap)):]
}

// cut shortens s to w cells; on a terminal only.
func cut(s string, w int, terminal bool) string {
	if !terminal || width(s) <= w {
		return s
	}
	return cells.Truncate(s, w, "…")
}

// cells measures text the same way everywhere, whatever the locale says.
var cells = &runewidth.Condition{StrictEmojiNeutral: true}

func width(s string) int { return cells.StringWidth(s) }
