#include "session.hpp"

#include <algorithm>
#include <initializer_list>
#include <thread>
#include <utility>

#include "wire.hpp"

namespace arena {
namespace {

using Clock = std::chrono::steady_clock;
using grpc::StatusCode;
using std::chrono::milliseconds;

// Answers of a batch that are ready leave before the rest when the batch takes longer than this.
constexpr milliseconds kFlush{20};
// Between two attempts to join, while ARENA_RETRY lasts: at first, and at most.
constexpr milliseconds kPause{50};
constexpr milliseconds kLongestPause{2000};
constexpr std::size_t kRememberedAnswers = 4096;

bool among(StatusCode code, std::initializer_list<StatusCode> codes) {
  return std::ranges::find(codes, code) != codes.end();
}

// A stream that breaks for no fault of the bot's: worth a try to resume, no error if that fails.
bool broken(StatusCode code) {
  return among(code, {StatusCode::UNAVAILABLE, StatusCode::CANCELLED, StatusCode::UNKNOWN, StatusCode::INTERNAL});
}

// What a server says to a resume when the games have ended meanwhile.
bool games_over(StatusCode code) { return among(code, {StatusCode::UNAUTHENTICATED, StatusCode::NOT_FOUND}); }

}  // namespace

void Session::run(const std::shared_ptr<grpc::Channel>& channel) {
  const auto stub = v1::PlayService::NewStub(channel);
  auto retry_until = Clock::now() + retry_, resume_until = Clock::now();
  auto pause = kPause;
  while (true) {
    const milliseconds resume = play(*stub);
    if (welcomed_) {
      retry_until = Clock::now() + retry_;
      resume_until = Clock::now() + resume;
      pause = kPause;
    }
    const bool resuming = !connection_id_.empty();
    const auto until = resuming ? std::max(retry_until, resume_until) : retry_until;
    const auto wait = std::chrono::duration_cast<milliseconds>(until - Clock::now());
    if (wait <= milliseconds::zero() || !reachable(*channel, wait)) return;
    if (welcomed_) continue;
    std::this_thread::sleep_for(pause);
    if (!resuming) pause = std::min(2 * pause, kLongestPause);  // who resumes has no time to lose
  }
}

// Play one stream to its end; for how long it may be resumed.
milliseconds Session::play(v1::PlayService::Stub& stub) {
  const bool resuming = !connection_id_.empty();
  const grpc::Status status = stream(stub);
  if (broken(status.error_code())) return asked_ ? resume_within_ : milliseconds::zero();
  if (status.ok() || (resuming && games_over(status.error_code()))) {
    forget();
  } else if (retry_ == milliseconds::zero() || status.error_code() != StatusCode::ALREADY_EXISTS) {
    // While it dials again, the server may not know yet that an earlier connection is dead.
    const bool unknown = status.error_code() == StatusCode::UNAUTHENTICATED;
    const std::string what = unknown ? "refuses the token in ARENA_TOKEN: " : "ended the stream: ";
    throw CannotPlay("the server " + what + status.error_message());
  }
  return milliseconds::zero();
}

// Its games are over, or of a server that is no more.
void Session::forget() {
  seats_.clear();
  answers_.clear();
  connection_id_.clear();
  received_ = 0;
}

// One stream from its Join to its end; the status it ended with.
grpc::Status Session::stream(v1::PlayService::Stub& stub) {
  welcomed_ = asked_ = false;
  grpc::ClientContext context;
  {
    const std::lock_guard lock(writing_);
    stream_ = stub.Play(&context);
  }
  try {
    v1::PlayRequest request;
    *request.mutable_join() = join_;
    request.mutable_join()->set_connection_id(connection_id_);
    request.mutable_join()->set_acknowledged(received_);
    write(request);
    read_all();
  } catch (...) {
    context.TryCancel();
    const std::lock_guard lock(writing_);
    stream_.reset();
    throw;
  }
  const std::lock_guard lock(writing_);
  return std::exchange(stream_, nullptr)->Finish();
}

void Session::read_all() {
  v1::PlayResponse response;
  while (stream_->Read(&response)) handle(response);
}

void Session::handle(const v1::PlayResponse& response) {
  switch (response.content_case()) {
    case v1::PlayResponse::kWelcome:
      welcomed_ = true;
      connection_id_ = response.welcome().connection_id();
      resume_within_ = milliseconds(response.welcome().resume_ms());
      break;
    case v1::PlayResponse::kGameStart:
      start(response.game_start());
      break;
    case v1::PlayResponse::kDecides:
      decide(response.decides());
      break;
    case v1::PlayResponse::kGameEnd:
      end(response.game_end());
      break;
    default:  // what a later server says beyond version 1
      break;
  }
}

void Session::start(const v1::GameStart& start) {
  if (seats_.contains(start.game())) return;  // sent again after a resume
  auto game = wire::game(start);
  game->log = [this](std::string_view line) {
    v1::PlayRequest request;
    request.mutable_log()->set_text(std::string(line));
    write(request);
  };
  auto bot = factory_(*game);
  seats_[start.game()] = {std::move(game), std::move(bot)};
}

void Session::end(const v1::GameEnd& end) {
  const auto seat = seats_.find(end.game());
  if (seat == seats_.end()) return;
  seat->second.bot->over(wire::result(end));
  seats_.erase(seat);
}

void Session::decide(const v1::DecideBatch& questions) {
  asked_ = true;
  v1::PlayRequest request;
  auto flushed = Clock::now();
  for (const v1::Decide& question : questions.decides()) {
    *request.mutable_acts()->add_acts() = answer(question);
    if (Clock::now() - flushed > kFlush) {
      write(request);
      request.Clear();
      flushed = Clock::now();
    }
  }
  if (request.acts().acts_size() > 0) write(request);
}

// The bot's answer; to a question sent again, the same as before.
const v1::Act& Session::answer(const v1::Decide& question) {
  const std::uint32_t id = question.decision_id();
  if (const auto known = answers_.find(id); known != answers_.end()) return known->second;
  const auto seat = seats_.find(question.game());
  if (seat == seats_.end()) {
    throw CannotPlay("a question of game " + std::to_string(question.game()) + ", which has not begun");
  }
  const Game& game = *seat->second.game;
  const Answer chosen = seat->second.bot->decide(wire::view(game, question), wire::legal(game, question));
  received_ = std::max(received_, id);
  if (answers_.size() >= kRememberedAnswers) answers_.erase(answers_.begin());
  return answers_[id] = wire::act(id, chosen);
}

void Session::write(const v1::PlayRequest& request) {
  const std::lock_guard lock(writing_);
  if (stream_) stream_->Write(request);  // a stream that broke says so to the one who reads
}

}  // namespace arena
