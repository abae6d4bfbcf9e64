// Package finding finds books in the tables of package sqlstore: lists and their counts, what
// fits a question best, facets, suggestions, and the words that a misspelt one may have been.
//
// Start reading at [Catalogue]. Lists of books are in list.go, the conditions in them in
// selection.go, classes of relevance in relevance.go; which words are looked up is decided in
// wordstats.go, and how many books match is in count.go. What the housekeeping prepares, so that
// common words take no longer in a large library, is in title_ranges_make.go, and how lists, facets and
// suggestions use it in title_ranges.go, facets_words.go and suggestion.go. The words of all books are in
// vocabulary.go.
//
// It reads tables that package sqlstore writes, and writes those alone from which it finds: the
// vocabulary, the edits by which counts are corrected, and the ranges of titles. It does not know
// what a book looks like in its row ([Records]), nor how changes are published.
package finding
