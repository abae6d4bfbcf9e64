package roster

import "example.org/library"

// named is what all rows of an import name, those that are no person included: a row that
// is refused still says whose a card is.
type named struct {
	emails map[string]bool // by library.EmailKey
	shared map[string]bool // cards that stand beside several addresses
}

func namedBy(rows []Row) named {
	out := named{map[string]bool{}, map[string]bool{}}
	of := map[string]string{} // cards, and the first address of each
	for _, r := range rows {
		email := library.EmailKey(r.Email)
		if r.Err != nil || email == "" {
			continue
		}
		out.emails[email] = true
		if r.Card == "" {
			continue
		}
		if first, seen := of[r.Card]; seen && first != email {
			out.shared[r.Card] = true
		}
		of[r.Card] = email
	}
	return out
}
