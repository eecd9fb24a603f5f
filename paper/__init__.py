"""The experiments of the paper that RPC comes from, repeated and tested."""
