// Attacks where it is stronger by most, deploys there, and moves what stands behind to the front.
#include "arena/bot.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string_view>
#include <vector>

namespace {

constexpr int kClearlyStronger = 2;
constexpr int kFar = std::numeric_limits<int>::max();

class Greedy : public arena::Bot {
 public:
  explicit Greedy(arena::Game& game) : game_(game) {}

  arena::Answer decide(const arena::View& view, const arena::Legal& legal) override {
    if (view.has("owner") && view.has("troops")) {
      owner_ = view.values("owner");
      troops_ = view.values("troops");
      find_front();
      if (const arena::Range* best = most_worth(legal)) return amount(*best);
    }
    return decline(legal);
  }

 private:
  const arena::Range* most_worth(const arena::Legal& legal) const {
    const arena::Range* best = nullptr;
    int most = 0;
    for (const arena::Range& range : legal) {
      const std::optional<int> value = worth(range);
      if (value && (best == nullptr || *value > most)) {
        best = &range;
        most = *value;
      }
    }
    return best;
  }

  // What an action is worth beside others of its kind; nothing where it is worse than to stop, or of an unknown kind.
  std::optional<int> worth(const arena::Range& range) const {
    const auto& [index, kind, name, a, b, c, lo, hi] = range;
    if (name == "trade" || name == "defend" || name == "occupy" || name == "objective") return 1;
    if (name == "stars") return a + 2 * b;
    if (name == "bonus" || name == "deploy") return best_lead(a);
    if (name == "claim") return static_cast<int>(game_.neighbours[a].size()) - enemies(a);
    if (name == "place") return game_.commands(c) ? best_lead(a) : -troops_[a];
    if (name == "capital" || name == "headquarters") return troops_[a] - enemies(a);
    if (name == "airfield") return enemies(a);
    if (name == "attack" && lead(a, b) >= kClearlyStronger) return lead(a, b);
    if (name == "fortify" && steps_to_front_[b] < steps_to_front_[a]) return troops_[a];
    return std::nullopt;
  }

  // All that may go, but for a move into a territory that needs less than the one it leaves.
  arena::Choice amount(const arena::Range& range) const {
    const bool stay = range.name == "occupy" && enemies(range.a) > enemies(range.b);
    return stay ? range.first() : range.last();
  }

  // For what it knows nothing of: stop if that is offered, else do anything rather than pass.
  arena::Choice decline(const arena::Legal& legal) {
    if (const arena::Range* end = legal.find("end")) return end->first();
    std::vector<arena::Range> acts;
    std::ranges::copy_if(legal, std::back_inserter(acts), [](const auto& range) { return range.name != "pass"; });
    if (acts.empty()) return legal[0].first();
    return acts[game_.rng.below(static_cast<int>(acts.size()))].last();
  }

  bool mine(int territory) const { return game_.commands(owner_[territory]); }

  int enemies(int territory) const {
    const auto& near = game_.neighbours[territory];
    return static_cast<int>(std::ranges::count_if(near, [this](int other) { return !mine(other); }));
  }

  int lead(int from, int to) const { return troops_[from] - troops_[to]; }

  int best_lead(int from) const {
    int best = std::numeric_limits<int>::min();
    for (int near : game_.neighbours[from]) {
      if (!mine(near)) best = std::max(best, lead(from, near));
    }
    return best;
  }

  // Of each own territory, how many moves it is away from one that has an enemy beside it.
  void find_front() {
    steps_to_front_.assign(owner_.size(), kFar);
    std::queue<int> reached;
    for (int territory = 0; territory < static_cast<int>(owner_.size()); ++territory) {
      if (mine(territory) && enemies(territory) > 0) {
        steps_to_front_[territory] = 0;
        reached.push(territory);
      }
    }
    for (; !reached.empty(); reached.pop()) {
      const int here = reached.front();
      for (int near : game_.neighbours[here]) {
        if (mine(near) && steps_to_front_[near] == kFar) {
          steps_to_front_[near] = steps_to_front_[here] + 1;
          reached.push(near);
        }
      }
    }
  }

  arena::Game& game_;
  std::span<const std::int32_t> owner_, troops_;
  std::vector<int> steps_to_front_;
};

}  // namespace

int main() {
  return arena::play("sdk_cpp_greedy", "1", [](arena::Game& game) { return std::make_unique<Greedy>(game); });
}
