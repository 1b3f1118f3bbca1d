// All games of one bot process; outlives a broken stream.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "arena/bot.hpp"
#include "arena/v1/play.grpc.pb.h"
#include "dialling.hpp"

namespace arena {

// As arena::play of bot.hpp, but throws CannotPlay; `patience` is how long a server may take to answer.
void play(const std::string& name, const std::string& version, const Factory& factory, std::chrono::seconds patience);

class Session {
 public:
  // `retry` is for how long to dial again after the bot was last connected; zero for not at all.
  Session(const Factory& factory, v1::Join join, std::chrono::milliseconds retry)
      : factory_(factory), join_(std::move(join)), retry_(retry) {}

  // Play until the server has no more games, or has been away for too long; CannotPlay if it refuses the bot.
  void run(const std::shared_ptr<grpc::Channel>& channel);

 private:
  using Stream = grpc::ClientReaderWriter<v1::PlayRequest, v1::PlayResponse>;
  struct Seat {
    std::unique_ptr<Game> game;
    std::unique_ptr<Bot> bot;
  };

  std::chrono::milliseconds play(v1::PlayService::Stub& stub);
  grpc::Status stream(v1::PlayService::Stub& stub);
  void forget();
  void read_all();
  void handle(const v1::PlayResponse& response);
  void start(const v1::GameStart& start);
  void decide(const v1::DecideBatch& questions);
  void end(const v1::GameEnd& end);
  const v1::Act& answer(const v1::Decide& question);
  void write(const v1::PlayRequest& request);

  const Factory& factory_;
  const v1::Join join_;
  const std::chrono::milliseconds retry_;
  std::map<std::uint32_t, Seat> seats_;
  std::map<std::uint32_t, v1::Act> answers_;
  std::string connection_id_;
  std::chrono::milliseconds resume_within_{0};
  std::uint32_t received_ = 0;
  bool welcomed_ = false;  // whether the server accepted the last stream
  bool asked_ = false;     // whether anything was asked over it
  std::mutex writing_;  // a bot may log from any thread
  std::unique_ptr<Stream> stream_;
};

}  // namespace arena
