// Package bulk is how commands import and export a file of many records: what flags say of
// a file, batches that are sent again if an answer is lost, a report of the rows that need
// attention, and files that appear when they are whole. What the records are is for the
// commands to say. Start reading at [Import] and at [Export].
package bulk
