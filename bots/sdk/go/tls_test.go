package bot

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// certificate makes one that signs itself; its PEM file is what ARENA_CA names.
func certificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "arena"},
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "arena.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, path
}

func TestPlaysEncryptedWhereACertificateIsGiven(t *testing.T) {
	own, path := certificate(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := serveOn(t, listener, grpc.Creds(credentials.NewServerTLSFromCert(&own)))
	t.Setenv("ARENA_CA", path)
	ended := play(server, numbered)
	stream := server.next()
	stream.start(5)
	stream.ask(asked{1, 5})
	equal(t, "answer", stream.act().Amount, int32(5))
	stream.close()
	wellEnded(t, ended)
}

func TestAnotherCertificateIsNotTrusted(t *testing.T) {
	own, _ := certificate(t)
	_, other := certificate(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := serveOn(t, listener, grpc.Creds(credentials.NewServerTLSFromCert(&own)))
	t.Setenv("ARENA_CA", other)
	contains(t, within(t, play(server, numbered)), "certificate that ARENA_CA ("+other+") does not vouch for (x509: ")
	t.Setenv("ARENA_CA", "")
	contains(t, within(t, play(server, numbered)), "speaks TLS: set ARENA_CA to the path of its ca.pem")
	if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ARENA_CA", other)
	contains(t, within(t, play(serveOn(t, listener), numbered)), "does not speak TLS: unset ARENA_CA")
}
