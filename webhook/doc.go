// Package webhook tells other programs what happens in the library: it posts events to
// addresses, signed as Standard Webhooks describes, in order, again and again until the
// receiver takes them. What there is to tell is in package hook.
//
// Every process has a worker, of which one at a time is at work. Start reading at [Start];
// what becomes of one event is in [receiver.tell].
package webhook
