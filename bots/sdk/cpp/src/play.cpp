#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "session.hpp"

namespace arena {
namespace {

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

}  // namespace

void play(const std::string& name, const std::string& version, const Factory& factory, std::chrono::seconds patience) {
  const std::string address = variable("ARENA_ADDRESS");
  if (address.empty()) throw CannotPlay("no server address: set ARENA_ADDRESS to host:port or unix:/path");
  v1::Join join;
  join.set_token(variable("ARENA_TOKEN"));
  join.set_name(name);
  join.set_version(version);
  const auto retry = seconds("ARENA_RETRY");
  const auto within = std::max<std::chrono::milliseconds>(patience, retry);
  setenv("GRPC_VERBOSITY", "NONE", 0);  // gRPC tells of its own trouble, which is said here in one line
  Session(factory, std::move(join), retry).run(connect(address, variable("ARENA_CA"), within));
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
