"""Model files: what a fitted model is made of, written and read without any code."""
