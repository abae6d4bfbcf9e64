package api

// Facets count the books of a query by subject and other values.
type Facets struct {
	Total        int                  `json:"total"`
	Exact        bool                 `json:"exact"` // all books were counted
	Subjects     []FacetCount[string] `json:"subjects"`
	Languages    []FacetCount[string] `json:"languages"`
	Kinds        []FacetCount[string] `json:"kinds"`
	Decades      []FacetCount[int]    `json:"decades"`
	Availability Availability         `json:"availability"`
}

// FacetCount is how many books have a value.
type FacetCount[T any] struct {
	Value T   `json:"value"`
	Count int `json:"count"`
}

// Availability is how many books can be borrowed now.
type Availability struct {
	Available   int `json:"available"`
	Unavailable int `json:"unavailable"`
}
