package syntax

// Statements of SQL scripts. They occur only within a Block.
type (
	// Block is [label:] BEGIN … END [label].
	Block struct {
		Span
		Label    *Ident
		EndLabel *Ident
		Atomic   string // NOT ATOMIC, ATOMIC or ""
		Body     []Statement
	}

	// DeclareCondition is DECLARE name CONDITION [FOR SQLSTATE 'x'].
	DeclareCondition struct {
		Span
		Name     *Name
		SQLState *StringLit
	}

	// DeclareHandler is DECLARE EXIT|CONTINUE HANDLER FOR … statement.
	DeclareHandler struct {
		Span
		Kind       string // EXIT or CONTINUE
		Conditions []*HandlerCondition
		Body       Statement
	}

	// HandlerCondition is one condition that a handler waits for.
	HandlerCondition struct {
		Span
		Kind     string // SQLSTATE, SQLEXCEPTION, NOT FOUND or NAME
		SQLState *StringLit
		Name     *Name
	}

	// If is IF … THEN … ELSEIF … ELSE … END IF.
	If struct {
		Span
		Branches []*Branch
		Else     []Statement
		HasElse  bool
	}

	// CaseStmt is CASE [Operand] WHEN … THEN … END CASE.
	CaseStmt struct {
		Span
		Operand  Expr
		Branches []*Branch
		Else     []Statement
		HasElse  bool
	}

	// Branch is a condition with the statements it guards.
	Branch struct {
		Span
		Cond Expr
		Body []Statement
	}

	// Loop is WHILE, REPEAT or LOOP.
	Loop struct {
		Span
		Kind     string // WHILE, REPEAT or LOOP
		Label    *Ident
		EndLabel *Ident
		Cond     Expr // of WHILE, or of UNTIL
		Body     []Statement
	}

	// For is FOR [name AS] query DO … END FOR.
	For struct {
		Span
		Label    *Ident
		EndLabel *Ident
		Var      *Ident // or nil
		Query    Statement
		Body     []Statement
	}

	// Leave is LEAVE label.
	Leave struct {
		Span
		Label *Ident
	}

	// Iterate is ITERATE label.
	Iterate struct {
		Span
		Label *Ident
	}

	// Cursor is DECLARE … CURSOR FOR, OPEN, FETCH or CLOSE of Spark 4.2.
	Cursor struct {
		Span
		Verb  string // DECLARE, OPEN, FETCH or CLOSE
		Name  *Ident
		Query *Query       // of DECLARE
		Args  []*NamedExpr // of OPEN … USING
		Into  []*Name      // of FETCH
	}
)

func (*Block) statement()            {}
func (*DeclareCondition) statement() {}
func (*DeclareHandler) statement()   {}
func (*If) statement()               {}
func (*CaseStmt) statement()         {}
func (*Loop) statement()             {}
func (*For) statement()              {}
func (*Leave) statement()            {}
func (*Iterate) statement()          {}
func (*Cursor) statement()           {}
