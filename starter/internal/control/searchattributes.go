package control

import (
	"context"
	"slices"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"

	"github.com/swapgate/swapgate/pkg/swap"
)

const attributeRecall = 200 * time.Millisecond

// SearchAttribute is one search attribute of swapgate and whether the namespace has it.
type SearchAttribute struct {
	Name       string `json:"name"`
	Type       string `json:"type"`
	Registered bool   `json:"registered"`
	// Conflict is the type under which the namespace has the name, where that is not Keyword.
	Conflict string `json:"conflict,omitempty"`
}

// SearchAttributes lists swapgate's search attributes as the namespace has them.
func (c *Client) SearchAttributes(ctx context.Context) ([]SearchAttribute, error) {
	r, err := c.sdk.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: c.Namespace})
	if err != nil {
		return nil, err
	}
	list := make([]SearchAttribute, 0, len(swap.SearchAttributes))
	for _, name := range swap.SearchAttributes {
		a := SearchAttribute{Name: name, Type: enums.INDEXED_VALUE_TYPE_KEYWORD.String()}
		switch kind := r.GetCustomAttributes()[name]; kind {
		case enums.INDEXED_VALUE_TYPE_KEYWORD:
			a.Registered = true
		case enums.INDEXED_VALUE_TYPE_UNSPECIFIED:
		default:
			a.Conflict = kind.String()
		}
		list = append(list, a)
	}
	return list, nil
}

// RegisterSearchAttributes adds what is missing and waits until the server knows it. It returns the names added; doing
// it again adds nothing.
func (c *Client) RegisterSearchAttributes(ctx context.Context) ([]string, error) {
	before, err := c.SearchAttributes(ctx)
	if err != nil {
		return nil, err
	}
	add := map[string]enums.IndexedValueType{}
	var added []string
	for _, a := range before {
		if a.Conflict != "" {
			return nil, &RefusedError{
				Message: "search attribute " + a.Name + " exists with type " + a.Conflict + ", swapgate needs Keyword",
				Next:    "use another namespace, or remove it: temporal operator search-attribute remove --name " + a.Name,
			}
		}
		if !a.Registered {
			add[a.Name] = enums.INDEXED_VALUE_TYPE_KEYWORD
			added = append(added, a.Name)
		}
	}
	if len(add) == 0 {
		return nil, nil
	}
	_, err = c.sdk.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: c.Namespace, SearchAttributes: add,
	})
	if err != nil {
		return nil, err
	}
	return added, c.awaitSearchAttributes(ctx)
}

// awaitSearchAttributes waits for the server's cache of attribute names.
func (c *Client) awaitSearchAttributes(ctx context.Context) error {
	recheck := time.NewTicker(attributeRecall)
	defer recheck.Stop()
	for {
		list, err := c.SearchAttributes(ctx)
		if err != nil || AllRegistered(list) {
			return err
		}
		select {
		case <-recheck.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// AllRegistered reports whether the namespace has every attribute of the list.
func AllRegistered(list []SearchAttribute) bool {
	return !slices.ContainsFunc(list, func(a SearchAttribute) bool { return !a.Registered })
}
