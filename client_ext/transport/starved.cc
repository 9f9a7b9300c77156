#include "client_ext/transport/starved.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/strings.h"

namespace framegate::client {

namespace {

// The state letter of a task: what stands behind the last parenthesis of its stat file. 0: unknown.
char TaskState(const std::string& stat_path) {
  int descriptor = ::open(stat_path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return 0;
  char buffer[512];
  ssize_t size = ::read(descriptor, buffer, sizeof buffer);
  ::close(descriptor);
  std::string_view text(buffer, size < 0 ? 0 : static_cast<size_t>(size));
  size_t end = text.rfind(") ");
  return end == std::string_view::npos || end + 2 >= text.size() ? 0 : text[end + 2];
}

}  // namespace

bool IsRunnable(pid_t process) {
  std::string tasks = StrCat("/proc/", process, "/task");
  std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(tasks.c_str()), ::closedir);
  if (!folder)
    return false;
  const std::string self = StrCat(gettid());  // runs while it looks, should the peer be this very process
  while (dirent* task = ::readdir(folder.get()))
    if (task->d_name[0] != '.' && task->d_name != self && TaskState(StrCat(tasks, "/", std::string_view(task->d_name), "/stat")) == 'R')
      return true;
  return false;
}

}  // namespace framegate::client
