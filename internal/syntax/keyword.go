package syntax

import (
	"slices"
	"strings"
)

// word numbers an entry of the keyword table; 0 is no keyword.
type word uint16

// Keyword classes. Spark's default mode reserves nothing: every keyword may
// be a name where the grammar leaves room for one.
const (
	classPlain    = iota
	classStrict   // never a table alias without quotes
	classReserved // reserved when Dialect.ReservedKeywords is set
	classBoth     // strict and reserved
	classSoft     // a keyword of Delta, Hudi, Databricks or tarn, not of Spark
)

// keywordTable lists every word the parser looks for, by class. The words of
// Spark are those of its documentation on ANSI compliance.
var keywordTable = map[int]string{
	classPlain: `ADD AFTER AGGREGATE ALTER ALWAYS ANALYZE ANY_VALUE ARCHIVE ARRAY ASC AT ATOMIC BEGIN BETWEEN
		BIGINT BINARY BINDING BOOLEAN BUCKET BUCKETS BY BYTE CACHE CALLED CASCADE CATALOG CATALOGS CHANGE CHAR
		CHARACTER CLEAR CLUSTER CLUSTERED CODEGEN COLLECTION COLUMNS COMMENT COMMIT COMPACT COMPACTIONS
		COMPENSATION COMPUTE CONCATENATE CONDITION CONTAINS CONTINUE COST CUBE CURRENT DATA DATABASE DATABASES
		DATE DATEADD DATEDIFF DATE_ADD DATE_DIFF DAY DAYOFYEAR DAYS DBPROPERTIES DEC DECIMAL DECLARE DEFAULT
		DEFINED DEFINER DELAY DELETE DELIMITED DESC DESCRIBE DETERMINISTIC DFS DIRECTORIES DIRECTORY DISTRIBUTE
		DIV DO DOUBLE DROP ELSEIF ENFORCED ESCAPED EVOLUTION EXCHANGE EXCLUDE EXISTS EXIT EXPLAIN EXPORT EXTEND
		EXTENDED EXTERNAL EXTRACT FIELDS FILEFORMAT FIRST FLOAT FLOW FOLLOWING FORMAT FORMATTED FOUND FUNCTION
		FUNCTIONS GENERATED GEOGRAPHY GEOMETRY GLOBAL GROUPING HANDLER HOUR HOURS IDENTIFIER IDENTITY IF IGNORE
		ILIKE IMMEDIATE IMPORT INCLUDE INCREMENT INDEX INDEXES INPATH INPUT INPUTFORMAT INSERT INT INTEGER
		INTERVAL INVOKER ITEMS ITERATE JSON KEY KEYS LANGUAGE LAST LAZY LEAVE LEVEL LIKE LIMIT LINES LIST LOAD
		LOCAL LOCATION LOCK LOCKS LOGICAL LONG LOOP MACRO MAP MATCHED MATERIALIZED MAX MERGE MICROSECOND
		MICROSECONDS MILLISECOND MILLISECONDS MINUTE MINUTES MODIFIES MONTH MONTHS MSCK NAME NAMESPACE
		NAMESPACES NANOSECOND NANOSECONDS NO NONE NORELY NULLS NUMERIC OF OPTION OPTIONS OUT OUTPUTFORMAT OVER
		OVERLAY OVERWRITE PARTITION PARTITIONED PARTITIONS PERCENT PIVOT PLACING POSITION PRECEDING PRINCIPALS
		PROCEDURE PROCEDURES PROPERTIES PURGE QUARTER QUERY RANGE READS REAL RECORDREADER RECORDWRITER RECOVER
		RECURSION REDUCE REFRESH REGEXP RELY RENAME REPAIR REPEAT REPEATABLE REPLACE RESET RESPECT RESTRICT
		RETURN RETURNS REVOKE RLIKE ROLE ROLES ROLLBACK ROLLUP ROW ROWS SCHEMA SCHEMAS SECOND SECONDS SECURITY
		SEPARATED SERDE SERDEPROPERTIES SET SETS SHORT SHOW SINGLE SKEWED SMALLINT SORT SORTED SOURCE
		SPECIFIC SQLEXCEPTION SQLSTATE START STATISTICS STORED STRATIFY STREAM STREAMING STRING STRUCT SUBSTR
		SUBSTRING SYNC SYSTEM_TIME SYSTEM_VERSION TABLES TABLESAMPLE TARGET TBLPROPERTIES TEMP TEMPORARY
		TERMINATED TIMEDIFF TIMESTAMP TIMESTAMPADD TIMESTAMPDIFF TIMESTAMP_LTZ TIMESTAMP_NTZ TINYINT TOUCH
		TRANSACTION TRANSACTIONS TRANSFORM TRIM TRUE TRUNCATE TRY_CAST TYPE UNARCHIVE UNBOUNDED UNCACHE UNLOCK
		UNPIVOT UNSET UNTIL UPDATE USE VALUE VALUES VAR VARCHAR VARIABLE VARIANT VERSION VIEW VIEWS VOID
		WATERMARK WEEK WEEKS WHILE WINDOW WITHOUT X YEAR YEARS ZONE`,
	classStrict: `ANTI MINUS SEMI`,
	classReserved: `ALL AND ANY AS AUTHORIZATION BOTH CALL CASE CAST CHECK COLLATE COLLATION COLUMN CONSTRAINT
		CREATE CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DISTINCT ELSE END ESCAPE EXECUTE FALSE
		FETCH FILTER FOR FOREIGN FROM GRANT GROUP HAVING IN INTO IS LEADING NOT NULL OFFSET ONLY OR ORDER OUTER
		OVERLAPS PRIMARY RECURSIVE REFERENCES SELECT SESSION_USER SOME SQL TABLE THEN TIME TO TRAILING UNIQUE
		UNKNOWN USER WHEN WHERE WITH WITHIN`,
	classBoth: `CROSS EXCEPT FULL INNER INTERSECT JOIN LATERAL LEFT NATURAL ON RIGHT UNION USING`,
	classSoft: `ACTION APPLY APPROX AUTO BERNOULLI CHANGES CLONE CLOSE COMPACTION CONVERT COPY COPY_OPTIONS
		CURSOR DEEP DELTA DETAIL DISTANCE DRY ENABLE EXACT EXCLUSIVE FEATURE FILES FORMAT_OPTIONS
		GENERATE HISTORY ICEBERG_COMPAT_VERSION INCLUSIVE INVENTORY LITE MATCH METRICS NEAREST OPEN OPTIMIZE
		PATTERN QUALIFY REORG RESTORE RETAIN RUN SCHEDULE SHALLOW SIMILARITY SYSTEM UNIFORM UPGRADE VACUUM
		VALIDATE YAML ZORDER`,
}

