// Sessions with a real gRPC server whose part is scripted.
#include "session.hpp"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <filesystem>

#include "data.hpp"

namespace arena {
namespace {

using ServerStream = grpc::ServerReaderWriter<v1::PlayResponse, v1::PlayRequest>;
using Script = std::function<grpc::Status(ServerStream&)>;

// Plays its part of a stream by a script: one script a stream, in order.
class ScriptedServer : public v1::PlayService::Service {
 public:
  ScriptedServer(const std::string& address, std::deque<Script> scripts,
                 std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials())
      : scripts_(std::move(scripts)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, credentials, &port);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~ScriptedServer() override { server_->Shutdown(std::chrono::system_clock::now()); }

  grpc::Status Play(grpc::ServerContext*, ServerStream* stream) override {
    v1::PlayRequest request;
    if (stream->Read(&request)) joins.push_back(request.join());
    const Script script = std::move(scripts_.front());
    scripts_.pop_front();
    return script(*stream);
  }

  int port = 0;
  std::vector<v1::Join> joins;

 private:
  std::deque<Script> scripts_;
  std::unique_ptr<grpc::Server> server_;
};

class Sessions : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"ARENA_ADDRESS", "ARENA_TOKEN", "ARENA_CA", "ARENA_RETRY"}) unsetenv(name);
  }

  void play(const std::string& address, const Factory& factory) {
    setenv("ARENA_ADDRESS", address.c_str(), 1);
    setenv("ARENA_TOKEN", "secret", 1);
    arena::play("tester", "1", factory, patience);
  }

  void play(const ScriptedServer& server) { play("127.0.0.1:" + std::to_string(server.port), counting()); }

  // Why it cannot play at an address.
  std::string problem(const std::string& address) {
    try {
      play(address, counting());
      return "none";
    } catch (const CannotPlay& problem) {
      return problem.what();
    }
  }

  // A bot that counts how often it is asked, and answers differently each time.
  Factory counting() {
    struct Counting : Bot {
      Counting(Sessions& test, Game& game) : test_(test), game_(game) { game.log("begun"); }
      Answer decide(const View& view, const Legal& legal) override {
        EXPECT_EQ(view.game, &game_);
        test_.asked.push_back(game_.number);
        return legal[test_.asked.size() % legal.size()].last();
      }
      void over(const Result& result) override { test_.results.push_back(result); }
      Sessions& test_;
      Game& game_;
    };
    return [this](Game& game) { return std::make_unique<Counting>(*this, game); };
  }

  // Sends welcome, games and one batch of questions; reads answers until it has them all.
  void ask(ServerStream& stream, std::vector<int> games, std::vector<std::pair<int, int>> questions) {
    v1::PlayResponse welcome, batch;
    welcome.mutable_welcome()->set_connection_id("connection");
    welcome.mutable_welcome()->set_resume_ms(5000);
    stream.Write(welcome);
    for (int game : games) {
      v1::PlayResponse start;
      *start.mutable_game_start() = data.start;
      start.mutable_game_start()->set_game(game);
      stream.Write(start);
    }
    for (const auto& [id, game] : questions) {
      v1::Decide& question = *batch.mutable_decides()->add_decides();
      question = data.decides.decides(id);
      question.set_decision_id(id);
      question.set_game(game);
    }
    stream.Write(batch);
    read(stream, questions.size());
  }

  void read(ServerStream& stream, std::size_t count) {
    const std::size_t expected = acts.size() + count;
    v1::PlayRequest request;
    while (acts.size() < expected && stream.Read(&request)) {
      if (request.has_log()) logs.push_back(request.log().text());
      acts.insert(acts.end(), request.acts().acts().begin(), request.acts().acts().end());
    }
  }

  Script whole_game() {
    return [this](ServerStream& stream) {
      ask(stream, {1}, {{1, 1}, {2, 1}});
      v1::PlayResponse end;
      end.mutable_game_end()->set_game(1);
      end.mutable_game_end()->set_termination("rules");
      end.mutable_game_end()->add_winners(1);
      end.mutable_game_end()->set_laps(12);
      stream.Write(end);
      return grpc::Status::OK;
    };
  }

  std::vector<int> ids() const {
    std::vector<int> found;
    for (const v1::Act& act : acts) found.push_back(static_cast<int>(act.decision_id()));
    return found;
  }

  std::chrono::seconds patience{60};
  Data data{"classic"};
  std::vector<int> asked;
  std::vector<Result> results;
  std::vector<v1::Act> acts;
  std::vector<std::string> logs;
  std::filesystem::path folder = testing::TempDir() + "arena-sdk-" + std::to_string(getpid());
};

