"""Clusterings of many worlds: computing, comparing and combining them."""
