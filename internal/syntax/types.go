package syntax

// BasicType is a type written as one word, such as INT, DECIMAL(10, 2),
// VARCHAR(5) or STRING COLLATE UNICODE. Whether the word names a type, and
// with how many parameters, has been checked by the parser.
type BasicType struct {
	Span
	Name      string   // in upper case, as written: INT and INTEGER stay apart
	Params    []string // numbers, or ANY for GEOMETRY and GEOGRAPHY
	Collation *Name    // of COLLATE, or nil
}

// IntervalType is INTERVAL YEAR TO MONTH and its relatives. INTERVAL alone,
// the calendar interval, is a BasicType.
type IntervalType struct {
	Span
	From string // YEAR, MONTH, DAY, HOUR, MINUTE or SECOND
	To   string // as From, or "" when only one field was given
}

// ArrayType is ARRAY<Elem>.
type ArrayType struct {
	Span
	Elem TypeName
}

// MapType is MAP<Key, Value>.
type MapType struct {
	Span
	Key, Value TypeName
}

// StructType is STRUCT<field: type, …>, perhaps without fields.
type StructType struct {
	Span
	Fields []*FieldType
}

// FieldType is one field of a STRUCT type or one column of a DDL schema.
type FieldType struct {
	Span
	Name    *Ident
	Type    TypeName
	NotNull bool
	Default Expr       // only in function parameters; else nil
	Comment *StringLit // nil without COMMENT
}

func (*BasicType) typeName()    {}
func (*IntervalType) typeName() {}
func (*ArrayType) typeName()    {}
func (*MapType) typeName()      {}
func (*StructType) typeName()   {}
