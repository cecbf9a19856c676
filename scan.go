package tarn

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/tarn-lake/tarn/types"
)

// Scan stores the values of the row that Next stepped to in the variables that dest points to, one per column.
// NULL needs a pointer variable or an any. Besides the Go types of [types.Value] it fills
//
//	whole numbers   any integer or float type that holds the value
//	decimal         *big.Rat, string, float64
//	date, timestamp time.Time in UTC; for timestamp_ntz the wall clock reading in UTC
//	day-time interval, time  time.Duration
//	any             *any, with the types.Value
func (r *Rows) Scan(dest ...any) error {
	row, err := r.Values()
	if err != nil {
		return err
	}
	if len(dest) != len(row) {
		return fmt.Errorf("tarn: Scan into %d variables of a row with %d columns", len(dest), len(row))
	}
	for i, v := range row {
		if err := assign(dest[i], v, r.cols[i].Type); err != nil {
			return fmt.Errorf("tarn: Scan of column %s: %w", r.cols[i].Name, err)
		}
	}
	return nil
}

func assign(dest any, v types.Value, t types.Type) error {
	p := reflect.ValueOf(dest)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return errors.New("the destination is not a pointer")
	}
	to := p.Elem()
	if v == nil {
		switch to.Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
			to.SetZero()
			return nil
		}
		return fmt.Errorf("NULL does not fit into %s", to.Type())
	}
	if to.Kind() == reflect.Pointer && to.Type() != reflect.TypeFor[*big.Rat]() {
		fresh := reflect.New(to.Type().Elem())
		to.Set(fresh)
		return assign(fresh.Interface(), v, t)
	}
	for _, form := range goForms(v, t) {
		if f := reflect.ValueOf(form); f.Type().AssignableTo(to.Type()) {
			to.Set(f)
			return nil
		}
	}
	return assignNumber(to, v, t)
}

// goForms are the Go values that say the same as v, the plainest first.
func goForms(v types.Value, t types.Type) []any {
	out := []any{v}
	switch v := v.(type) {
	case int32:
		if t == types.Date {
			out = append(out, time.Unix(int64(v)*86400, 0).UTC())
		}
	case int64:
		switch t.(type) {
		case types.DayTime, types.Time:
			out = append(out, time.Duration(v)*time.Microsecond)
		}
		if t == types.Timestamp || t == types.TimestampNTZ {
			out = append(out, time.UnixMicro(v).UTC())
		}
	case decimal128.Num:
		if d, ok := t.(types.Decimal); ok {
			out = append(out, v.ToString(int32(d.S)), rat(v, d.S), v.ToFloat64(int32(d.S)))
		}
	}
	return out
}

func rat(v decimal128.Num, scale int) *big.Rat {
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return new(big.Rat).SetFrac(v.BigInt(), ten)
}

func assignNumber(to reflect.Value, v types.Value, t types.Type) error {
	from := reflect.ValueOf(v)
	switch {
	case from.Kind() == reflect.Int64 && to.CanInt() && !to.OverflowInt(from.Int()):
		to.SetInt(from.Int())
	case from.Kind() == reflect.Int64 && to.CanUint() && from.Int() >= 0 && !to.OverflowUint(uint64(from.Int())):
		to.SetUint(uint64(from.Int()))
	case from.Kind() == reflect.Int64 && to.CanFloat():
		to.SetFloat(float64(from.Int()))
	case from.Kind() == reflect.Float32 && to.CanFloat():
		to.SetFloat(from.Float())
	case from.Kind() == to.Kind() && from.CanConvert(to.Type()):
		to.Set(from.Convert(to.Type()))
	default:
		return fmt.Errorf("%s %v does not fit into %s", t, v, to.Type())
	}
	return nil
}
