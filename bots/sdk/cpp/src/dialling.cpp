#include "dialling.hpp"

#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

namespace arena {
namespace {

using Credentials = std::shared_ptr<grpc::ChannelCredentials>;

constexpr int kReconnectMs = 100;
// A server that has not answered so soon is looked at more closely: some mistakes no waiting mends.
constexpr std::chrono::milliseconds kLookAfter{1000}, kLook{2000};

void check_address(const std::string& address) {
  const auto colon = address.rfind(':');
  int port = 0;
  if (colon != std::string::npos) {
    const char *begin = address.data() + colon + 1, *end = address.data() + address.size();
    if (std::from_chars(begin, end, port).ptr != end) port = 0;
  }
  if (colon == 0 || port < 1 || port > 65535) {
    throw CannotPlay("ARENA_ADDRESS: " + address + " is neither host:port nor unix:/path");
  }
}

Credentials trusting(const std::string& authority) {
  const auto unreadable = [&](const std::string& why) {
    return CannotPlay("ARENA_CA: no certificate can be read from " + authority + " (" + why +
                      "): name the server's ca.pem");
  };
  std::ifstream file(authority);
  if (!file) throw unreadable("no such file");
  grpc::SslCredentialsOptions options;
  options.pem_root_certs.assign(std::istreambuf_iterator<char>(file), {});
  if (options.pem_root_certs.find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
    throw unreadable("it is no PEM file");
  }
  return grpc::SslCredentials(options);
}

// Nothing is said over such a line: it only shows whether the server speaks TLS.
Credentials trusting_anybody() {
  grpc::experimental::TlsChannelCredentialsOptions options;
  options.set_verify_server_certs(false);
  options.set_certificate_verifier(std::make_shared<grpc::experimental::NoOpCertificateVerifier>());
  return grpc::experimental::TlsCredentials(options);
}

std::shared_ptr<grpc::Channel> channel_to(const std::string& address, const Credentials& credentials) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 10 * kReconnectMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);  // a server that vanished without a word is noticed
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  return grpc::CreateCustomChannel(address, credentials, arguments);
}

// What no waiting mends; empty where the server may just not be there yet, or has come meanwhile.
std::string trouble_with_tls(grpc::Channel& channel, const std::string& address, const std::string& authority) {
  if (reachable(*channel_to(address, trusting_anybody()), kLook)) {
    if (authority.empty()) return "speaks TLS: set ARENA_CA to the path of its ca.pem";
    if (reachable(channel, kLook)) return "";
    return "has a certificate that ARENA_CA (" + authority +
           ") does not vouch for: set it to the path of the server's ca.pem";
  }
  const bool plain = !authority.empty() && reachable(*channel_to(address, grpc::InsecureChannelCredentials()), kLook);
  return plain ? "does not speak TLS: unset ARENA_CA" : "";
}

}  // namespace

bool reachable(grpc::Channel& channel, std::chrono::milliseconds within) {
  return channel.WaitForConnected(std::chrono::system_clock::now() + within);
}

std::shared_ptr<grpc::Channel> connect(const std::string& address, const std::string& authority,
                                       std::chrono::milliseconds within) {
  const bool local = address.starts_with("unix:");  // never encrypted
  if (!local) check_address(address);
  const bool plain = local || authority.empty();
  const auto channel = channel_to(address, plain ? grpc::InsecureChannelCredentials() : trusting(authority));
  if (reachable(*channel, std::min(within, kLookAfter))) return channel;
  if (const std::string trouble = local ? "" : trouble_with_tls(*channel, address, authority); !trouble.empty()) {
    throw CannotPlay("the server at " + address + " " + trouble);
  }
  if (reachable(*channel, within - kLookAfter)) return channel;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(within).count();
  throw CannotPlay("no server answers at " + address + " within " + std::to_string(seconds) +
                   " s: is it running, and is ARENA_ADDRESS right?");
}

}  // namespace arena
