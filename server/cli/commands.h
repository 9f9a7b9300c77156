// What each word of the command line does: text on standard output, and an exit status (0: done; 3:
// no daemon is running; 1: it failed).
#pragma once

#include <cstdint>
#include <string>

namespace framegate::server {

struct Place {
  std::string socket;
  std::string cache_dir;
  std::string log_file;
  std::string error;  // not empty: the place makes no sense, and why
};

// From flags ("" where not given) and the environment, as the daemon would.
Place PlaceOf(const std::string& socket, const std::string& cache_dir);

int RunStatus(const Place& place);
int RunStats(const Place& place);
int RunStop(const Place& place);
// Why `function` ("": whatever) was translated although entries for it were there.
int RunWhy(const Place& place, const std::string& function, uint32_t limit);
// What the stored entries of `function` ("": of all) check on every call, line by line.
int RunGuards(const Place& place, const std::string& function, uint32_t limit);
int RunCacheList(const Place& place, uint32_t limit);
int RunCacheClear(const Place& place);

// For people: 1.5 MiB; 3 min; 2 days.
std::string PrintBytes(uint64_t bytes);
std::string PrintAge(int64_t milliseconds);

}  // namespace framegate::server
