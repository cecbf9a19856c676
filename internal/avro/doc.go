// Package avro reads and writes Apache Avro, as Hudi's log blocks, metadata table and timeline use it. A [Schema] is
// parsed from its JSON and translated to and from Spark's types; a [Decoder] lays records into Arrow columns and an
// [Encoder] makes records of them, without a Go value per record in between; records of which a program knows the
// shape go to and from Go structs ([Schema.Decode], [Schema.Encode]).
//
//	null                 nothing                boolean    one byte, 0 or 1
//	int, long            zigzag, 7 bits a byte, the low ones first: 0→00 -1→01 1→02 64→80 01
//	float, double        4 or 8 bytes, little-endian IEEE 754
//	bytes, string        long n, n bytes        fixed      its size in bytes
//	record               its fields in order    enum       int, the symbol's position
//	union                long, the branch's position, then its value
//	array                blocks: long n, n items; … ; 00   (-n: then long bytes of the block, then n items)
//	map                  like array, of string key and value
//	decimal              bytes or fixed, big-endian two's complement of the unscaled number
//
// A record does not say its schema. A container file does ([ReadContainer]):
//
//	"Obj" 01                        magic
//	map of bytes                    avro.schema: JSON    avro.codec: null, deflate, snappy, zstandard
//	sync                            16 bytes, any
//	block …                         long records, long bytes, the records as packed by the codec, sync
//
// Whatever a file says is checked before it is believed: counts against the bytes that are left, sizes against limits,
// depth against the stack.
package avro
