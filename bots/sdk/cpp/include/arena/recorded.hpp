// Questions of a recorded game, for a bot's tests.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "arena/game.hpp"

namespace arena {

// A recorded game and one seat's questions in it, in order.
struct Recorded {
  struct Question {
    View view;
    Legal legal;
  };
  std::unique_ptr<Game> game;
  std::vector<Question> questions;
};

// What NAME.game_start.bin and NAME.decides.bin of a folder hold; std::runtime_error where they cannot be read.
Recorded recorded(const std::filesystem::path& folder, const std::string& name);

}  // namespace arena
