// Package console runs scripts for a person or a pipe: rows to one stream, receipts and errors to the other.
//
//	script ─▶ Session.Run ─▶ rows ─render─▶ Out
//	                    ├──▶ receipt ─────▶ Err   one line after each statement that wrote
//	                    ├──▶ error ───────▶ Err   with the place, a caret and a hint
//	                    └──▶ progress ────▶ Err   on a terminal, after a second, erased again
package console
