"""Published files that are fetched once, checked, and kept in the user's cache. Only POSIX systems have it."""
