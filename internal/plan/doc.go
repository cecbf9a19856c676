// Package plan gives statements their meaning: one pass over a syntax tree makes the typed tree of package
// rel, in which every name is resolved, every implicit cast is explicit and every type is known.
//
//	syntax.Query ──┐                 names            types, casts         groups, windows, generators
//	               ├─▶ FROM ─▶ frame ─────▶ expressions ──────────▶ extraction ──────────▶ rel.Node
//	Scope ─────────┘            ▲                │
//	(tables, views, settings)   └── outer frame ─┘ of a subquery
//
// A frame holds the columns that names can mean at one level of a query; frames of subqueries are linked to
// the frame around them. While an expression is analysed its SQL text is built beside it ([term]), because
// Spark names columns and explains errors by the text of the resolved expression.
//
// Failures are an [*Error] with Spark's class and parameters.
package plan
