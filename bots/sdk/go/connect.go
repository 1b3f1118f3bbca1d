package bot

import (
	"fmt"
	"math"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

// dial prepares the connection; it is made with the first stream.
func dial(address, ca string) (*grpc.ClientConn, error) {
	transport := insecure.NewCredentials()
	if ca != "" && !strings.HasPrefix(address, "unix:") {
		trusted, err := credentials.NewClientTLSFromFile(ca, "")
		if err != nil {
			return nil, fmt.Errorf("ARENA_CA: no certificate can be read from %s: %w", ca, err)
		}
		transport = trusted
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
