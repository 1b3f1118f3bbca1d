#include "arena/recorded.hpp"

#include <fstream>
#include <iostream>
#include <stdexcept>

#include "wire.hpp"

namespace arena {
namespace {

template <class Message>
Message read(const std::filesystem::path& path) {
  Message message;
  std::ifstream file(path, std::ios::binary);
  if (!file || !message.ParseFromIstream(&file)) throw std::runtime_error("no recorded message in " + path.string());
  return message;
}

}  // namespace

Recorded recorded(const std::filesystem::path& folder, const std::string& name) {
  Recorded found{wire::game(read<v1::GameStart>(folder / (name + ".game_start.bin"))), {}};
  found.game->log = [](std::string_view line) { std::cerr << line << '\n'; };
  const auto batch = read<v1::DecideBatch>(folder / (name + ".decides.bin"));
  for (const v1::Decide& question : batch.decides()) {
    found.questions.push_back({wire::view(*found.game, question), wire::legal(*found.game, question)});
  }
  return found;
}

}  // namespace arena
