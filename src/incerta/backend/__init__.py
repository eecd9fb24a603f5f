"""What the machine offers: optional libraries and memory."""
