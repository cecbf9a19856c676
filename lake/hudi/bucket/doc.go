// Package bucket says in which bucket of a table with Hudi's simple bucket index a row is.
//
//	record key ─▶ values of the hash fields ─▶ Java's hash of the list ─▶ & 0x7fffffff ─▶ mod number of buckets
//
//	file id  00000003-8c57-4a71-a313-814ca1ee59cc-0
//	         └bucket┘ └─ the rest of a UUID ─────┘
//
// Each partition has its own buckets, and each bucket at most one file group. Hudi takes the values of the hash fields from the text of
// the record key, and its releases read that text in three ways; see [Reading].
package bucket
