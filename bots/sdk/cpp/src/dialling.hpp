// The line to a server: where it goes, whom it trusts, and what is wrong with it when nobody answers.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

namespace arena {

// What keeps a bot from playing: no server, or a refusal. One line, which says what to set.
class CannotPlay : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A channel to the server at `host:port` or `unix:/path` that answers; `authority` is the PEM file of a certificate to
// trust, empty for no TLS. CannotPlay where nobody answers within that time, or no waiting would help.
std::shared_ptr<grpc::Channel> connect(const std::string& address, const std::string& authority,
                                       std::chrono::milliseconds within);

// Whether the server answers within a time; it is tried again and again until then.
bool reachable(grpc::Channel& channel, std::chrono::milliseconds within);

}  // namespace arena
