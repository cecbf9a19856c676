package render

import (
	"fmt"
	"strings"

	"github.com/tarn-lake/tarn/types"
)

// vertical writes each value on its own line, the lines of longer texts below each other.
type vertical struct {
	base
	look Options
	n    int
	wide int // of the names
}

func (p *vertical) head() error {
	for i, n := range p.names {
		p.names[i] = strings.ReplaceAll(printable(n), "\n", " ")
		p.wide = max(p.wide, width(p.names[i]))
	}
	return nil
}

func (p *vertical) row(row []types.Value) error {
	p.n++
	head := fmt.Sprintf("-[ %d ]", p.n)
	if _, err := p.w.WriteString(head + strings.Repeat("-", max(1, p.wide+2-len(head))) + "\n"); err != nil {
		return err
	}
	for i, v := range row {
		name := p.names[i] + strings.Repeat(" ", p.wide-width(p.names[i]))
		if err := p.field(name, v, p.kinds[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *vertical) field(name string, v types.Value, t types.Type) error {
	if v == nil {
		null := "NULL"
		if p.look.Color {
			name, null = bold.on(name), dim.on(null)
		}
		_, err := p.w.WriteString(name + " | " + null + "\n")
		return err
	}
	for i, line := range strings.Split(printable(text(v, t, p.zone)), "\n") {
		label := name
		switch {
		case i > 0:
			label = strings.Repeat(" ", p.wide)
		case p.look.Color:
			label = bold.on(name)
		}
		if _, err := p.w.WriteString(strings.TrimRight(label+" | "+line, " ") + "\n"); err != nil {
			return err
		}
	}
	return nil
}