TEST_F(Sessions, AGameIsPlayedFromJoinToItsEnd) {
  ScriptedServer server("127.0.0.1:0", {whole_game()});
  play(server);
  EXPECT_EQ(server.joins[0].token(), "secret");
  EXPECT_EQ(server.joins[0].name(), "tester");
  EXPECT_EQ(server.joins[0].connection_id(), "");
  EXPECT_EQ(ids(), (std::vector{1, 2}));
  EXPECT_EQ(logs, std::vector<std::string>{"begun"});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].termination, "rules");
  EXPECT_EQ(results[0].winners, std::vector{1});
  EXPECT_EQ(results[0].laps, 12);
}

TEST_F(Sessions, SeveralGamesShareTheStream) {
  ScriptedServer server("127.0.0.1:0", {[this](ServerStream& stream) {
                          ask(stream, {1, 2}, {{1, 2}, {2, 1}, {3, 2}});
                          return grpc::Status::OK;
                        }});
  play(server);
  EXPECT_EQ(asked, (std::vector{2, 1, 2}));
  EXPECT_EQ(ids(), (std::vector{1, 2, 3}));
}

// C12, C16: a question that is asked again gets the answer it got before, and the bot is not asked.
TEST_F(Sessions, ABrokenStreamIsResumedAndARepeatedQuestionAnsweredAlike) {
  const auto breaks = [this](ServerStream& stream) {
    ask(stream, {1}, {{1, 1}, {2, 1}});
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "cut");
  };
  const auto resumes = [this](ServerStream& stream) {
    ask(stream, {1}, {{2, 1}, {3, 1}});
    return grpc::Status::OK;
  };
  ScriptedServer server("127.0.0.1:0", {breaks, resumes});
  play(server);
  ASSERT_EQ(server.joins.size(), 2u);
  EXPECT_EQ(server.joins[1].connection_id(), "connection");
  EXPECT_EQ(server.joins[1].acknowledged(), 2u);
  EXPECT_EQ(server.joins[1].token(), "secret");
  ASSERT_EQ(ids(), (std::vector{1, 2, 2, 3}));
  EXPECT_EQ(acts[1].SerializeAsString(), acts[2].SerializeAsString());
  EXPECT_EQ(asked.size(), 3u) << "the bot is asked once for each question";
}

TEST_F(Sessions, GamesThatEndedMeanwhileEndTheBotWell) {
  const auto breaks = [this](ServerStream& stream) {
    ask(stream, {1}, {{1, 1}});
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "cut");
  };
  const auto forgotten = [](ServerStream&) { return grpc::Status(grpc::StatusCode::NOT_FOUND, "no such connection"); };
  ScriptedServer server("127.0.0.1:0", {breaks, forgotten});
  play(server);
  EXPECT_EQ(server.joins.size(), 2u);
}

// With ARENA_RETRY the bot dials again after the games have ended, and joins anew.
TEST_F(Sessions, ItDialsAgainWhileRetryLasts) {
  const auto says = [](grpc::StatusCode code) { return [code](ServerStream&) { return grpc::Status(code, "no"); }; };
  ScriptedServer server("127.0.0.1:0", {whole_game(), says(grpc::StatusCode::ALREADY_EXISTS), whole_game(),
                                        says(grpc::StatusCode::UNAUTHENTICATED)});
  setenv("ARENA_RETRY", "20", 1);
  EXPECT_THROW(play(server), CannotPlay);
  ASSERT_EQ(server.joins.size(), 4u);
  for (const v1::Join& join : server.joins) EXPECT_EQ(join.connection_id(), "");
  EXPECT_EQ(results.size(), 2u);
  EXPECT_EQ(asked.size(), 4u) << "what was answered before is forgotten";
}

TEST_F(Sessions, ARetryThatIsNoNumberIsSaid) {
  setenv("ARENA_RETRY", "soon", 1);
  EXPECT_THROW(play("127.0.0.1:1", counting()), CannotPlay);
}

