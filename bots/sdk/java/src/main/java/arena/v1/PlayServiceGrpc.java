package arena.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Connects bots to the referee.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class PlayServiceGrpc {

  private PlayServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "arena.v1.PlayService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<arena.v1.Play.PlayRequest,
      arena.v1.Play.PlayResponse> getPlayMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Play",
      requestType = arena.v1.Play.PlayRequest.class,
      responseType = arena.v1.Play.PlayResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<arena.v1.Play.PlayRequest,
      arena.v1.Play.PlayResponse> getPlayMethod() {
    io.grpc.MethodDescriptor<arena.v1.Play.PlayRequest, arena.v1.Play.PlayResponse> getPlayMethod;
    if ((getPlayMethod = PlayServiceGrpc.getPlayMethod) == null) {
      synchronized (PlayServiceGrpc.class) {
        if ((getPlayMethod = PlayServiceGrpc.getPlayMethod) == null) {
          PlayServiceGrpc.getPlayMethod = getPlayMethod =
              io.grpc.MethodDescriptor.<arena.v1.Play.PlayRequest, arena.v1.Play.PlayResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Play"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.lite.ProtoLiteUtils.marshaller(
                  arena.v1.Play.PlayRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.lite.ProtoLiteUtils.marshaller(
                  arena.v1.Play.PlayResponse.getDefaultInstance()))
              .build();
        }
      }
    }
    return getPlayMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static PlayServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PlayServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PlayServiceStub>() {
        @java.lang.Override
        public PlayServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PlayServiceStub(channel, callOptions);
        }
      };
    return PlayServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static PlayServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PlayServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PlayServiceBlockingV2Stub>() {
        @java.lang.Override
        public PlayServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PlayServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return PlayServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static PlayServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PlayServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PlayServiceBlockingStub>() {
        @java.lang.Override
        public PlayServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PlayServiceBlockingStub(channel, callOptions);
        }
      };
    return PlayServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static PlayServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PlayServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PlayServiceFutureStub>() {
        @java.lang.Override
        public PlayServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PlayServiceFutureStub(channel, callOptions);
        }
      };
    return PlayServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Connects bots to the referee.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Carries questions to a bot and its answers back. The bot speaks first, with Join. The stream ends when the
     * server has no more games for the bot, or with a status: UNAUTHENTICATED for an unknown token,
     * ALREADY_EXISTS while the token's process is connected, INVALID_ARGUMENT for a stream without Join,
     * RESOURCE_EXHAUSTED after a flood.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<arena.v1.Play.PlayRequest> play(
        io.grpc.stub.StreamObserver<arena.v1.Play.PlayResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getPlayMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service PlayService.
   * <pre>
   * Connects bots to the referee.
   * </pre>
   */
  public static abstract class PlayServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return PlayServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service PlayService.
   * <pre>
   * Connects bots to the referee.
   * </pre>
   */
  public static final class PlayServiceStub
      extends io.grpc.stub.AbstractAsyncStub<PlayServiceStub> {
    private PlayServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PlayServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PlayServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Carries questions to a bot and its answers back. The bot speaks first, with Join. The stream ends when the
     * server has no more games for the bot, or with a status: UNAUTHENTICATED for an unknown token,
     * ALREADY_EXISTS while the token's process is connected, INVALID_ARGUMENT for a stream without Join,
     * RESOURCE_EXHAUSTED after a flood.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<arena.v1.Play.PlayRequest> play(
        io.grpc.stub.StreamObserver<arena.v1.Play.PlayResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getPlayMethod(), getCallOptions()), responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service PlayService.
   * <pre>
   * Connects bots to the referee.
   * </pre>
   */
  public static final class PlayServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<PlayServiceBlockingV2Stub> {
    private PlayServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PlayServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PlayServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Carries questions to a bot and its answers back. The bot speaks first, with Join. The stream ends when the
     * server has no more games for the bot, or with a status: UNAUTHENTICATED for an unknown token,
     * ALREADY_EXISTS while the token's process is connected, INVALID_ARGUMENT for a stream without Join,
     * RESOURCE_EXHAUSTED after a flood.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<arena.v1.Play.PlayRequest, arena.v1.Play.PlayResponse>
        play() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getPlayMethod(), getCallOptions());
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service PlayService.
   * <pre>
   * Connects bots to the referee.
   * </pre>
   */
  public static final class PlayServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<PlayServiceBlockingStub> {
    private PlayServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PlayServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PlayServiceBlockingStub(channel, callOptions);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service PlayService.
   * <pre>
   * Connects bots to the referee.
   * </pre>
   */
  public static final class PlayServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<PlayServiceFutureStub> {
    private PlayServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PlayServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PlayServiceFutureStub(channel, callOptions);
    }
  }

  private static final int METHODID_PLAY = 0;

  private static final class MethodHandlers<Req, Resp> implements
      io.grpc.stub.ServerCalls.UnaryMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ServerStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ClientStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.BidiStreamingMethod<Req, Resp> {
    private final AsyncService serviceImpl;
    private final int methodId;

    MethodHandlers(AsyncService serviceImpl, int methodId) {
      this.serviceImpl = serviceImpl;
      this.methodId = methodId;
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public void invoke(Req request, io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        default:
          throw new AssertionError();
      }
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public io.grpc.stub.StreamObserver<Req> invoke(
        io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        case METHODID_PLAY:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.play(
              (io.grpc.stub.StreamObserver<arena.v1.Play.PlayResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getPlayMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              arena.v1.Play.PlayRequest,
              arena.v1.Play.PlayResponse>(
                service, METHODID_PLAY)))
        .build();
  }

  private static volatile io.grpc.ServiceDescriptor serviceDescriptor;

  public static io.grpc.ServiceDescriptor getServiceDescriptor() {
    io.grpc.ServiceDescriptor result = serviceDescriptor;
    if (result == null) {
      synchronized (PlayServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .addMethod(getPlayMethod())
              .build();
        }
      }
    }
    return result;
  }
}
