// Package storage gives table formats the bytes of a table: named files in a
// [Bucket], with the one guarantee a table log rests on, a create that only one
// writer can win and that is seen whole or not at all.
//
// A name is a slash-separated path relative to its bucket, never absolute and
// never with a ".." in it ([CheckName]). There are no directories to make or
// remove: "a/b/c" may be created at once, and a name exists only while a file
// has it. [Sub] narrows a bucket to the names below one directory.
//
//	bucket                           names                       who reads them
//	/warehouse                       flights/_delta_log/00…0.json  catalog
//	Sub(b, "flights")                _delta_log/00…0.json          format
//	Sub(Sub(b, …), "_delta_log")     00…0.json
//
// # Outcomes
//
// A commit has three outcomes, so [Bucket.Create]'s writer has three as well,
// told apart at Close:
//
//	done      nil                      the file is there, whole and durable
//	not done  any other error          the name is as it was before;
//	                                   fs.ErrExist says another writer won
//	unknown   errors.Is(ErrUnknown)    the file may be there or may come;
//	                                   clean nothing up, read it back
//	          errors.Is(ErrNotDurable) a special case: the file is there now, but
//	                                   a power loss may take it, so reading it
//	                                   back proves nothing
//
// # Abilities
//
// What only some buckets can do is an interface of its own, such as [Local],
// and is found by [As], which looks through wrappers.
package storage
