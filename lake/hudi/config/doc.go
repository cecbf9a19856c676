// Package config reads and writes hoodie.properties, the file that says what a Hudi table is. Facts are from tables that
// Hudi 0.12 to 1.1 wrote, and from HoodieTableConfig.
//
//	.hoodie/hoodie.properties          Java properties, ISO-8859-1
//	.hoodie/hoodie.properties.backup   what it was before a change; there only while the change is made
//
//	#Properties saved on 2026-11-30T17:59:06.030223959Z
//	#Mon Nov 30 17:59:06 UTC 2026
//	hoodie.table.name=trips
//	hoodie.table.checksum=3316490970   CRC-32 of "<database>.<name>"
//
// A change goes backup ─▶ new file ─▶ read again ─▶ backup removed. Whoever finds the file missing, empty or with a wrong
// checksum takes the backup; a backup beside a good file is left over from a change that was made.
package config
