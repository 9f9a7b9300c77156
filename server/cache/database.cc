#include "server/cache/database.h"

namespace framegate::server {

Fault FaultOf(int code) {
  switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
      return Fault::kNone;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Fault::kBusy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:  // our SQL is right for the schema we made: the file has another
    case SQLITE_MISMATCH:
      return Fault::kCorrupt;
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return Fault::kReadOnly;
    case SQLITE_CANTOPEN:
    case SQLITE_AUTH:
      return Fault::kUnusable;
    default:  // SQLite's codes, not ours: FULL, IOERR, NOMEM and whatever comes
      return Fault::kFull;
  }
}

Fault Database::Open(const std::string& path, Mode mode) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= mode == Mode::kReadWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK)
    return FaultOf(code);
  sqlite3_busy_timeout(handle_, 1000);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, 256 << 20);
  return Execute("PRAGMA cell_size_check=ON");
}

void Database::Close() {
  sqlite3_close(handle_);
  handle_ = nullptr;
}

bool Database::IsReadOnly() const {
  return sqlite3_db_readonly(handle_, "main") == 1;
}

Fault Database::Execute(const char* sql) {
  return FaultOf(sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr));
}

int64_t Database::Number(const char* sql) {
  Statement statement;
  if (statement.Prepare(this, sql) != Fault::kNone || !statement.Step())
    return 0;
  return statement.Number(0);
}

std::string Database::Error() const {
  return handle_ == nullptr ? "out of memory" : sqlite3_errmsg(handle_);
}

Fault Statement::Prepare(Database* database, std::string_view sql) {
  return FaultOf(
      sqlite3_prepare_v3(database->handle_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &handle_, nullptr));
}

void Statement::Bind(int place, std::string_view bytes) {
  sqlite3_bind_blob64(handle_, place, bytes.data() == nullptr ? "" : bytes.data(), bytes.size(), SQLITE_STATIC);
}

void Statement::BindText(int place, std::string_view text) {
  sqlite3_bind_text64(handle_, place, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

bool Statement::Step() {
  code_ = sqlite3_step(handle_);
  return code_ == SQLITE_ROW;
}

Fault Statement::Finish() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  return FaultOf(code_);
}

std::string_view Statement::Bytes(int column) const {
  const void* bytes = sqlite3_column_blob(handle_, column);
  return {static_cast<const char*>(bytes), static_cast<size_t>(sqlite3_column_bytes(handle_, column))};
}

}  // namespace framegate::server
