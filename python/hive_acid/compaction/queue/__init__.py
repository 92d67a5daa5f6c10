"""The metastore's queue of compactions: asking, working, waiting."""
