package bot

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

// lookAfter is when a server that has not answered is looked at more closely: some mistakes no waiting mends.
const lookAfter, lookWithin = time.Second, 2 * time.Second

// dial prepares the connection; it is made with the first stream.
func dial(address, ca string) (*grpc.ClientConn, error) {
	if err := checkAddress(address); err != nil {
		return nil, err
	}
	transport := insecure.NewCredentials()
	if ca != "" && !strings.HasPrefix(address, "unix:") {
		trusted, err := trust(ca)
		if err != nil {
			return nil, fmt.Errorf("ARENA_CA: no certificate can be read from %s (%w): name the server's ca.pem", ca, err)
		}
		transport = credentials.NewClientTLSFromCert(trusted, "")
	}
	quick := backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second}
	conn, err := grpc.NewClient(
		address,
		grpc.WithTransportCredentials(transport),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: quick, MinConnectTimeout: connectWithin / 2}),
		// A server that vanished without a word is noticed.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)),
	)
	if err != nil {
		return nil, fmt.Errorf("ARENA_ADDRESS: %s is neither host:port nor unix:/path: %w", address, err)
	}
	return conn, nil
}

func checkAddress(address string) error {
	if strings.HasPrefix(address, "unix:") {
		return nil
	}
	host, port, err := net.SplitHostPort(address)
	if number, wrong := strconv.ParseUint(port, 10, 16); err != nil || host == "" || wrong != nil || number == 0 {
		return fmt.Errorf("ARENA_ADDRESS: %s is neither host:port nor unix:/path", address)
	}
	return nil
}

// trust reads certificates that are to be trusted.
func trust(ca string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(ca)
	if err != nil {
		return nil, err
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(pem) {
		return nil, errors.New("it is no PEM file")
	}
	return trusted, nil
}

// troubleWithTLS says what no waiting mends; nil where the server may just not be there yet.
func troubleWithTLS(ctx context.Context, address, ca string) error {
	if strings.HasPrefix(address, "unix:") {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: ca == "", NextProtos: []string{"h2"}}}
	dialer.Config.RootCAs, _ = trust(ca) // which could be read before
	line, err := dialer.DialContext(ctx, "tcp", address)
	var mistrusted *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	switch {
	case err == nil:
		line.Close()
		if ca == "" {
			return fmt.Errorf("the server at %s speaks TLS: set ARENA_CA to the path of its ca.pem", address)
		}
	case errors.As(err, &mistrusted):
		return fmt.Errorf("the server at %s has a certificate that ARENA_CA (%s) does not vouch for (%w): "+
			"set it to the path of the server's ca.pem", address, ca, mistrusted.Err)
	case ca != "" && errors.As(err, &plain):
		return fmt.Errorf("the server at %s does not speak TLS: unset ARENA_CA", address)
	}
	return nil
}