// keywords is the table in the form the scanner and the parser use.
var keywords = newKeywordSet(keywordTable)

type keywordSet struct {
	number map[string]word // by upper-case spelling
	text   []string        // by number
	class  []uint8         // by number
}

func newKeywordSet(table map[int]string) *keywordSet {
	s := &keywordSet{number: map[string]word{}, text: []string{""}, class: []uint8{classPlain}}
	for class, words := range table {
		for _, w := range strings.Fields(words) {
			s.number[w] = word(len(s.text))
			s.text = append(s.text, w)
			s.class = append(s.class, uint8(class))
		}
	}
	return s
}

// lookup returns the number of the keyword that text spells, in any case.
func (s *keywordSet) lookup(text string) word {
	var buf [32]byte
	if len(text) > len(buf) {
		return 0
	}
	for i := range len(text) {
		c := text[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		buf[i] = c
	}
	return s.number[string(buf[:len(text)])]
}

func (w word) strict() bool {
	c := keywords.class[w]
	return c == classStrict || c == classBoth
}

func (w word) reserved() bool {
	c := keywords.class[w]
	return c == classReserved || c == classBoth
}

// Keyword is a keyword of Spark.
type Keyword struct {
	Word     string // in upper case
	Reserved bool   // when spark.sql.ansi.enforceReservedKeywords is on
}

// Keywords returns the keywords of Spark in alphabetical order, as its
// function sql_keywords does: without those that have two spellings.
func Keywords() []Keyword {
	var out []Keyword
	for i, w := range keywords.text {
		switch w {
		case "", "RLIKE", "REGEXP", "TEMPORARY", "TEMP":
			continue
		}
		if keywords.class[i] != classSoft {
			out = append(out, Keyword{Word: w, Reserved: word(i).reserved()})
		}
	}
	slices.SortFunc(out, func(a, b Keyword) int { return strings.Compare(a.Word, b.Word) })
	return out
}
