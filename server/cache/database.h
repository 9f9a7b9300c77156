// SQLite, as far as the store needs it: a connection, prepared statements, and its result codes
// sorted by what one does about them. Thread-compatible: a connection and its statements belong to
// one thread at a time.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace framegate::server {

enum class Fault : uint8_t {
  kNone,
  kBusy,      // another process writes: try again
  kCorrupt,   // what is in the file makes no sense: leave it alone, replace it
  kFull,      // no room, or the device fails: reading may go on
  kReadOnly,  // may not be written: reading may go on
  kUnusable,  // cannot be opened at all
};

Fault FaultOf(int code);

class Statement;

class Database {
 public:
  enum class Mode : uint8_t { kReadWrite, kReadOnly };

  Database() = default;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  ~Database() { Close(); }

  // Also sets what every connection needs: a busy timeout, no trust in the file's own schema.
  Fault Open(const std::string& path, Mode mode);
  // REQUIRES: no statement of this connection is left.
  void Close();

  bool is_open() const { return handle_ != nullptr; }

  bool IsReadOnly() const;

  // Statements without results.
  Fault Execute(const char* sql);
  // The first column of the first row; 0 where there is none.
  int64_t Number(const char* sql);

  int Changes() const { return sqlite3_changes(handle_); }

  // In words, of the last operation that failed.
  std::string Error() const;

 private:
  friend class Statement;
  sqlite3* handle_ = nullptr;
};

// One prepared statement. Reset after each use, by Finish or the destructor of Row's owner.
class Statement {
 public:
  Statement() = default;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  ~Statement() { sqlite3_finalize(handle_); }

  Fault Prepare(Database* database, std::string_view sql);

  void Finalize() {
    sqlite3_finalize(handle_);
    handle_ = nullptr;
  }

  // Parameters count from 1. Bytes must live until Finish.
  void Bind(int place, std::string_view bytes);
  void BindText(int place, std::string_view text);

  void Bind(int place, int64_t number) { sqlite3_bind_int64(handle_, place, number); }

  // True: there is a row. False: the end, or a fault.
  bool Step();
  // How it went; ready for the next use.
  Fault Finish();

  // Of the current row; columns count from 0. Valid until the next Step or Finish.
  std::string_view Bytes(int column) const;

  int64_t Number(int column) const { return sqlite3_column_int64(handle_, column); }

 private:
  sqlite3_stmt* handle_ = nullptr;
  int code_ = SQLITE_OK;
};

}  // namespace framegate::server