TEST_F(Sessions, ARefusalIsSaidInTheServersWords) {
  const auto refuses = [](ServerStream&) { return grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "unknown token"); };
  ScriptedServer server("127.0.0.1:0", {refuses});
  EXPECT_EQ(problem("127.0.0.1:" + std::to_string(server.port)),
            "the server refuses the token in ARENA_TOKEN: unknown token");
}

TEST_F(Sessions, WhatTheBotThrowsComesThrough) {
  ScriptedServer server("127.0.0.1:0", {whole_game()});
  struct Wrong : Bot {
    Answer decide(const View&, const Legal&) override { throw std::logic_error("a mistake of the bot's"); }
  };
  const std::string address = "127.0.0.1:" + std::to_string(server.port);
  EXPECT_THROW(play(address, [](Game&) { return std::make_unique<Wrong>(); }), std::logic_error);
}

TEST_F(Sessions, NobodyAtTheAddressIsSaid) {
  patience = std::chrono::seconds(2);
  const std::string address = "unix:" + folder.string() + ".nobody";
  EXPECT_EQ(problem(address),
            "no server answers at " + address + " within 2 s: is it running, and is ARENA_ADDRESS right?");
}

TEST_F(Sessions, AnAddressThatIsNoneIsSaid) {
  for (const std::string address : {"foo", ":50051", "foo:", "foo:port", "foo:0", "foo:70000"}) {
    EXPECT_EQ(problem(address), "ARENA_ADDRESS: " + address + " is neither host:port nor unix:/path");
  }
}

TEST_F(Sessions, AMissingAddressEndsWithCodeOne) {
  EXPECT_EQ(arena::play("tester", "1", counting()), 1);
}

TEST_F(Sessions, AUnixSocketIsAnAddress) {
  const std::string address = "unix:" + folder.string() + ".sock";
  ScriptedServer server(address, {whole_game()});
  play(address, counting());
  EXPECT_EQ(results.size(), 1u);
}

TEST_F(Sessions, ACertificateIsTrustedWhereItIsNamed) {
  std::filesystem::create_directories(folder);
  const std::string certificate = folder / "cert.pem", key = folder / "cert.pem.key";
  const auto make = [&](const std::string& out) {
    return std::string(OPENSSL) + " req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2" +
           " -subj /CN=localhost -addext subjectAltName=DNS:localhost -out " + out + " -keyout " + out + ".key" +
           " 2>/dev/null";
  };
  ASSERT_EQ(std::system(make(certificate).c_str()), 0);
  const auto text = [](const std::string& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  grpc::SslServerCredentialsOptions options;
  options.pem_key_cert_pairs.push_back({text(key), text(certificate)});
  ScriptedServer server("localhost:0", {whole_game()}, grpc::SslServerCredentials(options));
  const std::string address = "localhost:" + std::to_string(server.port);
  setenv("ARENA_CA", certificate.c_str(), 1);
  play(address, counting());
  EXPECT_EQ(results.size(), 1u);
  unsetenv("ARENA_CA");
  EXPECT_EQ(problem(address), "the server at " + address + " speaks TLS: set ARENA_CA to the path of its ca.pem");
  const std::string none = folder / "none.pem", other = folder / "other.pem";
  const std::string unreadable = "ARENA_CA: no certificate can be read from ", name = "): name the server's ca.pem";
  setenv("ARENA_CA", none.c_str(), 1);
  EXPECT_EQ(problem(address), unreadable + none + " (no such file" + name);
  setenv("ARENA_CA", key.c_str(), 1);
  EXPECT_EQ(problem(address), unreadable + key + " (it is no PEM file" + name);
  ASSERT_EQ(std::system(make(other).c_str()), 0);
  setenv("ARENA_CA", other.c_str(), 1);
  EXPECT_EQ(problem(address), "the server at " + address + " has a certificate that ARENA_CA (" + other +
                                  ") does not vouch for: set it to the path of the server's ca.pem");
  ScriptedServer open("localhost:0", {});
  const std::string plain = "localhost:" + std::to_string(open.port);
  EXPECT_EQ(problem(plain), "the server at " + plain + " does not speak TLS: unset ARENA_CA");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace arena
