package plan

import (
	"errors"

	"github.com/tarn-lake/tarn/internal/syntax"
	"github.com/tarn-lake/tarn/rel"
)

type cte struct{}

func (a *analyzer) query(q *syntax.Query, outer *frame) (relation, error) {
	return relation{}, errors.ErrUnsupported
}

func (a *analyzer) relation(r syntax.Relation, outer *frame) (relation, error) {
	return relation{}, errors.ErrUnsupported
}

func (a *analyzer) scalar(e syntax.Expr, f *frame, place string) (term, error) {
	return term{}, errors.ErrUnsupported
}

func (a *analyzer) condition(e syntax.Expr, f *frame) (rel.Expr, error) {
	return nil, errors.ErrUnsupported
}
