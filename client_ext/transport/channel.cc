#include "client_ext/transport/channel.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/strings.h"
#include "client_ext/transport/grpc_status.h"

namespace framegate::client {

namespace {

constexpr int32_t kWindow = 16 << 20;  // a whole reply without a stall
constexpr size_t kReadBuffer = 64 << 10;
constexpr size_t kWriteChunk = 256 << 10;  // frames are gathered up to this before they are written
constexpr size_t kMostGrpcMessage = 8 << 10;

nghttp2_nv Header(std::string_view name, std::string_view value) {
  auto bytes = [](std::string_view text) { return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data())); };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

// What libnghttp2 calls while it parses input and makes output; `data` is the channel.
struct Http2Callbacks {
  static Call* CallOf(void* data, int32_t stream) {
    Call* call = static_cast<Channel*>(data)->call_;
    return call && call->stream_ == stream ? call : nullptr;
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size, const uint8_t* value,
                      size_t value_size, uint8_t, void* data) {
    Call* call = CallOf(data, frame->hd.stream_id);
    if (!call)
      return 0;
    std::string_view key(reinterpret_cast<const char*>(name), name_size);
    std::string_view text(reinterpret_cast<const char*>(value), std::min(value_size, kMostGrpcMessage));
    if (key == ":status")
      call->http_status_ = text;
    else if (key == "grpc-status")
      call->grpc_status_ = text;
    else if (key == "grpc-message")
      call->grpc_message_ = text;
    return 0;
  }

  static int OnData(nghttp2_session* session, uint8_t, int32_t stream, const uint8_t* bytes, size_t size, void* data) {
    Call* call = CallOf(data, stream);
    if (!call || !call->failed_.ok())
      return 0;
    call->failed_ = call->reader_.Feed({reinterpret_cast<const char*>(bytes), size});
    if (!call->failed_.ok())
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* data) {
    if (frame->hd.type == NGHTTP2_GOAWAY)
      static_cast<Channel*>(data)->going_away_ = true;
    Call* call = CallOf(data, frame->hd.stream_id);
    bool may_end = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (call && may_end && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
      call->ended_ = true;
    return 0;
  }

  static int OnClose(nghttp2_session*, int32_t stream, uint32_t error, void* data) {
    if (Call* call = CallOf(data, stream)) {
      if (!call->ended_)
        call->reset_ = error;
      call->ended_ = call->closed_ = true;
    }
    return 0;
  }

  static ssize_t ReadOutbox(nghttp2_session*, int32_t stream, uint8_t* buffer, size_t size, uint32_t* flags, nghttp2_data_source*,
                            void* data) {
    Call* call = CallOf(data, stream);
    if (!call)
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    size_t part = std::min(size, call->outbox_.size() - call->outbox_at_);
    std::memcpy(buffer, call->outbox_.data() + call->outbox_at_, part);
    call->outbox_at_ += part;
    if (call->outbox_at_ == call->outbox_.size()) {
      call->outbox_.clear();
      call->outbox_at_ = 0;
      if (call->last_queued_)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
      else if (part == 0)
        return NGHTTP2_ERR_DEFERRED;
    }
    return static_cast<ssize_t>(part);
  }

  // One table for all sessions of the process.
  static const nghttp2_session_callbacks* Table() {
    static const nghttp2_session_callbacks* table = [] {
      nghttp2_session_callbacks* made = nullptr;
      if (nghttp2_session_callbacks_new(&made) != 0)
        return static_cast<nghttp2_session_callbacks*>(nullptr);
      nghttp2_session_callbacks_set_on_header_callback(made, OnHeader);
      nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, OnData);
      nghttp2_session_callbacks_set_on_frame_recv_callback(made, OnFrame);
      nghttp2_session_callbacks_set_on_stream_close_callback(made, OnClose);
      return made;
    }();
    return table;
  }
};

Channel::Channel(Socket socket, const Limits& limits)
    : socket_(std::move(socket)), limits_(limits), in_(kReadBuffer), moved_(Clock::now()) {}

Channel::~Channel() {
  nghttp2_session_del(session_);
}

absl::StatusOr<std::unique_ptr<Channel>> Channel::Connect(const std::string& path, const Limits& limits, const Patience& patience) {
  ASSIGN_OR_RETURN(Socket socket, Socket::Connect(path, patience));
  std::unique_ptr<Channel> channel(new Channel(std::move(socket), limits));
  RETURN_IF_ERROR(channel->Begin());
  return channel;
}

absl::Status Channel::Begin() {
  const nghttp2_session_callbacks* table = Http2Callbacks::Table();
  if (!table || nghttp2_session_client_new(&session_, table, this) != 0)
    return absl::ResourceExhaustedError("no memory for a connection");
  nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kWindow}};
  if (nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings)) != 0 ||
      nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kWindow) != 0)
    return absl::InternalError("HTTP/2 settings");
  return absl::OkStatus();
}

absl::StatusOr<size_t> Channel::WriteSome() {
  size_t moved = 0;
  while (true) {
    while (out_.size() < kWriteChunk) {
      const uint8_t* bytes = nullptr;
      ssize_t size = nghttp2_session_mem_send(session_, &bytes);
      if (size < 0)
        return absl::InternalError(nghttp2_strerror(static_cast<int>(size)));
      if (size == 0)
        break;
      out_.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
    }
    if (out_.empty())
      return moved;
    ASSIGN_OR_RETURN(size_t put, socket_.Write(std::string_view(out_).substr(out_at_)));
    moved += put;
    out_at_ += put;
    if (out_at_ < out_.size())
      return moved;
    out_.clear();
    out_at_ = 0;
  }
}

