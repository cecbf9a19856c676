package lake

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/tarn-lake/tarn/engine"
	"github.com/tarn-lake/tarn/rel"
	"github.com/tarn-lake/tarn/storage"
	"github.com/tarn-lake/tarn/types"
)

// Ident is the name of a table or schema, outermost part first.
type Ident []string

// String is the name with parts in backquotes where needed.
func (n Ident) String() string {
	parts := make([]string, len(n))
	for i, p := range n {
		parts[i] = types.QuoteIfNeeded(p)
	}
	return strings.Join(parts, ".")
}

// Entry is what is known of a table before its log is read: where it is and of which format.
type Entry struct {
	Name     Ident
	Format   string         // "delta", "hudi", "hive"
	Location string         // as shown to users: an absolute path or URL
	Bucket   storage.Bucket // the table's folder
	External bool           // the folder belongs to the user: DROP leaves it
	Meta     *Meta          // what CREATE asks for; nil when opening
	Created  time.Time
	Owner    string
	Options  map[string]string // storage options given at creation
}

// Meta describes a table.
type Meta struct {
	ID          string // unique per table, made at creation
	Name        string
	Description string
	Schema      types.Struct
	Partition   []string // names of columns of Schema, in folder order
	Cluster     []string // columns of CLUSTER BY
	Properties  map[string]string
	Created     time.Time
	Protocol    Protocol
}

// Protocol is what a table demands of its readers and writers; the zero value is the format's choice.
type Protocol struct {
	Reader, Writer                 int
	ReaderFeatures, WriterFeatures []string
}

// At says which state of a table is meant. The zero value is the latest.
type At struct {
	Version *int64
	Time    *time.Time
}

// Commit is one entry of a table's history.
type Commit struct {
	Version      int64
	Time         time.Time
	Operation    Operation
	Metrics      map[string]string
	ReadVersion  *int64
	Isolation    string
	BlindAppend  *bool
	Engine       string
	UserID, User string
	TxnID        string
	FilesAdded   int
	FilesRemoved int
	Attempts     int      // how often the commit was tried; 1 is at once
	Warnings     []string // what its maker asked for and did not get, though nothing failed
}

// Operation names what a transaction does, for the history.
type Operation struct {
	Name         string      // "MERGE", "WRITE", "CREATE TABLE AS SELECT", …
	Parameters   []Parameter // in order
	UserMetadata string
	Txn          *TxnID // for at-most-once writes
	Metrics      map[string]string
}

// Parameter is one operation parameter: Value is text, or any JSON value.
type Parameter struct {
	Key   string
	Value any
}

// TxnID makes a write happen at most once: a transaction whose Version is not above the one that the table
// holds for App does nothing.
type TxnID struct {
	App     string
	Version int64
}

// Metrics counts what Apply did with rows and files.
type Metrics struct {
	Inserted, Updated, Deleted, Copied int64
	Ignored                            int64 // rows given that left the table as it is: it has newer ones, or its keys already
	FilesAdded, FilesRemoved           int
	BytesAdded, BytesRemoved           int64
	VectorsAdded, VectorsRemoved       int
}

// Format opens and creates tables of one kind.
type Format interface {
	Open(ctx context.Context, e Entry) (Table, error)                 // fs.ErrNotExist when there is no table
	Create(ctx context.Context, e Entry, x engine.Engine) (Tx, error) // of e.Meta; fs.ErrExist when there is one
}

// Table is a table of one format at one place.
type Table interface {
	Snapshot(ctx context.Context, at At) (Snapshot, error)
	History(ctx context.Context) iter.Seq2[Commit, error] // newest first
	Begin(ctx context.Context, x engine.Engine) (Tx, error)
}

// Mender is a Format that opens more tables than Open does, for procedures that mend what Open refuses.
type Mender interface {
	OpenToMend(ctx context.Context, e Entry) (Table, error)
}

// Querier is a Table that can also be read in ways that options name, such as hoodie.datasource.query.type=incremental. The
// snapshots that it gives may have another schema than the table. Options that the format does not know are passed over.
type Querier interface {
	Query(ctx context.Context, options map[string]string) (Snapshot, error)
}

// Caller is a Table that knows procedures, which CALL runs: name in lower case, and an argument of its type for every
// parameter of the [Procedure], NULL where neither the call nor a default gives one. A name that the format does not know is
// errors.ErrUnsupported.
type Caller interface {
	Call(ctx context.Context, x engine.Engine, name string, args map[string]types.Value) (Answer, error)
}

// Answer is the small table that a procedure gives.
type Answer struct {
	Columns []rel.Column
	Rows    [][]types.Value
}

// Snapshot is one state of a table. It never changes.
type Snapshot interface {
	rel.Relation
	Meta() *Meta
	Version() int64
	Detail() Detail
}

