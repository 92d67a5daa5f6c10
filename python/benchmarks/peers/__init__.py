"""Other table formats beside ours: an environment and a worker process for each engine."""
