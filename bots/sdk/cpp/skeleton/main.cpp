#include <memory>

#include "bot.hpp"

int main() {
  return arena::play("__NAME__", "1", [](arena::Game& game) { return std::make_unique<MyBot>(game); });
}
