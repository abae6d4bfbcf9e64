package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
)

// certificateProblem says in our words why a certificate is not trusted. Its own
// error quotes names from the certificate, which are untrusted.
func certificateProblem(err *tls.CertificateVerificationError) string {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err.Err, &authority):
		return "it is signed by nobody whom this machine trusts"
	case errors.As(err.Err, &host):
		return "it is for another host"
	case errors.As(err.Err, &invalid) && invalid.Reason == x509.Expired:
		return "it has expired or is not valid yet; or the clock of this machine is wrong"
	}
	return "it cannot be verified"
}

// networkProblem says why a connection failed, without the name of the host: that
// may come from a document of the provider.
func networkProblem(err *net.OpError) string {
	if name, ok := errors.AsType[*net.DNSError](err.Err); ok {
		return name.Err
	}
	return err.Err.Error()
}
