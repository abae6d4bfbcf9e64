package auth

import (
	"cmp"
	"context"
	"time"

	"example.org/library/auth/claims"
)

// unaddressed is a token that is good in every way and has no e-mail address.
type unaddressed struct {
	raw    string
	digest digest
	keys   *ring // that it was verified with
	holder *Identity
	now    time.Time
}

// withAddress returns the identity with the e-mail address that the provider has, if
// it is to be asked.
func (b *Bearer) withAddress(ctx context.Context, t unaddressed) (*Identity, *Error) {
	// A token that is bound to a key needs a proof, which only its holder can make.
	if b.cfg.Userinfo == nil || t.holder.Person().Subject == "" || t.holder.Thumbprint != "" {
		return nil, errUnknownUser
	}
	v := b.cfg.Userinfo.find(ctx, t.digest,
		func() *verified { return b.recall(t.digest, t.now) },
		func(ctx context.Context) (*verified, error) { return b.askAddress(ctx, t) })
	if v == nil {
		return nil, errNoUserinfo
	}
	return v.identity, v.refusal
}

// failed remembers that the provider did not say whose a token is, for as long as callers
// are told to wait before they come again.
func (b *Bearer) failed(t unaddressed) {
	now := b.cfg.Now()
	b.remember(t.keys, &verified{digest: t.digest, refusal: errNoUserinfo, expires: now.Add(errNoUserinfo.RetryAfter)}, now)
}

// askAddress asks the provider and remembers what it says, as long as the token is good.
func (b *Bearer) askAddress(ctx context.Context, t unaddressed) (*verified, error) {
	person := t.holder.person
	answer, err := b.cfg.Userinfo.claimsOf(ctx, t.raw, person.Subject)
	if err != nil {
		b.failed(t)
		return nil, err
	}
	v := &verified{digest: t.digest, expires: t.holder.Expires}
	id := *t.holder
	id.Email, id.person = b.cfg.Mapping.Email(answer), merge(person, claims.PersonOf(answer))
	switch {
	case id.Email == "":
		v.refusal = errUnknownUser
	case b.cfg.RequireVerifiedEmail && !id.person.EmailVerified.IsVerified():
		v.refusal = errUnverified
	default:
		v.identity = &id
	}
	b.remember(t.keys, v, t.now)
	return v, nil
}

// merge adds what the provider knows of a person to what the token says. Whether the
// address is verified is said where the address comes from.
func merge(token, answer claims.Person) claims.Person {
	return claims.Person{
		Issuer: token.Issuer, Subject: token.Subject, EmailVerified: answer.EmailVerified,
		GivenName: cmp.Or(token.GivenName, answer.GivenName), FamilyName: cmp.Or(token.FamilyName, answer.FamilyName), Name: cmp.Or(token.Name, answer.Name),
	}
}
