package arena.sdk;

import arena.v1.Play.Act;
import arena.v1.Play.Join;
import arena.v1.Play.PlayRequest;
import arena.v1.Play.PlayResponse;
import arena.v1.PlayServiceGrpc;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/** A real gRPC server that plays its part of a stream by a script: one script a stream, in order. */
final class ScriptedServer implements AutoCloseable {

    /** One stream, from the server's side. */
    interface Script {
        void handle(PlayRequest request, StreamObserver<PlayResponse> responses);
    }

    final List<Join> joins = new ArrayList<>();
    final List<Act> acts = new ArrayList<>();
    final List<String> logs = new ArrayList<>();
    private final Queue<Script> scripts;
    private final Server server;

    ScriptedServer(ServerBuilder<?> builder, Script... scripts) throws IOException {
        this.scripts = new ArrayDeque<>(List.of(scripts));
        server = builder.addService(new Service()).build().start();
    }

    int port() {
        return server.getPort();
    }

    @Override
    public void close() throws InterruptedException {
        server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }

    private final class Service extends PlayServiceGrpc.PlayServiceImplBase {
        @Override
        public StreamObserver<PlayRequest> play(StreamObserver<PlayResponse> responses) {
            Script script = scripts.remove();
            return new StreamObserver<>() {
                @Override
                public void onNext(PlayRequest request) {
                    record(request);
                    script.handle(request, responses);
                }

                @Override
                public void onError(Throwable error) {} // the bot went away

                @Override
                public void onCompleted() {}
            };
        }
    }

    private synchronized void record(PlayRequest request) {
        switch (request.getContentCase()) {
            case JOIN -> joins.add(request.getJoin());
            case ACTS -> acts.addAll(request.getActs().getActsList());
            case LOG -> logs.add(request.getLog().getText());
            default -> throw new IllegalStateException("an empty request");
        }
    }
}
