package duckdb

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/types"
)

// perFile are values that are constant per file, by number: statements look them up by the position of the
// file in its call of read_parquet. Constants in the statement's text would cost time with every vector, and
// there may be a hundred thousand files.
type perFile struct {
	numbered[*fileValues]
	long, text *Scalar
}

// fileValues has one value per file, as whole numbers or as texts.
type fileValues struct {
	null  []bool
	longs []int64
	texts []string
}

func newPerFile() *perFile {
	p := &perFile{}
	args := []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64}
	p.long = &Scalar{Name: "tarn_file_long", Args: args, Result: arrow.PrimitiveTypes.Int64, Eval: p.eval}
	p.text = &Scalar{Name: "tarn_file_text", Args: args, Result: arrow.BinaryTypes.String, Eval: p.eval}
	return p
}

func (p *perFile) eval(n int, in []Vec, out *Out) error {
	if n == 0 {
		return nil
	}
	v, ok := p.get(Values[int64](in[0])[0])
	if !ok {
		return errors.New("tarn_file: no such set")
	}
	for i, f := range Values[uint64](in[1]) {
		switch {
		case f >= uint64(len(v.null)):
			return errors.New("tarn_file: no such file")
		case v.null[f]:
			out.SetNull(i)
		case v.texts != nil:
			out.SetText(i, []byte(v.texts[f]))
		default:
			Results[int64](out)[i] = v.longs[f]
		}
	}
	return nil
}

// fileConstant emits a value that is constant per file: a constant where all files agree, else a lookup.
func (e *emitter) fileConstant(t types.Type, files []rel.File, of func(rel.File) (types.Value, error)) (string, error) {
	values := make([]types.Value, len(files))
	same, first := true, ""
	for i, f := range files {
		v, err := of(f)
		if err != nil {
			return "", err
		}
		values[i] = v
		if !same {
			continue
		}
		s, err := constant(t, v)
		if err != nil {
			return "", err
		}
		if i == 0 {
			first = s
		}
		same = s == first
	}
	if same {
		return first, nil
	}
	v, err := carry(t, values)
	if err != nil {
		return "", err
	}
	id := e.engine.perFile.add(v)
	e.perFile = append(e.perFile, id)
	fn := e.engine.perFile.long
	if v.texts != nil {
		fn = e.engine.perFile.text
	}
	return carried(fmt.Sprintf("%s(CAST(%d AS BIGINT), file_index)", e.use(fn), id), t)
}

// carry turns values of type t into whole numbers or texts, from which carried makes them again.
func carry(t types.Type, values []types.Value) (*fileValues, error) {
	out := &fileValues{null: make([]bool, len(values))}
	for i, v := range values {
		if v == nil {
			out.null[i] = true
			out.longs, out.texts = append(out.longs, 0), append(out.texts, "")
			continue
		}
		n, s, ok := int64(0), "", true
		switch v := v.(type) {
		case int64:
			n = v
		case int32:
			n = int64(v)
		case bool:
			if v {
				n = 1
			}
		case string:
			s = v
		case []byte:
			s = hex.EncodeToString(v)
		case float32:
			s = floatText(float64(v), 32)
		case float64:
			s = floatText(v, 64)
		case decimal128.Num:
			d, is := t.(types.Decimal)
			if ok = is; is {
				s = v.ToString(int32(d.S))
			}
		default:
			ok = false
		}
		if _, err := constant(t, v); err != nil || !ok {
			return nil, fmt.Errorf("duckdb: %v (%T) cannot be a constant of a file, of type %v", v, v, t)
		}
		out.longs, out.texts = append(out.longs, n), append(out.texts, s)
	}
	if carriedAsText(t) {
		out.longs = nil
	} else {
		out.texts = nil
	}
	return out, nil
}

func carriedAsText(t types.Type) bool {
	return types.Text(t) || types.IsDecimal(t) || t == types.Binary || t == types.Float || t == types.Double
}

// carried emits the value of type t that x carries.
func carried(x string, t types.Type) (string, error) {
	switch t {
	case types.Date:
		return "(DATE '1970-01-01' + CAST(" + x + " AS INTEGER))", nil
	case types.Timestamp:
		return "make_timestamptz(" + x + ")", nil
	case types.TimestampNTZ:
		return "make_timestamp(" + x + ")", nil
	case types.Binary:
		return "from_hex(" + x + ")", nil
	}
	if _, ok := t.(types.Time); ok {
		return "(TIME '00:00:00' + to_microseconds(" + x + "))", nil
	}
	return cast(x, t)
}
