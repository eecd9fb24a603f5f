"""A replication of the experiments in the paper that introduced RPC."""
