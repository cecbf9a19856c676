package tarn

import (
	"fmt"
	"strings"

	"github.com/tarn-lake/tarn/rel"
)

// outline draws a tree, one node a line, inputs indented below what reads them.
func outline(n rel.Node) string {
	var b strings.Builder
	b.WriteString("== Plan ==\n")
	draw(&b, n, 0)
	return b.String()
}

func draw(b *strings.Builder, n rel.Node, depth int) {
	b.WriteString(strings.Repeat("  ", depth) + describeNode(n) + "\n")
	for _, in := range n.Inputs() {
		draw(b, in, depth+1)
	}
}

func describeNode(n rel.Node) string {
	names := func(cols []rel.Column) string {
		parts := make([]string, len(cols))
		for i, c := range cols {
			parts[i] = fmt.Sprintf("%s#%d", c.Name, c.ID)
		}
		return " [" + strings.Join(parts, ", ") + "]"
	}
	kind := strings.TrimPrefix(fmt.Sprintf("%T", n), "*rel.")
	switch n := n.(type) {
	case *rel.Scan:
		var bytes int64
		for _, f := range n.Files {
			bytes += f.Size
		}
		return fmt.Sprintf("%s %s: %d files, %d bytes%s", kind, n.Format, len(n.Files), bytes, names(n.Columns()))
	case *rel.Values:
		return fmt.Sprintf("%s: %d rows%s", kind, len(n.Rows), names(n.Columns()))
	case *rel.Join:
		joins := [...]string{"inner", "left outer", "right outer", "full outer", "left semi", "left anti"}
		return kind + " " + joins[n.Kind] + names(n.Columns())
	case *rel.Limit:
		return fmt.Sprintf("%s %d offset %d", kind, n.Count, n.Offset)
	case *rel.Shared:
		return kind + " " + n.Name
	}
	return kind + names(n.Columns())
}
