// Between the messages of arena.v1 and the types that bots see.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arena/game.hpp"
#include "arena/v1/play.pb.h"

namespace arena::wire {

std::unique_ptr<Game> game(const v1::GameStart& start);
View view(const Game& game, const v1::Decide& question);
Legal legal(const Game& game, const v1::Decide& question);
Result result(const v1::GameEnd& end);
v1::Act act(std::uint32_t decision_id, const Answer& answer);

}  // namespace arena::wire