absl::StatusOr<size_t> Channel::ReadSome() {
  size_t moved = 0;
  size_t got = in_.size();
  while (got == in_.size()) {  // a shorter read has emptied the socket
    ASSIGN_OR_RETURN(got, socket_.Read(in_.data(), in_.size()));
    moved += got;
    ssize_t taken = nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(in_.data()), got);
    if (taken < 0)
      return absl::InternalError(StrCat("malformed HTTP/2: ", nghttp2_strerror(static_cast<int>(taken))));
  }
  if (nghttp2_session_want_read(session_) || (call_ && call_->ended_))
    return moved;
  if (!going_away_)
    return absl::InternalError("malformed HTTP/2: the peer breaks the protocol");
  return absl::UnavailableError("the daemon ends the connection");
}

absl::StatusOr<size_t> Channel::Exchange() {
  if (!owned_by_this_process())
    lost_ = absl::UnavailableError("the connection belongs to the parent process");
  if (!lost_.ok())
    return lost_;
  absl::StatusOr<size_t> written = WriteSome();
  absl::StatusOr<size_t> read = written.ok() || absl::IsUnavailable(written.status()) ? ReadSome() : written;
  // A peer that refuses closes for writing first: what it said before is read and told.
  if (!read.ok() || !written.ok())
    return lost_ = read.ok() ? written.status() : read.status();
  size_t moved = *written + *read;
  if (moved > 0)
    moved_ = Clock::now();
  return moved;
}

absl::Status Channel::Turn(const Patience& patience) {
  ASSIGN_OR_RETURN(size_t moved, Exchange());
  if (moved > 0)
    return absl::OkStatus();
  return socket_.Wait(!out_.empty(), moved_, patience);
}

bool Channel::Usable() {
  if (!Exchange().ok())
    return false;
  return !going_away_ && nghttp2_session_check_request_allowed(session_) != 0;
}

absl::StatusOr<std::string> Channel::Unary(std::string_view method, std::string_view request, std::chrono::milliseconds timeout,
                                           const Patience& patience) {
  Call call(this, method, timeout);
  RETURN_IF_ERROR(call.Send(request, true));
  ASSIGN_OR_RETURN(std::optional<std::string> reply, call.Receive(patience));
  if (!reply)
    return absl::InternalError(StrCat(method, ": no reply"));
  ASSIGN_OR_RETURN(std::optional<std::string> more, call.Receive(patience));
  if (more)
    return absl::InternalError(StrCat(method, ": more than one reply"));
  return *std::move(reply);
}

Call::Call(Channel* channel, std::string_view method, std::optional<std::chrono::milliseconds> timeout)
    : channel_(channel), reader_(channel->limits_.reply) {
  channel_->call_ = this;
  if (channel_->owned_by_this_process() && channel_->lost_.ok())
    Open(method, timeout);
}

void Call::Open(std::string_view method, std::optional<std::chrono::milliseconds> timeout) {
  std::string limit = timeout ? TimeoutText(*timeout) : std::string();
  std::vector<nghttp2_nv> headers = {Header(":method", "POST"),        Header(":scheme", "http"),
                                     Header(":path", method),          Header(":authority", "localhost"),
                                     Header("te", "trailers"),         Header("content-type", "application/grpc"),
                                     Header("user-agent", "framegate")};
  if (timeout)
    headers.push_back(Header("grpc-timeout", limit));
  nghttp2_data_provider source{.source = {}, .read_callback = Http2Callbacks::ReadOutbox};
  stream_ = nghttp2_submit_request(channel_->session_, nullptr, headers.data(), headers.size(), &source, nullptr);
  if (stream_ < 0)
    failed_ = absl::InternalError(nghttp2_strerror(stream_));
}

Call::~Call() {
  if (stream_ > 0 && !closed_ && channel_->owned_by_this_process() && channel_->lost_.ok()) {
    nghttp2_submit_rst_stream(channel_->session_, NGHTTP2_FLAG_NONE, stream_, NGHTTP2_CANCEL);
    channel_->Exchange().status().IgnoreError();
  }
  channel_->call_ = nullptr;
}

absl::Status Call::Send(std::string_view message, bool last) {
  if (message.size() > channel_->limits_.request)
    return absl::ResourceExhaustedError(StrCat("a message of ", message.size(), " bytes, at most ", channel_->limits_.request));
  if (stream_ < 0 || ended_)
    return absl::OkStatus();  // Receive tells why
  outbox_.append(MessagePrefix(message.size())).append(message);
  last_queued_ = last;
  nghttp2_session_resume_data(channel_->session_, stream_);  // an error only says that it was not deferred
  channel_->Exchange().status().IgnoreError();
  return absl::OkStatus();
}

absl::Status Call::EndStatus() const {
  if (grpc_status_.empty())
    return StatusOfReset(reset_, http_status_);
  RETURN_IF_ERROR(StatusOfTrailers(grpc_status_, grpc_message_));
  if (!reader_.between_messages())
    return absl::InternalError("the call ended in the middle of a message");
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::string>> Call::Receive(const Patience& patience) {
  channel_->moved_ = Clock::now();
  while (true) {
    if (std::optional<std::string> message = reader_.Take())
      return message;
    if (!failed_.ok())
      return failed_;
    if (ended_) {
      RETURN_IF_ERROR(EndStatus());
      return std::nullopt;
    }
    absl::Status turned = channel_->Turn(patience);
    // What came before a loss is still told: the loop goes on as long as there is any of it.
    bool something_to_tell = !channel_->lost_.ok() && (reader_.has_whole() || ended_ || !failed_.ok());
    if (!turned.ok() && !something_to_tell)
      return turned;
  }
}

}  // namespace framegate::client
