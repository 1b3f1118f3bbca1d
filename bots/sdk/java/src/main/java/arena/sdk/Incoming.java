package arena.sdk;

import arena.v1.Play.PlayResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/** The incoming side of one stream: its messages are handled one by one in the thread that waits for its end. */
final class Incoming implements StreamObserver<PlayResponse> {
    private record Item(PlayResponse message, Status end) {}

    private final BlockingQueue<Item> items = new LinkedBlockingQueue<>();
    private final Consumer<PlayResponse> handler;

    Incoming(Consumer<PlayResponse> handler) {
        this.handler = handler;
    }

    /** Handle messages until the stream ends; its status. What a bot throws comes through. */
    Status awaitEnd() throws InterruptedException {
        while (true) {
            Item item = items.take();
            if (item.message == null) {
                return item.end;
            }
            handler.accept(item.message);
        }
    }

    @Override
    public void onNext(PlayResponse message) {
        items.add(new Item(message, null));
    }

    @Override
    public void onError(Throwable error) {
        items.add(new Item(null, Status.fromThrowable(error)));
    }

    @Override
    public void onCompleted() {
        items.add(new Item(null, Status.OK));
    }
}
