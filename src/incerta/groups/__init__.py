"""Compact groups in a broad field: found, tested, and with standard errors."""
