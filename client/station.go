package client

import (
	"context"
	"net/http"

	"example.org/library/api"
)

// Visitor returns the person with a card, for a station. It changes nothing.
func (c *Client) Visitor(ctx context.Context, card string) (api.Visitor, error) {
	return ask[api.Visitor](ctx, c, request{method: http.MethodPost, path: "/station/readers", body: stationFields{Card: card}})
}

// LendAtStation lends the copy with a barcode to the person with a card.
func (c *Client) LendAtStation(ctx context.Context, card, barcode string) (api.StationLoan, error) {
	return ask[api.StationLoan](ctx, c, request{method: http.MethodPost, path: "/station/loans", body: stationFields{card, barcode}})
}

// ReturnAtStation ends the loan of the copy with a barcode.
func (c *Client) ReturnAtStation(ctx context.Context, barcode string) (api.StationReturn, error) {
	return ask[api.StationReturn](ctx, c, request{method: http.MethodPost, path: "/station/returns", body: stationFields{Barcode: barcode}})
}

type stationFields struct {
	Card    string `json:"card,omitempty"`
	Barcode string `json:"barcode,omitempty"`
}
