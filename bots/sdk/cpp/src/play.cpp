#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

#include "session.hpp"

namespace arena {
namespace {

constexpr int kRetryMs = 100;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A variable that is a number of seconds; zero if it is not set.
std::chrono::milliseconds seconds(const char* name) {
  const std::string text = variable(name);
  char* rest = nullptr;
  const double value = std::strtod(text.c_str(), &rest);
  if (*rest != '\0') throw CannotPlay(std::string(name) + " must be a number of seconds, not \"" + text + "\"");
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * std::max(0.0, value)));
}

std::shared_ptr<grpc::ChannelCredentials> credentials(const std::string& authority) {
  if (authority.empty()) return grpc::InsecureChannelCredentials();
  std::ifstream file(authority);
  if (!file) throw CannotPlay("ARENA_CA must be the path of a PEM certificate; there is none at " + authority);
  grpc::SslCredentialsOptions options;
  options.pem_root_certs.assign(std::istreambuf_iterator<char>(file), {});
  return grpc::SslCredentials(options);
}

}  // namespace

std::shared_ptr<grpc::Channel> channel_to(const std::string& address, const std::string& authority) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kRetryMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 10 * kRetryMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);  // a server that vanished without a word is noticed
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  const bool local = address.starts_with("unix:");  // never encrypted
  return grpc::CreateCustomChannel(address, credentials(local ? "" : authority), arguments);
}

bool reachable(grpc::Channel& channel, std::chrono::milliseconds within) {
  return channel.WaitForConnected(std::chrono::system_clock::now() + within);
}

void play(const std::string& name, const std::string& version, const Factory& factory, std::chrono::seconds connect) {
  const std::string address = variable("ARENA_ADDRESS");
  if (address.empty()) throw CannotPlay("no server address: set ARENA_ADDRESS to host:port or unix:/path");
  v1::Join join;
  join.set_token(variable("ARENA_TOKEN"));
  join.set_name(name);
  join.set_version(version);
  const auto retry = seconds("ARENA_RETRY");
  const auto within = std::max<std::chrono::milliseconds>(connect, retry);
  const auto channel = channel_to(address, variable("ARENA_CA"));
  if (!reachable(*channel, within)) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(within);
    throw CannotPlay("no server answers at " + address + " within " + std::to_string(seconds.count()) + " s");
  }
  Session(factory, std::move(join), retry).run(channel);
}

int play(const std::string& name, const std::string& version, const Factory& factory) {
  try {
    play(name, version, factory, std::chrono::seconds(10));
    return 0;
  } catch (const CannotPlay& problem) {
    std::cerr << name << ": " << problem.what() << '\n';
    return 1;
  }
}

}  // namespace arena
