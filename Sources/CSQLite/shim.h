#pragma once
#include <sqlite3.h>

// Swift can call neither a function with variable arguments nor a macro that is a cast.

static inline int coffer_sqlite_set(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

static inline int coffer_sqlite_bind_copy(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, place, bytes, count, SQLITE_TRANSIENT);
}

static inline int coffer_sqlite_bind_text(sqlite3_stmt *statement, int place, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, place, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