// Describer is a Snapshot that SHOW and DESCRIBE tell of in the words of its format.
type Describer interface {
	Stated() map[string]string // the properties as CREATE TABLE gives them, without what the table notes for itself
	Partitions() []string      // the paths of the partitions, sorted
}

// Detail is what DESCRIBE DETAIL says of a snapshot.
type Detail struct {
	Files        int64
	Bytes        int64
	LastModified time.Time
}

// Tx changes a table. Reads through it are what conflicts are checked against. Nothing is visible to others
// before Commit.
type Tx interface {
	Snapshot
	// Apply carries out c. It may be called several times; each call sees the table as the calls before left its
	// metadata, and the rows of the snapshot.
	Apply(ctx context.Context, c Change) (Metrics, error)
	// Commit makes all changes visible at once. The error is a *ConflictError when nothing was committed because
	// of another writer, an *UnknownOutcomeError when that cannot be known; after any other error nothing was.
	Commit(ctx context.Context, op Operation) (Commit, error)
	// Rollback gives up and removes the files that Apply wrote. It does nothing after Commit.
	Rollback() error
}

// Change is one of Append, Overwrite, Edit and Define.
type Change interface{ change() }

// Append adds rows. Columns gives for each column of the table's schema the column of Rows that fills it.
type Append struct {
	Rows     rel.Node
	Columns  []rel.ID
	FileSize int64             // bytes to aim at per file; 0 is the table's own choice
	Options  map[string]string // the format's own settings of this write, such as hoodie.datasource.write.operation
}

// Overwrite removes the rows for which Where is true (nil: all) and adds Rows. Where speaks of the columns Target,
// one per column of the schema. With Partitions it removes the rows of the partitions that Rows falls into instead.
type Overwrite struct {
	Rows       rel.Node
	Columns    []rel.ID
	Where      rel.Expr
	Target     []rel.Column
	Partitions bool
	FileSize   int64
	Options    map[string]string // as in Append
}

// Edit changes, removes and adds rows. Rows has one row per affected row of the table: Op is a string column
// with 'U', 'D', 'I' or NULL (nothing, but the row counts as matched), RowID came from this transaction's Scan and is
// NULL for 'I', Columns hold the new values of 'U' and 'I'. Where, over Target, says which rows of the table could be
// affected; nil is all: it is the predicate that conflicts are checked with.
type Edit struct {
	Rows    rel.Node
	Op      rel.ID
	RowID   rel.ID
	Columns []rel.ID
	Kept    []bool   // per column, whether every 'U' has the value that the row has; nil: nothing is known
	Stored  []rel.ID // per column, which has the value that the row has in the table, of a row without row id NULL; 0 where none does; nil: none
	Merge   *Merge   // nil: the edit is no MERGE
	Where   rel.Expr
	Target  []rel.Column
	// Twice is the error when a row id comes more than once; nil makes repeated deletes of one row count once and is only
	// legal where every row with a row id is a 'D'.
	Twice   error
	Options map[string]string // as in Append
}

// Merge is what formats whose tables have keys need to know of the MERGE behind an Edit.
type Merge struct {
	InsertsOnly bool     // every clause is an INSERT
	Twice       error    // for rows that change one row of the table, or make one key, more than once
	On          []bool   // per column, whether it is one of those that ON compares with what INSERT gives it; nil where ON says more than that
	Sought      []rel.ID // per column of the key and of partitions, what a source row brings for it, else 0; nil where every row without match is an 'I'
	// Rivals is the rows of the edit, of which several may have one row id: each has the number of its source row, and per column what that row
	// brings for it. It is nil where several source rows for one row of the table are an error, Edit.Twice.
	Rivals *Rivals
}

// Rivals is rows of which one is to be chosen: Op, RowID, Columns and Stored are as in Edit.
type Rivals struct {
	Rows    rel.Node
	Op      rel.ID
	RowID   rel.ID
	Columns []rel.ID
	Stored  []rel.ID
	Number  rel.ID
	Brings  []rel.ID // 0 where a source row brings nothing for a column
}

// Define replaces the table's description. Overwriting the schema (dropping or retyping columns) needs Overwrite in the
// same transaction, but for formats whose Tx is an Evolver.
type Define struct {
	Meta    *Meta
	Options map[string]string // as in Append
}

// Evolver is a Tx of a format that finds columns again in files under other names and places. Evolving is its Meta with marks in the
// metadata of fields: one that keeps its mark in a Define is the same column, whatever its name and type.
type Evolver interface{ Evolving() *Meta }

func (Append) change()    {}
func (Overwrite) change() {}
func (Edit) change()      {}
func (Define) change()    {}
