// Package storagetest is the conformance suite of storage.Bucket: what every
// implementation must do, written once.
package storagetest
