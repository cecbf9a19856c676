// Package bitmap stores sets of row positions the way Delta's deletion vectors do (PROTOCOL.md §Deletion Vector
// Format): bitmaps of 32-bit numbers, one for each value of the upper half.
//
//	portable payload                        native payload (older, big-endian)
//	u32 magic 1681511377    little-endian   u32 magic 1681511376
//	u64 number of bitmaps                   u32 number of bitmaps
//	for each, keys rising:                  for each, key 0, 1, …:
//	  u32 key (upper 32 bits)                 u32 size
//	  32-bit Roaring, portable                32-bit Roaring, portable
//
//	file                                    text, inside a log: Z85 of the payload, zeroes added to fill 4 bytes
//	u8 version 1
//	for each vector:                        big-endian
//	  u32 size of payload
//	  payload
//	  u32 CRC-32 of payload
package bitmap
