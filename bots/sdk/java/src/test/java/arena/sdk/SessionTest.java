package arena.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import arena.v1.Play.Act;
import arena.v1.Play.Decide;
import arena.v1.Play.DecideBatch;
import arena.v1.Play.GameEnd;
import arena.v1.Play.Join;
import arena.v1.Play.PlayResponse;
import arena.v1.Play.Welcome;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerBuilder;
import io.grpc.ServerCredentials;
import io.grpc.Status;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions with a real gRPC server whose part is scripted. */
@Timeout(600)
class SessionTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final TestData DATA = TestData.of("classic");

    private final List<Integer> asked = new ArrayList<>();
    private final List<Result> results = new ArrayList<>();

    @Test
    void aGameIsPlayedFromJoinToItsEnd() throws Exception {
        try (ScriptedServer server = new ScriptedServer(tcp(), wholeGame())) {
            play(server, this::counting);
            assertEquals("secret", server.joins.get(0).getToken());
            assertEquals("tester", server.joins.get(0).getName());
            assertEquals(DATA.decides().getDecidesCount(), server.acts.size());
            assertEquals(List.of("begun"), server.logs);
            assertEquals(List.of(new Result("rules", List.of(1), List.of(0.0, 1.0, 0.0), 12, List.of())), results);
        }
    }

    @Test
    void severalGamesShareTheStream() throws Exception {
        ScriptedServer.Script script = asks(
                StreamObserver::onCompleted,
                start(1),
                start(2),
                questions(question(1, 2), question(2, 1), question(3, 2)));
        try (ScriptedServer server = new ScriptedServer(tcp(), script)) {
            List<Integer> games = new ArrayList<>();
            play(server, game -> (view, legal) -> {
                games.add(view.game().number());
                return legal.get(0).first();
            });
            assertEquals(List.of(2, 1, 2), games);
            assertEquals(List.of(1, 2, 3), server.acts.stream().map(Act::getDecisionId).toList());
        }
    }

    /** C12, C16: a question that is asked again gets the answer it got before, and the bot is not asked. */
    @Test
    void aBrokenStreamIsResumedAndARepeatedQuestionAnsweredAlike() throws Exception {
        ScriptedServer.Script breaks =
                asks(SessionTest::cut, start(1), questions(question(1, 1), question(2, 1)));
        ScriptedServer.Script resumes =
                asks(StreamObserver::onCompleted, start(1), questions(question(2, 1), question(3, 1)));
        try (ScriptedServer server = new ScriptedServer(tcp(), breaks, resumes)) {
            play(server, this::counting);
            assertEquals("", server.joins.get(0).getConnectionId());
            assertEquals("connection", server.joins.get(1).getConnectionId());
            assertEquals(2, server.joins.get(1).getAcknowledged());
            assertEquals("secret", server.joins.get(1).getToken());
            assertEquals(List.of(1, 2, 2, 3), server.acts.stream().map(Act::getDecisionId).toList());
            assertEquals(server.acts.get(1), server.acts.get(2));
            assertEquals(3, asked.size(), "the bot is asked once for each question, in the game it began with");
        }
    }

    @Test
    void gamesThatEndedMeanwhileEndTheBotWell() throws Exception {
        ScriptedServer.Script breaks = asks(SessionTest::cut, start(1), questions(question(1, 1)));
        ScriptedServer.Script forgotten =
                (request, responses) -> responses.onError(Status.NOT_FOUND.asRuntimeException());
        try (ScriptedServer server = new ScriptedServer(tcp(), breaks, forgotten)) {
            play(server, this::counting);
            assertEquals(2, server.joins.size());
        }
    }

    /** With ARENA_RETRY the bot dials again after the games have ended, and joins anew. */
    @Test
    void itDialsAgainWhileRetryLasts() throws Exception {
        ScriptedServer.Script connected = (request, responses) ->
                responses.onError(Status.ALREADY_EXISTS.withDescription("connected already").asRuntimeException());
        ScriptedServer.Script unknown = (request, responses) ->
                responses.onError(Status.UNAUTHENTICATED.withDescription("unknown token").asRuntimeException());
        try (ScriptedServer server =
                new ScriptedServer(tcp(), wholeGame(), connected, wholeGame(), unknown)) {
            Map<String, String> environment =
                    Map.of("ARENA_ADDRESS", "127.0.0.1:" + server.port(), "ARENA_RETRY", "20");
            ArenaException error = assertThrows(
                    ArenaException.class, () -> Arena.play("tester", "1", this::counting, environment, SOON));
            assertTrue(error.getMessage().contains("unknown token"), error.getMessage());
            assertEquals(List.of("", "", "", ""), server.joins.stream().map(Join::getConnectionId).toList());
            assertEquals(2, results.size());
            assertEquals(2 * DATA.decides().getDecidesCount(), asked.size(), "what was answered before is forgotten");
        }
    }

    @Test
    void aRetryThatIsNoNumberIsSaid() {
        Map<String, String> environment = Map.of("ARENA_ADDRESS", "127.0.0.1:1", "ARENA_RETRY", "soon");
        ArenaException error = assertThrows(
                ArenaException.class, () -> Arena.play("tester", "1", this::counting, environment, SOON));
        assertTrue(error.getMessage().contains("ARENA_RETRY"), error.getMessage());
    }

    @Test
    void aRefusalIsSaidInTheServersWords() throws Exception {
        ScriptedServer.Script refuses = (request, responses) ->
                responses.onError(Status.UNAUTHENTICATED.withDescription("unknown token").asRuntimeException());
        try (ScriptedServer server = new ScriptedServer(tcp(), refuses)) {
            ArenaException error = assertThrows(ArenaException.class, () -> play(server, this::counting));
            assertEquals("the server refuses the token in ARENA_TOKEN: unknown token", error.getMessage());
        }
    }

    @Test
    void whatTheBotThrowsComesThrough() throws Exception {
        try (ScriptedServer server = new ScriptedServer(tcp(), wholeGame())) {
            Bot.Factory factory = game -> (view, legal) -> {
                throw new IllegalStateException("a mistake of the bot's");
            };
            assertThrows(IllegalStateException.class, () -> play(server, factory));
        }
    }

    @Test
    void nobodyAtTheAddressIsSaid() throws Exception {
        int port;
        try (ScriptedServer server = new ScriptedServer(tcp())) {
            port = server.port();
        }
        ArenaException error = assertThrows(
                ArenaException.class,
                () -> Arena.play(
                        "tester",
                        "1",
                        this::counting,
                        Map.of("ARENA_ADDRESS", "127.0.0.1:" + port),
                        Duration.ofSeconds(1)));
        assertTrue(error.getMessage().contains("no server answers at 127.0.0.1:" + port), error.getMessage());
    }

    @Test
    void aMissingAddressIsSaid() {
        ArenaException error =
                assertThrows(ArenaException.class, () -> Arena.play("tester", "1", this::counting, Map.of(), SOON));
        assertTrue(error.getMessage().contains("ARENA_ADDRESS"), error.getMessage());
    }

    @Test
    void aUnixSocketIsAnAddress(@TempDir Path folder) throws Exception {
        Path socket = folder.resolve("s");
        EpollEventLoopGroup group = new EpollEventLoopGroup(1);
        ServerBuilder<?> builder = NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .channelType(EpollServerDomainSocketChannel.class)
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group);
        try (ScriptedServer server = new ScriptedServer(builder, wholeGame())) {
            Arena.play("tester", "1", this::counting, Map.of("ARENA_ADDRESS", "unix:" + socket), SOON);
            assertEquals(1, results.size());
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    @Test
    void aCertificateIsTrustedWhereItIsNamed(@TempDir Path folder) throws Exception {
        File[] pair = certificate(folder);
        ServerCredentials credentials = TlsServerCredentials.create(pair[0], pair[1]);
        try (ScriptedServer server =
                new ScriptedServer(Grpc.newServerBuilderForPort(0, credentials), wholeGame())) {
            String address = "localhost:" + server.port();
            Map<String, String> trusting = Map.of("ARENA_ADDRESS", address, "ARENA_CA", pair[0].getPath());
            Arena.play("tester", "1", this::counting, trusting, SOON);
            assertEquals(1, results.size());
            assertEquals(
                    "the server at " + address + " speaks TLS: set ARENA_CA to the path of its ca.pem",
                    problem(Map.of("ARENA_ADDRESS", address)));
            String other = certificate(Files.createDirectory(folder.resolve("other")))[0].getPath();
            String mistrusted = problem(Map.of("ARENA_ADDRESS", address, "ARENA_CA", other));
            assertTrue(mistrusted.contains("certificate that ARENA_CA (" + other + ") does not vouch for"), mistrusted);
            String none = problem(Map.of("ARENA_ADDRESS", address, "ARENA_CA", "/nowhere/ca.pem"));
            assertTrue(none.startsWith("ARENA_CA: no certificate can be read from /nowhere/ca.pem ("), none);
            String key = problem(Map.of("ARENA_ADDRESS", address, "ARENA_CA", pair[1].getPath()));
            assertTrue(key.contains(pair[1] + " (it is no PEM file): name the server's ca.pem"), key);
        }
        try (ScriptedServer server = new ScriptedServer(tcp())) {
            String address = "localhost:" + server.port();
            assertEquals(
                    "the server at " + address + " does not speak TLS: unset ARENA_CA",
                    problem(Map.of("ARENA_ADDRESS", address, "ARENA_CA", pair[0].getPath())));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"foo", ":50051", "foo:", "foo:port", "foo:0", "foo:70000"})
    void anAddressThatIsNoneIsSaid(String address) {
        assertEquals(
                "ARENA_ADDRESS: " + address + " is neither host:port nor unix:/path",
                problem(Map.of("ARENA_ADDRESS", address)));
    }

    /** Why it cannot play with these variables. */
    private String problem(Map<String, String> environment) {
        ArenaException error = assertThrows(
                ArenaException.class, () -> Arena.play("tester", "1", this::counting, environment, SOON));
        return error.getMessage();
    }

    private static ServerBuilder<?> tcp() {
        return Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create());
    }

    private void play(ScriptedServer server, Bot.Factory factory) throws InterruptedException {
        String address = "127.0.0.1:" + server.port();
        Arena.play("tester", "1", factory, Map.of("ARENA_ADDRESS", address, "ARENA_TOKEN", "secret"), SOON);
    }

    /** A bot that counts how often it is asked, and answers differently each time. */
    private Bot counting(Game game) {
        game.log("begun");
        return new Bot() {
            @Override
            public Answer decide(View view, Legal legal) {
                asked.add(game.number());
                return legal.get(asked.size() % legal.size()).last();
            }

            @Override
            public void over(Result result) {
                results.add(result);
            }
        };
    }

    private static ScriptedServer.Script wholeGame() {
        GameEnd end = GameEnd.newBuilder()
                .setGame(DATA.start().getGame())
                .setTermination("rules")
                .addWinners(1)
                .addAllScores(List.of(0.0, 1.0, 0.0))
                .setLaps(12)
                .build();
        return asks(
                responses -> {
                    responses.onNext(PlayResponse.newBuilder().setGameEnd(end).build());
                    responses.onCompleted();
                },
                start(DATA.start().getGame()),
                PlayResponse.newBuilder().setDecides(DATA.decides()).build());
    }

    /** Welcomes the bot and sends messages; does the rest when all questions among them are answered. */
    private static ScriptedServer.Script asks(Consumer<StreamObserver<PlayResponse>> then, PlayResponse... messages) {
        AtomicInteger open = new AtomicInteger(
                Stream.of(messages).mapToInt(message -> message.getDecides().getDecidesCount()).sum());
        return (request, responses) -> {
            if (request.hasJoin()) {
                responses.onNext(welcome());
                Stream.of(messages).forEach(responses::onNext);
            } else if (request.hasActs() && open.addAndGet(-request.getActs().getActsCount()) == 0) {
                then.accept(responses);
            }
        };
    }

    private static void cut(StreamObserver<PlayResponse> responses) {
        responses.onError(Status.UNAVAILABLE.asRuntimeException());
    }

    private static PlayResponse welcome() {
        return PlayResponse.newBuilder()
                .setWelcome(Welcome.newBuilder().setConnectionId("connection").setResumeMs(5000))
                .build();
    }

    private static PlayResponse start(int game) {
        return PlayResponse.newBuilder()
                .setGameStart(DATA.start().toBuilder().setGame(game))
                .build();
    }

    private static Decide question(int id, int game) {
        return DATA.decides().getDecides(id).toBuilder().setDecisionId(id).setGame(game).build();
    }

    private static PlayResponse questions(Decide... questions) {
        return PlayResponse.newBuilder()
                .setDecides(DecideBatch.newBuilder().addAllDecides(List.of(questions)))
                .build();
    }

    /** A certificate for localhost and its key, as PEM files; keytool of the JDK makes them. */
    private static File[] certificate(Path folder) throws Exception {
        Path store = folder.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                        "-genkeypair", "-alias", "arena", "-keyalg", "EC", "-dname", "CN=localhost",
                        "-ext", "san=dns:localhost", "-validity", "2", "-storetype", "PKCS12",
                        "-keystore", store.toString(), "-storepass", "changeit")
                .redirectErrorStream(true)
                .start();
        assertEquals(0, keytool.waitFor(), new String(keytool.getInputStream().readAllBytes()));
        KeyStore keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
        byte[] certificate = keys.getCertificate("arena").getEncoded();
        byte[] key = keys.getKey("arena", "changeit".toCharArray()).getEncoded();
        return new File[] {
            pem(folder.resolve("cert.pem"), "CERTIFICATE", certificate),
            pem(folder.resolve("key.pem"), "PRIVATE KEY", key)
        };
    }

    private static File pem(Path path, String label, byte[] encoded) throws Exception {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
        Files.writeString(path, "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n");
        return path.toFile();
    }
}
