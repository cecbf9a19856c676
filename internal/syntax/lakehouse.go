package syntax

// Maintenance statements that Delta and Hudi add.
type (
	// Optimize is OPTIMIZE.
	Optimize struct {
		Span
		Target *Target
		Full   bool
		Where  Expr
		ZOrder []*Name
	}

	// Vacuum is VACUUM.
	Vacuum struct {
		Span
		Target         *Target
		Mode           string // "", LITE or FULL
		Inventory      *Name
		InventoryQuery *Query
		Retain         *NumberLit // hours
		DryRun         bool
	}

	// Restore is RESTORE TABLE.
	Restore struct {
		Span
		Target *Target
		Travel *TimeTravel
	}

	// Convert is CONVERT TO DELTA.
	Convert struct {
		Span
		Table         *Name
		NoStatistics  bool
		PartitionedBy []*FieldType
	}

	// Reorg is REORG TABLE t [WHERE e] APPLY (…).
	Reorg struct {
		Span
		Target *Target
		Where  Expr
		Apply  string // PURGE, or UPGRADE UNIFORM
		// IcebergVersion is that of APPLY (UPGRADE UNIFORM
		// (ICEBERG_COMPAT_VERSION = n)), or nil.
		IcebergVersion *NumberLit
	}

	// Generate is GENERATE mode FOR TABLE t.
	Generate struct {
		Span
		Mode   *Ident
		Target *Target
	}

	// Compaction is Hudi's {RUN|SCHEDULE} COMPACTION ON t [AT instant].
	Compaction struct {
		Span
		Verb   string // RUN or SCHEDULE
		Target *Target
		At     *NumberLit
	}
)

func (*Optimize) statement()   {}
func (*Vacuum) statement()     {}
func (*Restore) statement()    {}
func (*Convert) statement()    {}
func (*Reorg) statement()      {}
func (*Generate) statement()   {}
func (*Compaction) statement() {}
