"""Parts of operator statements that a session answers itself: COMPACT, DESCRIBE DETAIL, transactions in SQL."""
