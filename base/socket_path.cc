#include "base/socket_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strings.h"

namespace framegate {
namespace {

std::string DirectoryOf(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool IsOurs(const char* directory) {
  struct stat info;
  return lstat(directory, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 077) == 0;
}

std::string DefaultDirectory() {
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/' && IsOurs(runtime))
    return StrCat(runtime, "/framegate");
  // Never TMPDIR: it may be deep, and another process of the same user may have another.
  return StrCat("/tmp/framegate-", geteuid());
}

absl::StatusOr<std::string> Absolute(std::string path) {
  if (path[0] != '/') {
    char here[4096];
    if (getcwd(here, sizeof here) == nullptr)
      return absl::InvalidArgumentError(
          StrCat("FRAMEGATE_SOCKET=", path, " is relative, and the working directory is gone; give an absolute path"));
    path = StrCat(here, "/", path);
  }
  if (path.size() > kMaxSocketPath)
    return absl::InvalidArgumentError(StrCat("the socket path ", path, " has ", path.size(), " bytes; at most ", kMaxSocketPath,
                                             " fit. Set FRAMEGATE_SOCKET to a shorter one"));
  return path;
}

}  // namespace

absl::StatusOr<std::string> SocketPath(const Hash128& schema) {
  if (const char* given = getenv("FRAMEGATE_SOCKET"); given != nullptr && given[0] != '\0')
    return Absolute(given);
  return Absolute(StrCat(DefaultDirectory(), "/", std::string_view(schema.Hex()).substr(0, 16), ".sock"));
}

absl::Status PrepareSocketDirectory(const std::string& socket_path) {
  std::string directory = DirectoryOf(socket_path);
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return absl::UnavailableError(StrCat("cannot make the socket's directory ", directory, ": ", strerror(errno)));
  // Looked at by descriptor and without following a link, so that what is checked is what is used.
  int fd = open(directory.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0) {
    absl::Status status = absl::FailedPreconditionError(StrCat(
        "the socket's directory ", directory, " is not a plain directory: ", strerror(errno), ". Set FRAMEGATE_SOCKET to another place"));
    if (fd >= 0)
      close(fd);
    return status;
  }
  close(fd);
  if (info.st_uid != geteuid() && info.st_uid != 0)
    return absl::FailedPreconditionError(
        StrCat("the socket's directory ", directory, " belongs to user ", info.st_uid, ". Set FRAMEGATE_SOCKET to a place of your own"));
  if ((info.st_mode & 022) != 0)
    return absl::FailedPreconditionError(StrCat("others may write the socket's directory ", directory,
                                                ". Run chmod go-w on it, or set FRAMEGATE_SOCKET to a place of your own"));
  return absl::OkStatus();
}

std::string LiveLockPath(const std::string& socket_path) {
  return socket_path + ".lock";
}

std::string StartLockPath(const std::string& socket_path) {
  return socket_path + ".start";
}

}  // namespace framegate
