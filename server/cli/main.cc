// framegate: the command line for people. Asks the daemon that serves a socket; never starts one.
#include <CLI/CLI.hpp>

#include "server/cli/commands.h"

int main(int argc, char** argv) {
  using namespace framegate::server;
  CLI::App app("framegate " FRAMEGATE_BUILD ": looks after the daemon that translates Python frames");
  app.require_subcommand(1);
  app.set_version_flag("--version", FRAMEGATE_BUILD);
  std::string socket, cache_dir;
  app.add_option("--socket", socket, "path of the daemon's socket [FRAMEGATE_SOCKET]");
  app.add_option("--cache-dir", cache_dir, "the daemon's cache directory [FRAMEGATE_CACHE_DIR]");

  int code = 0;
  auto run = [&](auto command) { return [&, command] { code = command(PlaceOf(socket, cache_dir)); }; };
  app.add_subcommand("status", "is a daemon running, and is it well")->fallthrough()->callback(run(RunStatus));
  app.add_subcommand("stats", "its numbers")->fallthrough()->callback(run(RunStats));
  app.add_subcommand("stop", "end it; the next process that needs one starts another")->fallthrough()->callback(run(RunStop));
  std::string function;
  uint32_t most = 10;
  CLI::App* why = app.add_subcommand("why", "why was a function translated again: what its entries want and do not find")->fallthrough();
  why->add_option("function", function, "its name, qualified or not; without it: the last translations");
  why->add_option("--limit", most, "how many")->capture_default_str();
  why->callback(run([&](const Place& place) { return RunWhy(place, function, most); }));
  CLI::App* guards =
      app.add_subcommand("guards", "what the stored entries of a function check on every call, and what that costs")->fallthrough();
  guards->add_option("function", function, "its name, qualified or not; without it: the last used ones");
  guards->add_option("--limit", most, "how many")->capture_default_str();
  guards->callback(run([&](const Place& place) { return RunGuards(place, function, most); }));
  CLI::App* cache = app.add_subcommand("cache", "the stored entries")->fallthrough()->require_subcommand(1);
  uint32_t limit = 50;
  CLI::App* list = cache->add_subcommand("list", "show them, the last used first")->fallthrough();
  list->add_option("--limit", limit, "how many")->capture_default_str();
  list->callback(run([&limit](const Place& place) { return RunCacheList(place, limit); }));
  cache->add_subcommand("clear", "forget them all")->fallthrough()->callback(run(RunCacheClear));
  CLI11_PARSE(app, argc, argv);
  return code;
}
